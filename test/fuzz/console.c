/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What arrives at a node's console: the first byte says how many bytes come at
 * a time; 1 stands for the right CRC of the line so far, 2 for a pause.
 */
#include "test/fuzz/targets.h"

#include "boot/shell/shell.h"
#include "hal/err.h"
#include "hal/switch/peek.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 300u
#define LINES_MAX 200000u
#define PAUSE_US 3000000u

/* ---- what arrives ---- */

struct feed {
    const uint8_t *in;
    uint32_t bytes;
    uint32_t at;
    uint32_t now_us;
    char line[LINE_BYTES_MAX]; /* since the last end of a line */
    uint32_t line_bytes;
};

static void push(struct feed *feed, struct line_reader *reader, uint8_t byte)
{
    if (byte == '\n' || byte == '\r') {
        feed->line_bytes = 0;
    } else if (feed->line_bytes < LINE_BYTES_MAX) {
        feed->line[feed->line_bytes++] = (char)byte;
    }
    line_push(reader, byte);
}

static void push_crc(struct feed *feed, struct line_reader *reader)
{
    static const char digits[] = "0123456789ABCDEF";
    uint16_t crc = line_crc(0xFFFF, feed->line, feed->line_bytes);

    push(feed, reader, '*');
    for (int shift = 12; shift >= 0; shift -= 4) {
        push(feed, reader, (uint8_t)digits[crc >> shift & 15]);
    }
}

/* The next bytes that arrive together; false: there are no more. */
static bool arrive(struct feed *feed, struct line_reader *reader)
{
    uint32_t end = feed->at + feed->in[0] * 8u + 1;

    if (feed->at >= feed->bytes) {
        return false;
    }
    for (; feed->at < feed->bytes && feed->at < end; ++feed->at) {
        uint8_t byte = feed->in[feed->at];

        if (byte == 1) {
            push_crc(feed, reader);
        } else if (byte == 2) {
            feed->now_us += PAUSE_US;
        } else {
            push(feed, reader, byte);
        }
    }
    feed->now_us += 100;
    return true;
}

/* ---- commands ---- */

struct node {
    uint64_t state; /* of what is made up */
    uint32_t lines;
    bool rows; /* after `until=end` */
    struct line_reader check;
};

static uint32_t any(void *context)
{
    return (uint32_t)fuzz_random(&((struct node *)context)->state);
}

static unsigned room(void *context)
{
    return any(context) % 8 == 0 ? LINE_BYTES_MAX - 1 : LINE_BYTES_MAX;
}

/* Every line must be what the other side accepts, and in its place. */
static void write_out(void *context, const char *text, unsigned bytes)
{
    struct node *node = context;
    const char *got = node->check.text;
    enum line_status status;
    bool first;

    fuzz_check(bytes <= LINE_BYTES_MAX, "a reply that is too long");
    for (unsigned i = 0; i < bytes; ++i) {
        line_push(&node->check, (uint8_t)text[i]);
    }
    status = line_take(&node->check, 0);
    fuzz_check(status == LINE_TEXT && node->check.mark > 0,
               "a reply that is none");
    first = strncmp(got, "ok", 2) == 0 || strncmp(got, "err ", 4) == 0;
    fuzz_check(strncmp(got, "err ", 4) == 0 || first != node->rows,
               "a row out of its place");
    node->rows =
        first ? strstr(got, "until=end") != NULL : strncmp(got, "end", 3) != 0;
    node->lines += 1;
}

static bool busy(void *context)
{
    return any(context) % 4 == 0;
}

static const char *word(void *context)
{
    static const char words[4][24] = {"", "word", "a*b c\n\x80", "longer-one"};

    return words[any(context) % 4];
}

static void ident(void *context, struct shell_ident *ident)
{
    *ident = (struct shell_ident){.board = word(context),
                                  .version = word(context),
                                  .reset_cause = word(context),
                                  .clock = word(context),
                                  .mesh = any(context),
                                  .clock_hz = any(context)};
}

static void status_of(void *context, struct shell_status *status)
{
    *status = (struct shell_status){
        .state = word(context),
        .waypoint = word(context),
        .error = (int32_t)any(context),
        .last_port = (int32_t)(any(context) % 5) - 1,
        .uptime_us = fuzz_random(&((struct node *)context)->state)};
}

static void link_of(void *context, struct shell_link *link, unsigned port)
{
    fuzz_check(port < TORUS_PORTS, "a port that does not exist");
    *link = (struct shell_link){.known = any(context) % 2 == 0,
                                .port = any(context) % 4,
                                .result = word(context)};
}

static const char *number(void *context, uint64_t *number, enum shell_list list,
                          unsigned port, unsigned index)
{
    fuzz_check(port < TORUS_PORTS, "a port that does not exist");
    *number = fuzz_random(&((struct node *)context)->state);
    if (list == SHELL_FAULT && index == 0 && any(context) % 2 == 0) {
        return NULL;
    }
    return index < 17 ? "number" : NULL;
}

static void clear(void *context, enum shell_list list)
{
    (void)context;
    fuzz_check(list == SHELL_COUNTERS || list == SHELL_FAULT, "no such list");
}

/* 0, later or an error. */
static int answer(void *context)
{
    static const int answers[4] = {ERR_OK, SHELL_LATER, ERR_OK, ERR_EMPTY};

    return any(context) % 16 == 0 ? -(int)(any(context) % 13)
                                  : answers[any(context) % 4];
}

static int mesh(void *context, struct torus_size size, struct torus_coord at,
                uint8_t policy)
{
    (void)policy; /* any: who starts discovery knows them */
    fuzz_check(size.width >= 1 && size.width <= TORUS_SIDE_MAX &&
                   size.height >= 1 && size.height <= TORUS_SIDE_MAX &&
                   at.x < size.width && at.y < size.height,
               "a mesh that is none");
    return any(context) % 8 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

static int mesh_fault(void *context, struct shell_mesh_fault *fault)
{
    *fault = (struct shell_mesh_fault){.port = (uint8_t)(any(context) % 6),
                                       .what = word(context),
                                       .leads = any(context) % 2 == 0,
                                       .to_port = (uint8_t)(any(context) % 6),
                                       .count = (uint8_t)(any(context) % 3)};
    return answer(context);
}

static int ping(void *context, struct torus_path path, uint32_t bytes)
{
    fuzz_check(torus_path_valid(
                   (struct torus_size){TORUS_SIDE_MAX, TORUS_SIDE_MAX}, path) &&
                   bytes <= SHELL_PING_BYTES_MAX,
               "a path that is none");
    return any(context) % 64 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

static int ping_result(void *context, struct shell_ping *ping)
{
    *ping = (struct shell_ping){.error = (int32_t)any(context),
                                .setup_ns = any(context),
                                .total_ns = any(context)};
    return answer(context);
}

static int peek(void *context, struct torus_path path, uint8_t page,
                uint32_t argument)
{
    fuzz_check(page < PEEK_COMMANDS ||
                   (page == PEEK_IDENTIFY && argument <= PEEK_IDENTIFY_S_MAX) ||
                   (page == PEEK_RESET && argument == PEEK_RESET_MAGIC),
               "a command that is none");
    fuzz_check(
        path.hops == 0 ||
            torus_path_valid(
                (struct torus_size){TORUS_SIDE_MAX, TORUS_SIDE_MAX}, path),
        "a path that is none");
    return any(context) % 64 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

static int peeked(void *context, const uint8_t **data, unsigned *bytes,
                  unsigned port)
{
    static const uint8_t page[64];

    fuzz_check(port < TORUS_PORTS, "a port that does not exist");
    *data = page;
    *bytes = any(context) % (sizeof page + 1);
    return answer(context);
}

static int peek_row(void *context, struct line_writer *out, unsigned port,
                    uint32_t row)
{
    fuzz_check(port < TORUS_PORTS, "a port that does not exist");
    line_put(out, "row=%u %s", row, word(context));
    return answer(context);
}

static void inject(void *context, unsigned what)
{
    (void)context;
    fuzz_check(what <= 3, "an injection that is none");
}

static uint64_t clock_ps(void *context)
{
    return fuzz_random(&((struct node *)context)->state);
}

static bool event(void *context, struct shell_event *event, uint32_t index)
{
    *event = (struct shell_event){.value = any(context)};
    return index < 10;
}

static bool sent(void *context)
{
    return any(context) % 4 == 0;
}

static void reset(void *context)
{
    (void)context;
}

/* The node's side of the mailbox, now and then. */
static void use_mailbox(struct node *node, struct mailbox *mailbox,
                        uint8_t *buffer)
{
    const struct mailbox_segment out[2] = {{buffer, CAPACITY}, {buffer, 7}};

    fuzz_check(mailbox->filled_bytes <= mailbox->announced_bytes &&
                   mailbox->announced_bytes <= CAPACITY,
               "a message beyond its buffer");
    switch (any(node) % 8) {
    case 0:
        mailbox_open(mailbox, buffer, CAPACITY);
        break;
    case 1:
        mailbox_offer(mailbox, out, 2, 1, 2);
        break;
    default:
        break;
    }
}

/* Until there is nothing to do; that there is no room passes. */
static void poll_all(struct shell *shell, struct feed *feed)
{
    struct node *node = shell->config->context;
    unsigned idle = 0;

    while (idle < 8 && node->lines < LINES_MAX) {
        idle = shell_poll(shell, feed->now_us) ? 0 : idle + 1;
        feed->now_us += 10000;
    }
    fuzz_check(node->lines <= LINES_MAX, "replies without end");
}

void console_try(const struct fuzz_target *target, const uint8_t *in,
                 uint32_t bytes)
{
    struct feed feed = {.in = in, .bytes = bytes, .at = 1};
    struct line_reader *reader = malloc(sizeof *reader);
    uint8_t *buffer = calloc(1, CAPACITY);
    struct node node = {.state = fuzz_hash(in, bytes)};
    struct shell_config config = {
        &node,   room,     write_out, sent,     busy,       ident, status_of,
        link_of, number,   clear,     mesh,     mesh_fault, ping,  ping_result,
        peek,    peek_row, peeked,    clock_ps, inject,     event, reset};
    struct mailbox mailbox;
    struct shell shell;

    (void)target;
    line_init(reader, 2 * PAUSE_US);
    line_init(&node.check, PAUSE_US);
    mailbox_init(&mailbox);
    shell_init(&shell, &config, reader, &mailbox);
    mailbox_open(&mailbox, buffer, CAPACITY);
    while (bytes > 0 && arrive(&feed, reader)) {
        poll_all(&shell, &feed);
        use_mailbox(&node, &mailbox, buffer);
    }
    free(buffer);
    free(reader);
}

/* ---- first inputs ---- */

void console_seed(const struct fuzz_target *target)
{
    static const char *const seeds[] = {
        "\4help\nident\r\n@7 ps\1\nlinks\ncounters\n",
        "\1@1 mesh 5 5 1 2\1\nmesh 3 4\nping E2 N1 100 3\nping w3 1 2\n",
        "\2run 100 1 2\nput 0 QUJDRA==\n@5 put 4 QUI=\1\nput 9 QUJD\ndone\n",
        "\2run 301 1 2\nrun 5 1 2\nput 0 QUJDRA==\nput 4 QUJDRA==\n",
        "\5peeks 2 .,E1,n2W3,S9\n@8 identify E1 N2 9\1\nreset w2\n"
        "peeks 0 E1,E2,E3,E4\n@6 peek E2 S1 127\1\n",
        "\2report\nget 0 96\nget 96 96\nget 300 9\n@9 done\1\n@9 done\1\n",
        "\1fault\ntrace\nclock\ncounters clear\n"
        "fault clear\nreset\nide\2\2nt\n*1234\n",
        "\377x*0000\n@2 ident\n\n \n@3\1\n@4294967295 fault\1\r"};

    (void)target;
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        fuzz_add((const uint8_t *)seeds[i], (uint32_t)strlen(seeds[i]));
    }
}
