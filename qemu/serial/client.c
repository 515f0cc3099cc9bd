/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/client.h"

#include "hal/line/line.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/progress.h"
#include "qemu/base/quote.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of a message that are sent before the first reply comes. The board's
   ring buffer holds twice as many, so a transfer that begins again does not
   overflow it. */
#define WINDOW 3u
#define LINES_MAX 100000u
#define WHY_BYTES 512u
#define PEEKS_WAITS 4u

static_assert(2 * WINDOW * (LINE_BASE64_MAX + 40) <= LINE_RING_BYTES,
              "two windows of `put` fit the board's ring");

struct console {
    struct console_port *port;
    struct line_reader reader;
    struct console_counters counters;
    uint32_t tag;
    uint32_t wait_ms;
    uint32_t rows_ms;
    uint32_t tries;
    uint64_t until_ms; /* time when all waits for lines end; 0: no limit */
    char why[WHY_BYTES];
};

/* What came of the wait for a line. */
enum received {
    RECEIVED_GONE = -1,
    RECEIVED_NOTHING,
    RECEIVED_DAMAGED,
    RECEIVED_REFUSED, /* the board's `err` without a tag */
    RECEIVED_LINE,    /* any other line, in console->reader.text */
};

__attribute__((format(printf, 2, 3))) static int fail(struct console *console,
                                                      const char *format, ...)
{
    int at =
        snprintf(console->why, WHY_BYTES,
                 "%.200s: ", quote_shown(console_port_name(console->port)));
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(console->why + at, WHY_BYTES - (size_t)at, format, arguments);
    va_end(arguments);
    return -1;
}

static int fail_gone(struct console *console)
{
    return fail(console, "the port has gone%s%s", errno != 0 ? ": " : "",
                errno != 0 ? strerror(errno) : "");
}

struct console *console_open(struct console_port *port)
{
    struct console *console = memory_or_exit(calloc(1, sizeof *console));

    console->port = port;
    line_init(&console->reader, INT32_MAX);
    console_patience(console, 1000, 35000, 5);
    /* The first tag depends on the time. So a reply to an earlier user of the
       port does not match. */
    console->tag = (uint32_t)(host_clock_ns(console_clock(console)) / 1000) *
                       2654435761u >>
                   4;
    return console;
}

struct console *console_connect(const char *path, uint32_t rate)
{
    char why[CONSOLE_PORT_WHY_BYTES];
    struct console_port *port = console_port_open(why, path, rate);

    if (port == NULL) {
        fprintf(stderr, "quincunx: %s\n", why);
        return NULL;
    }
    return console_open(port);
}

void console_close(struct console *console)
{
    if (console != NULL) {
        console_port_close(console->port);
        free(console);
    }
}

void console_patience(struct console *console, uint32_t wait_ms,
                      uint32_t rows_ms, uint32_t tries)
{
    console->wait_ms = wait_ms;
    console->rows_ms = rows_ms;
    console->tries = tries;
}

const struct host_clock *console_clock(const struct console *console)
{
    return console_port_clock(console->port);
}

static uint64_t now_ms(const struct console *console)
{
    return host_clock_ms(console_clock(console));
}

void console_limit(struct console *console, uint32_t limit_ms)
{
    console->until_ms = limit_ms > 0 ? now_ms(console) + limit_ms : 0;
}

const char *console_why(const struct console *console)
{
    return console->why;
}

void console_fail(struct console *console, const char *what)
{
    (void)fail(console, "%s", what);
}

const struct console_counters *console_counters(const struct console *console)
{
    return &console->counters;
}

/* ---- lines ---- */

static int write_bytes(struct console *console, const char *data,
                       unsigned bytes)
{
    int status = console_port_write(console->port, (const uint8_t *)data, bytes,
                                    console->wait_ms);

    if (status > 0) {
        return fail(console, "it takes no bytes: nothing written for %u ms",
                    console->wait_ms);
    }
    return status < 0 ? fail_gone(console) : 0;
}

/* Writes the line `@TAG TEXT` with its CRC. If `fresh` is true, an empty line
   comes first and ends a line that was cut off. Returns 0 or -1. */
static int write_request(struct console *console, uint32_t tag,
                         const char *text, bool fresh)
{
    struct line_writer out;
    unsigned bytes;

    line_begin(&out);
    line_put(&out, "@%u %s", tag, text);
    if (out.cut) {
        return fail(console, "'%.40s...': too long for a line", text);
    }
    bytes = line_end(&out);
    if (fresh && write_bytes(console, "\n", 1) != 0) {
        return -1;
    }
    return write_bytes(console, out.text, bytes);
}

static bool begins(const char *text, const char *word)
{
    size_t bytes = strlen(word);

    return strncmp(text, word, bytes) == 0 &&
           (text[bytes] == ' ' || text[bytes] == '\0');
}

/* Tells whether a received line is good, damaged or refused, and counts it. */
static enum received judge(struct console *console, enum line_status status)
{
    const char *text = console->reader.text;

    if (status != LINE_TEXT || console->reader.mark == 0) {
        console->counters.damaged += 1;
        return RECEIVED_DAMAGED;
    }
    if (begins(text, "err") && strstr(text, " tag=") == NULL) {
        console->counters.refused += 1;
        return RECEIVED_REFUSED;
    }
    return RECEIVED_LINE;
}

static enum received receive_line(struct console *console, uint32_t wait_ms)
{
    uint64_t deadline_ms = now_ms(console) + wait_ms;

    if (console->until_ms > 0 && console->until_ms < deadline_ms) {
        deadline_ms = console->until_ms;
    }
    for (;;) {
        enum line_status status = line_take(&console->reader, 0);
        uint64_t now = now_ms(console);
        uint8_t data[256];
        int count;

        if (status != LINE_NONE) {
            return judge(console, status);
        }
        count = console_port_read(
            console->port, data, sizeof data,
            now < deadline_ms ? (unsigned)(deadline_ms - now) : 0);
        if (count < 0) {
            fail_gone(console);
            return RECEIVED_GONE;
        }
        if (count == 0 && now_ms(console) >= deadline_ms) {
            console->counters.late += 1;
            return RECEIVED_NOTHING;
        }
        for (int i = 0; i < count; ++i) {
            line_push(&console->reader, data[i]);
        }
    }
}

static const char *find_value(const char *text, const char *key)
{
    size_t bytes = strlen(key);

    for (const char *at = text; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, bytes) == 0 && at[bytes] == '=') {
            return at + bytes + 1;
        }
    }
    return NULL;
}

static bool number_in(char *text, uint64_t *number, const char *key)
{
    const struct console_reply line = {.lines = 1, .line = &text};

    return console_number(&line, number, key);
}

static bool tag_of(struct console *console, uint32_t *tag)
{
    uint64_t number = 0;
    bool found = number_in(console->reader.text, &number, "tag");

    *tag = (uint32_t)number;
    return found && number <= UINT32_MAX;
}

/* Removes a word KEY=VALUE, which callers must not see. `key` is " KEY=". */
static void cut(char *text, const char *key)
{
    char *at = strstr(text, key);

    if (at != NULL) {
        size_t bytes = 1 + strcspn(at + 1, " ");

        memmove(at, at + bytes, strlen(at + bytes) + 1);
    }
}

/* ---- replies ---- */

void console_reply_free(struct console_reply *reply)
{
    for (uint32_t i = 0; i < reply->lines; ++i) {
        free(reply->line[i]);
    }
    free(reply->line);
    memset(reply, 0, sizeof *reply);
}

static void add_line(struct console_reply *reply, const char *text)
{
    reply->line = memory_or_exit(
        realloc(reply->line, (reply->lines + 1) * sizeof *reply->line));
    reply->line[reply->lines++] = memory_or_exit(strdup(text));
}

static void set_code(struct console_reply *reply, const char *word)
{
    reply->ok = false;
    snprintf(reply->code, sizeof reply->code, "%.*s", (int)strcspn(word, " "),
             word);
}

/* What a received line means for the awaited reply. */
enum parsed {
    PARSED_STALE, /* the line answers another request */
    PARSED_ROW,
    PARSED_ALL, /* the line completes the reply */
    PARSED_SPOILT
};

/* Parses the first line of a reply. If an earlier try of the request has begun
   a reply, that one is dropped. */
static enum parsed parse_first(struct console_reply *reply, char *text)
{
    bool more = find_value(text, "until") != NULL;

    console_reply_free(reply);
    cut(text, " tag=");
    cut(text, " until=");
    reply->ok = begins(text, "ok");
    if (!reply->ok) {
        set_code(reply, text + strlen("err "));
    }
    add_line(reply, text);
    return more ? PARSED_ROW : PARSED_ALL;
}

static enum parsed parse_end(struct console_reply *reply, char *text)
{
    const char *code = find_value(text, "err");
    uint64_t rows = 0;

    if (reply->lines == 0) {
        return PARSED_STALE;
    }
    if (!number_in(text, &rows, "rows") || rows != reply->lines - 1) {
        return PARSED_SPOILT;
    }
    if (code != NULL) {
        set_code(reply, code);
    }
    return PARSED_ALL;
}

static enum parsed parse_line(struct console *console,
                              struct console_reply *reply, uint32_t wanted)
{
    char *text = console->reader.text;
    bool first = begins(text, "ok") || begins(text, "err");
    uint32_t tag;

    if (first || begins(text, "end")) {
        if (!tag_of(console, &tag) || tag != wanted) {
            return PARSED_STALE;
        }
        return first ? parse_first(reply, text) : parse_end(reply, text);
    }
    if (reply->lines == 0) {
        return PARSED_STALE;
    }
    add_line(reply, text);
    return reply->lines > LINES_MAX ? PARSED_SPOILT : PARSED_ROW;
}

/* Waits for the reply to a request. Returns 0 if it is complete, 1 to send the
   request again, or -1 if the port is gone. */
static int receive_reply(struct console *console, struct console_reply *reply,
                         uint32_t tag, uint32_t rows_ms)
{
    uint64_t deadline_ms = now_ms(console) + console->wait_ms;

    console_reply_free(reply);
    for (;;) {
        uint64_t now = now_ms(console);
        enum parsed parsed = PARSED_SPOILT;
        enum received received = receive_line(
            console, now < deadline_ms ? (uint32_t)(deadline_ms - now) : 0);

        if (received == RECEIVED_GONE) {
            return -1;
        }
        if (received == RECEIVED_LINE) {
            parsed = parse_line(console, reply, tag);
        }
        switch (parsed) {
        case PARSED_STALE:
            console->counters.stale += 1;
            break;
        case PARSED_ROW:
            deadline_ms = now_ms(console) + rows_ms;
            break;
        case PARSED_ALL:
            return 0;
        case PARSED_SPOILT:
            return 1;
        }
    }
}

/* Returns how long the next row of a reply may take, ms. Commands that send
   messages to other nodes may take rows_ms. (`peeks` is not among them: it
   prints a line every SHELL_ALIVE_US, on emulated boards 0.5 s.) */
static uint32_t rows_ms_of(const struct console *console, const char *command)
{
    static const char *const slow[] = {"mesh", "ping", "peek", "identify",
                                       "reset"};

    if (begins(command, "peeks")) {
        return PEEKS_WAITS * console->wait_ms;
    }
    for (unsigned i = 0; i < sizeof slow / sizeof *slow; ++i) {
        if (begins(command, slow[i])) {
            return console->rows_ms;
        }
    }
    return console->wait_ms;
}

int console_request(struct console *console, struct console_reply *reply,
                    const char *command)
{
    uint32_t rows_ms = rows_ms_of(console, command);
    uint32_t tag = console->tag++;
    uint32_t before = console->reader.pushed + console->reader.lost;
    int status = 1;

    memset(reply, 0, sizeof *reply);
    console->counters.requests += 1;
    for (uint32_t i = 0; i < console->tries && status > 0; ++i) {
        console->counters.retries += i > 0;
        status = write_request(console, tag, command, i > 0);
        if (status == 0) {
            status = receive_reply(console, reply, tag, rows_ms);
        }
    }
    if (status > 0) {
        bool silent = console->reader.pushed + console->reader.lost == before;

        fail(console, "no good reply to '%.40s' in %u tries of %u ms: %s",
             command, console->tries, console->wait_ms,
             silent
                 ? "nothing came (is this the board's console, and has it "
                   "power?)"
                 : "what came is none (is this another device, or has another "
                   "program the port, too?)");
    }
    return status == 0 ? 0 : -1;
}

const char *console_value(const struct console_reply *reply,
                          char value[CONSOLE_WORD_BYTES], const char *key)
{
    for (uint32_t i = 0; i < reply->lines; ++i) {
        const char *found = find_value(reply->line[i], key);

        if (found != NULL) {
            snprintf(value, CONSOLE_WORD_BYTES, "%.*s",
                     (int)strcspn(found, " "), found);
            return value;
        }
    }
    return NULL;
}

bool console_number(const struct console_reply *reply, uint64_t *number,
                    const char *key)
{
    char word[CONSOLE_WORD_BYTES];

    return console_value(reply, word, key) != NULL &&
           parse_count(word, number) == NULL;
}

/* ---- messages ---- */

/* A message on its way to or from the board. Several lines are sent before
   their replies come. The board takes bytes in order, and `base` of them are
   done. After a loss the transfer begins again at `base`, but only when all
   awaited replies have come or timed out: otherwise three lines would be added
   for each damaged one. Late replies have tags below `first_tag`. */
struct transfer {
    const uint8_t *out; /* bytes for the board; or NULL */
    uint8_t *in;        /* buffer for bytes from the board; or NULL */
    uint32_t total;
    uint32_t base;
    uint32_t next; /* first byte that no line has asked for */
    uint32_t first_tag;
    uint32_t awaited; /* number of replies that may still come */
    bool lost;        /* true: a line or its reply was lost */
    uint32_t losses;  /* number of losses since `base` last grew */
};

static int send_next(struct console *console, struct transfer *transfer)
{
    uint32_t bytes = transfer->total - transfer->next;
    char data[LINE_BASE64_MAX + 1] = "";
    char text[LINE_BYTES_MAX];

    bytes = bytes < LINE_DATA_MAX ? bytes : LINE_DATA_MAX;
    if (transfer->out != NULL) {
        data[line_base64(data, transfer->out + transfer->next, bytes)] = '\0';
        snprintf(text, sizeof text, "put %u %s", transfer->next, data);
    } else {
        snprintf(text, sizeof text, "get %u %u", transfer->next, bytes);
    }
    transfer->next += bytes;
    transfer->awaited += 1;
    return write_request(console, console->tag++, text, false);
}

static int send_ahead(struct console *console, struct transfer *transfer)
{
    while (!transfer->lost && transfer->next < transfer->total &&
           transfer->next - transfer->base < WINDOW * LINE_DATA_MAX) {
        console->counters.requests += 1;
        if (send_next(console, transfer) != 0) {
            return -1;
        }
    }
    return 0;
}

static int send_again(struct console *console, struct transfer *transfer)
{
    console->counters.retries += 1;
    transfer->losses += 1;
    transfer->lost = false;
    transfer->awaited = 0;
    transfer->next = transfer->base;
    transfer->first_tag = console->tag;
    if (transfer->losses > console->tries) {
        return fail(console, "%s byte %u of %u in %u tries",
                    transfer->out != NULL ? "does not take" : "does not give",
                    transfer->base, transfer->total, console->tries);
    }
    return write_bytes(console, "\n", 1);
}

static void move_on(struct transfer *transfer, uint32_t base)
{
    if (base > transfer->base) {
        transfer->losses = 0;
        transfer->base = base;
        transfer->next = transfer->next > base ? transfer->next : base;
    }
}

/* Reads a part of the message from the board. Returns 0 if it is good, 1 if
   bytes before it are missing, or -1 if it is malformed. */
static int parse_data(struct transfer *transfer, char *text)
{
    const char *data = find_value(text, "data");
    uint8_t bytes[LINE_DATA_MAX];
    uint64_t at = 0;
    int count;

    if (data == NULL || !number_in(text, &at, "at")) {
        return -1;
    }
    count = line_base64_read(bytes, sizeof bytes, data,
                             (unsigned)strcspn(data, " "));
    if (count <= 0 || at > transfer->total ||
        (uint32_t)count > transfer->total - at) {
        return -1;
    }
    if (at == transfer->base) {
        memcpy(transfer->in + at, bytes, (size_t)count);
        move_on(transfer, transfer->base + (uint32_t)count);
    }
    return at > transfer->base;
}

static int parse_answer(struct transfer *transfer, char *text)
{
    uint64_t next = 0;

    if (begins(text, "ok") && transfer->in != NULL) {
        return parse_data(transfer, text);
    }
    if (!begins(text, "ok") && !begins(text, "err gap")) {
        return -1;
    }
    if (transfer->in != NULL || !number_in(text, &next, "next") ||
        next > transfer->total) {
        return -1;
    }
    move_on(transfer, (uint32_t)next);
    return !begins(text, "ok");
}

static int parse_tagged(struct console *console, struct transfer *transfer)
{
    char *text = console->reader.text;
    uint32_t tag;
    int parsed;

    if (!tag_of(console, &tag) ||
        tag - transfer->first_tag >= console->tag - transfer->first_tag) {
        console->counters.stale += 1;
        return 0;
    }
    transfer->awaited = tag + 1 == console->tag ? 1 : transfer->awaited;
    transfer->awaited -= transfer->awaited > 0;
    parsed = parse_answer(transfer, text);
    if (parsed < 0) {
        cut(text, " tag=");
        return fail(console, "at byte %u of %u: '%.100s'", transfer->base,
                    transfer->total, text);
    }
    transfer->lost |= parsed > 0;
    return 0;
}

static int receive_answer(struct console *console, struct transfer *transfer)
{
    int status = 0;

    switch (receive_line(console, console->wait_ms)) {
    case RECEIVED_GONE:
        return -1;
    case RECEIVED_NOTHING:
        transfer->lost = true;
        transfer->awaited = 0;
        break;
    case RECEIVED_LINE:
        status = parse_tagged(console, transfer);
        break;
    case RECEIVED_DAMAGED:
    case RECEIVED_REFUSED:
        transfer->lost = true;
        transfer->awaited -= transfer->awaited > 0;
        break;
    }
    if (status == 0 && transfer->awaited == 0 &&
        transfer->base < transfer->next) {
        return send_again(console, transfer);
    }
    transfer->lost &= transfer->awaited > 0;
    return status;
}

static int transfer_all(struct console *console, struct transfer *transfer)
{
    int status = 0;

    transfer->first_tag = console->tag;
    while (status == 0 && transfer->base < transfer->total) {
        progress_show(&(struct progress_step){
            .doing = transfer->out != NULL ? "to the board" : "from the board",
            .done = transfer->base,
            .total = transfer->total});
        status = send_ahead(console, transfer);
        if (status == 0) {
            status = receive_answer(console, transfer);
        }
    }
    return status;
}

static int request_ok(struct console *console, struct console_reply *reply,
                      const char *command)
{
    if (console_request(console, reply, command) != 0) {
        return -1;
    }
    if (reply->ok) {
        return 0;
    }
    if (strcmp(reply->code, "busy") == 0) {
        return 1;
    }
    return fail(console, "'%.40s': '%.100s'", command, reply->line[0]);
}

int console_send(struct console *console, const uint8_t *data, uint32_t bytes,
                 uint8_t kind, uint16_t job)
{
    struct transfer transfer = {.out = data, .total = bytes};
    struct console_reply reply;
    char command[64];
    int status;

    snprintf(command, sizeof command, "run %u %u %u", bytes, kind, job);
    status = request_ok(console, &reply, command);
    console_reply_free(&reply);
    return status != 0 ? status : transfer_all(console, &transfer);
}

/* Asks whether the node has a message for the host. Returns 0, and its bytes,
   kind and job in numbers[]; 1 if there is none; -1 on failure. */
static int request_report(struct console *console, uint64_t numbers[3])
{
    static const char keys[3][6] = {"bytes", "kind", "job"};
    struct console_reply reply;
    char state[CONSOLE_WORD_BYTES];
    int status = request_ok(console, &reply, "report");

    if (status == 0 && (console_value(&reply, state, "state") == NULL ||
                        strcmp(state, "ready") != 0)) {
        status = 1;
    }
    for (unsigned i = 0; i < 3 && status == 0; ++i) {
        if (!console_number(&reply, &numbers[i], keys[i]) ||
            numbers[i] > INT32_MAX) {
            status = fail(console, "report without %s", keys[i]);
        }
    }
    console_reply_free(&reply);
    return status;
}

int console_receive(struct console *console, uint8_t **data, uint32_t *bytes,
                    uint8_t *kind, uint16_t *job)
{
    uint64_t numbers[3];
    struct transfer transfer = {0};
    struct console_reply reply;
    int status = request_report(console, numbers);

    if (status != 0) {
        return status;
    }
    transfer.total = (uint32_t)numbers[0];
    transfer.in = malloc(transfer.total + 1);
    if (transfer.in == NULL) {
        return fail(console, "no memory for %u bytes", transfer.total);
    }
    status = transfer_all(console, &transfer);
    if (status == 0) {
        status = request_ok(console, &reply, "done") == 0 ? 0 : -1;
        console_reply_free(&reply);
    }
    if (status != 0) {
        free(transfer.in);
        return status;
    }
    *data = transfer.in;
    *bytes = transfer.total;
    *kind = (uint8_t)numbers[1];
    *job = (uint16_t)numbers[2];
    return 0;
}
