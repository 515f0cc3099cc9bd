/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench of modelled boards that a test drives: a command a line on standard
 * input, one line of JSON for each on standard output, with "error" in it if
 * the command was none. It ends with its input. PORT is east, north, west,
 * south or console; BOARD a number or `all`; TIME in microseconds.
 *
 * To make a mesh:
 *   image FILE              what is in the flash: a .bin
 *   pins PORT TX RX         where the ports are, such as B6 B7
 *   boards COUNT            makes them, off and unwired
 *   set BOARD KEY VALUE     before power: uid (24 hexadecimal digits), hse
 *                           (none, crystal, external), or a number: hse_hz,
 *                           hse_ppm, hsi_ppm, lsi_hz, pll_dead, supply_mv,
 *                           celsius, seed
 *   torus WIDTH HEIGHT      all cables of one
 *   power BOARD on|off
 *   reset BOARD             by the pin NRST
 *
 * Cables:
 *   cable BOARD PORT BOARD PORT    one, in place of what was there
 *   unplug BOARD PORT              takes it away
 *   cut BOARD PORT 0|1             the wire of what leaves there: heals, is cut
 *   damage|lose|doubt BOARD PORT P    of its bytes, 0 to 1; doubt of a
 *                                  console: of what is typed there
 *
 * Time:
 *   type BOARD TEXT         at its console, and a newline
 *   run TIME [BOARD TEXT]   until that text is on the board's console, where
 *                           \\n is the end of a line
 *   listen BOARD PATH       a socket for a host program at its console, which
 *                           asks for the boards' time
 *   host TIME               lives by what hosts ask for, so long at most;
 *                           "lived" is false if none asked for anything
 *
 * What is known of the boards:
 *   now                     the time
 *   stats                   of all boards; forget: they begin anew
 *   read BOARD ADDRESS COUNT   words of memory, or of devices as the program
 *                           would read them
 *   watch                   [time, board, pin, byte] of all lines since the
 *                           last `watch`
 *   mark ADDRESS ...        from now on programs are looked at there: at most
 *                           4, in place of those before
 *   marked                  [time, board, address] since the last `marked`
 */
#include "test/boards/chip/bench.h"

#include <jansson.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 8u

#define RUN_US_MAX 1e10

struct session {
    struct bench bench;
    uint8_t *image;
    uint32_t image_bytes;
    char *word[WORDS];
    unsigned words;
    const char *error;
    json_t *out;
};

static const char *const port_names[BENCH_PORTS] = {"east", "north", "west",
                                                    "south", "console"};

/* ---- words ---- */

static void refuse(struct session *session, const char *error)
{
    if (session->error == NULL) {
        session->error = error;
    }
}

static const char *word(struct session *session, unsigned index)
{
    if (index >= session->words) {
        refuse(session, "a word is missing");
        return "0";
    }
    return session->word[index];
}

static double real(struct session *session, unsigned index)
{
    const char *text = word(session, index);
    char *end;
    double value = strtod(text, &end);

    if (*end != '\0') {
        refuse(session, "not a number");
    }
    return value;
}

static uint64_t number(struct session *session, unsigned index)
{
    const char *text = word(session, index);
    char *end;
    uint64_t value = strtoull(text, &end, 0);

    if (*end != '\0' || *text == '-') {
        refuse(session, "not a number");
    }
    return value;
}

static unsigned board_at(struct session *session, unsigned index)
{
    uint64_t value = number(session, index);

    if (value >= session->bench.count) {
        refuse(session, "no such board");
        return 0;
    }
    return (unsigned)value;
}

static unsigned port_at(struct session *session, unsigned index)
{
    const char *text = word(session, index);

    for (unsigned port = 0; port < BENCH_PORTS; ++port) {
        if (strcmp(text, port_names[port]) == 0) {
            return port;
        }
    }
    refuse(session, "no such port");
    return 0;
}

/* "B6" */
static uint8_t pin_at(struct session *session, unsigned index)
{
    const char *text = word(session, index);
    char *end;
    long value = strtol(text + 1, &end, 10);

    if (*text < 'A' || *text > 'E' || *end != '\0' || value < 0 || value > 15) {
        refuse(session, "no such pin");
        return 0;
    }
    return (uint8_t)gpio_pin((unsigned)(*text - 'A'), (unsigned)value);
}

/* Calls with the board that word `index` names, or with all. */
static void for_boards(struct session *session, unsigned index,
                       void (*call)(struct session *, struct bench_board *))
{
    if (strcmp(word(session, index), "all") != 0) {
        unsigned board = board_at(session, index);

        if (session->error == NULL) {
            call(session, &session->bench.board[board]);
        }
        return;
    }
    for (unsigned i = 0; i < session->bench.count; ++i) {
        call(session, &session->bench.board[i]);
    }
}

/* ---- making ---- */

static void do_image(struct session *session)
{
    FILE *file = fopen(word(session, 1), "rb");

    if (file == NULL) {
        refuse(session, strerror(errno));
        return;
    }
    free(session->image);
    session->image = malloc(CHIP_FLASH_BYTES);
    session->image_bytes =
        session->image == NULL
            ? 0
            : (uint32_t)fread(session->image, 1, CHIP_FLASH_BYTES, file);
    fclose(file);
    if (session->image_bytes < 8) {
        refuse(session, "no image");
    }
}

static void do_boards(struct session *session)
{
    uint64_t count = number(session, 1);

    if (session->image == NULL || session->bench.count > 0) {
        refuse(session, "after `image`, and once");
    } else if (session->error == NULL &&
               !bench_make(&session->bench, (unsigned)count, session->image,
                           session->image_bytes)) {
        refuse(session, "too many boards, or no memory");
    }
}

static void set_uid(struct session *session, struct chip_config *config)
{
    const char *text = word(session, 3);

    if (sscanf(text, "%8" SCNx32 "%8" SCNx32 "%8" SCNx32, &config->uid[0],
               &config->uid[1], &config->uid[2]) != 3) {
        refuse(session, "24 hexadecimal digits");
    }
}

static void set_hse(struct session *session, struct chip_config *config)
{
    static const char *const names[] = {"none", "crystal", "external"};

    for (unsigned i = 0; i < 3; ++i) {
        if (strcmp(word(session, 3), names[i]) == 0) {
            config->hse = (enum chip_hse)i;
            return;
        }
    }
    refuse(session, "none, crystal or external");
}

static void set(struct session *session, struct bench_board *board)
{
    struct chip_config *config = &board->chip.config;
    const char *key = word(session, 2);

    if (strcmp(key, "uid") == 0) {
        set_uid(session, config);
    } else if (strcmp(key, "hse") == 0) {
        set_hse(session, config);
    } else if (strcmp(key, "hse_hz") == 0) {
        config->hse_hz = (uint32_t)number(session, 3);
    } else if (strcmp(key, "hse_ppm") == 0) {
        config->hse_ppm = real(session, 3);
    } else if (strcmp(key, "hsi_ppm") == 0) {
        config->hsi_ppm = real(session, 3);
    } else if (strcmp(key, "lsi_hz") == 0) {
        config->lsi_hz = (uint32_t)number(session, 3);
    } else if (strcmp(key, "pll_dead") == 0) {
        config->pll_dead = number(session, 3) != 0;
    } else if (strcmp(key, "supply_mv") == 0) {
        config->supply_mv = (unsigned)number(session, 3);
    } else if (strcmp(key, "celsius") == 0) {
        config->celsius = (int)real(session, 3);
    } else if (strcmp(key, "seed") == 0) {
        config->seed = (uint32_t)number(session, 3);
    } else {
        refuse(session, "no such key");
    }
}

static void do_set(struct session *session)
{
    for_boards(session, 1, set);
}

static void do_pins(struct session *session)
{
    unsigned port = port_at(session, 1);
    uint8_t tx = pin_at(session, 2);
    uint8_t rx = pin_at(session, 3);

    if (session->bench.count > 0) {
        refuse(session, "before `boards`");
    } else if (session->error == NULL) {
        session->bench.port_tx[port] = tx;
        session->bench.port_rx[port] = rx;
    }
}

/* ---- cables ---- */

static void do_torus(struct session *session)
{
    uint64_t width = number(session, 1);
    uint64_t height = number(session, 2);

    if (width * height == 0 || width * height != session->bench.count) {
        refuse(session, "not as many boards");
    } else {
        bench_torus(&session->bench, (unsigned)width, (unsigned)height);
    }
}

static void do_cable(struct session *session)
{
    unsigned a = board_at(session, 1);
    unsigned a_port = port_at(session, 2);
    unsigned b = board_at(session, 3);
    unsigned b_port = port_at(session, 4);

    if (session->error == NULL) {
        bench_join(&session->bench, a, a_port, b, b_port);
    }
}

static void do_unplug(struct session *session)
{
    unsigned board = board_at(session, 1);
    unsigned port = port_at(session, 2);

    if (session->error == NULL) {
        bench_unplug(&session->bench, board, port);
    }
}

/* cut, damage, lose, doubt */
static void spoil(struct session *session, struct bench_board *board)
{
    const char *how = session->word[0];
    unsigned port = port_at(session, 2);
    double p = real(session, 3);
    struct bench_wire *wire = bench_wire(&session->bench, board->index, port);
    uint32_t probability = (uint32_t)(p * (double)UINT32_MAX);

    if (p < 0 || p > 1) {
        refuse(session, "0 to 1");
    } else if (strcmp(how, "cut") == 0) {
        wire->cut = p != 0;
    } else if (strcmp(how, "damage") == 0) {
        wire->damage = probability;
    } else if (strcmp(how, "lose") == 0) {
        wire->lose = probability;
    } else {
        wire->doubt = probability;
    }
}

static void do_spoil(struct session *session)
{
    for_boards(session, 1, spoil);
}

/* ---- life ---- */

static void power(struct session *session, struct bench_board *board)
{
    if (strcmp(word(session, 2), "on") == 0) {
        chip_power_on(&board->chip, session->bench.now_fs);
    } else {
        chip_power_off(&board->chip);
    }
}

static void do_power(struct session *session)
{
    for_boards(session, 1, power);
}

static void reset(struct session *session, struct bench_board *board)
{
    (void)session;
    if (board->chip.powered) {
        chip_reset_pin(&board->chip);
    }
}

static void do_reset(struct session *session)
{
    for_boards(session, 1, reset);
}

static void do_type(struct session *session)
{
    unsigned board = board_at(session, 1);
    const char *text = word(session, 2);

    if (session->error == NULL &&
        (!bench_type(&session->bench, board, (const uint8_t *)text,
                     (uint32_t)strlen(text)) ||
         !bench_type(&session->bench, board, (const uint8_t *)"\n", 1))) {
        refuse(session, "too much to type");
    }
}

/* What consoles without a host have said since the last time. */
static void put_heard(struct session *session)
{
    json_t *heard = json_object();

    for (unsigned i = 0; i < session->bench.count; ++i) {
        struct bench_board *board = &session->bench.board[i];
        char key[12];

        if (board->heard.bytes == 0 || board->host >= 0) {
            continue;
        }
        for (uint32_t at = 0; at < board->heard.bytes; ++at) {
            board->heard.data[at] &= 0x7f;
        }
        snprintf(key, sizeof key, "%u", i);
        json_object_set_new(
            heard, key,
            json_stringn((const char *)board->heard.data, board->heard.bytes));
        bench_take(&board->heard, board->heard.bytes);
    }
    json_object_set_new(session->out, "heard", heard);
}

static void do_now(struct session *session)
{
    json_object_set_new(
        session->out, "now_us",
        json_real((double)session->bench.now_fs / (double)FS_PER_US));
}

/* The time that a word gives, in fs. */
static uint64_t time_of(struct session *session, unsigned index)
{
    double us = real(session, index);

    if (session->bench.count == 0 || us < 0 || us > RUN_US_MAX) {
        refuse(session, "no boards, or no such time");
        return 0;
    }
    return (uint64_t)(us * (double)FS_PER_US);
}

static void do_run(struct session *session)
{
    uint64_t fs = time_of(session, 1);
    unsigned board = session->words > 2 ? board_at(session, 2) : 0;
    const char *text = session->words > 3 ? session->word[3] : NULL;
    bool said;

    if (text != NULL && strcmp(text, "\\n") == 0) {
        text = "\n";
    }
    if (session->error == NULL) {
        said = bench_run(&session->bench, fs, board, text);
        json_object_set_new(session->out, "said", json_boolean(said));
        put_heard(session);
    }
}

static void do_listen(struct session *session)
{
    unsigned board = board_at(session, 1);
    const char *path = word(session, 2);

    if (session->error == NULL &&
        !host_listen(&session->bench.board[board], path)) {
        refuse(session, "no such socket");
    }
}

static void do_host(struct session *session)
{
    struct bench *bench = &session->bench;
    uint64_t fs = time_of(session, 1);

    if (session->error == NULL) {
        json_object_set_new(
            session->out, "lived",
            json_boolean(host_serve(bench, bench->now_fs + fs)));
        do_now(session);
    }
}

/* ---- figures ---- */

static json_t *complaints_of(const struct chip *chip)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < chip->complaints; ++i) {
        const struct chip_complaint *c = &chip->complaint[i];

        json_array_append_new(list, json_pack("{s:s,s:I}", "text", c->text,
                                              "pc", (json_int_t)c->pc));
    }
    return list;
}

static json_t *usarts_of(const struct chip *chip)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < USART_COUNT; ++i) {
        const struct usart *usart = &chip->usart[i];

        json_array_append_new(list,
                              json_pack("{s:I,s:I,s:I,s:f}", "sent",
                                        (json_int_t)usart->sent, "received",
                                        (json_int_t)usart->received, "overruns",
                                        (json_int_t)usart->overruns, "bit_ns",
                                        (double)usart->bit_fs * 1e-6));
    }
    return list;
}

static json_t *stats_of(struct bench_board *board)
{
    const struct chip *chip = &board->chip;
    const struct core *core = &chip->core;
    json_t *held = json_array();
    uint32_t edges = 0;

    for (unsigned i = 0; i < GPIO_COUNT; ++i) {
        edges += chip->gpio[i].edges;
    }
    for (unsigned i = 0; i < CORE_PRIORITIES; ++i) {
        json_array_append_new(held,
                              json_integer((json_int_t)core->held_max[i]));
    }
    return json_pack("{s:I,s:I,s:f,s:i,s:i,s:i,s:o,s:o,s:o}", "cycle",
                     (json_int_t)core->cycle, "slept", (json_int_t)core->slept,
                     "core_hz", (double)chip->rcc.core_uhz * 1e-6, "resets",
                     (int)chip->resets, "edges", (int)edges, "misread",
                     (int)board->misread, "complaints", complaints_of(chip),
                     "usarts", usarts_of(chip), "held", held);
}

static void do_stats(struct session *session)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < session->bench.count; ++i) {
        json_array_append_new(list, stats_of(&session->bench.board[i]));
    }
    json_object_set_new(session->out, "boards", list);
}

static void do_forget(struct session *session)
{
    for (unsigned i = 0; i < session->bench.count; ++i) {
        core_forget(&session->bench.board[i].chip.core);
    }
}

static void do_read(struct session *session)
{
    unsigned board = board_at(session, 1);
    uint64_t address = number(session, 2);
    uint64_t count = number(session, 3);
    json_t *list = json_array();

    json_object_set_new(session->out, "words", list);
    for (uint64_t i = 0; i < count && session->error == NULL; ++i) {
        struct chip *chip = &session->bench.board[board].chip;
        uint32_t at = (uint32_t)(address + 4 * i);
        uint32_t value = 0;
        unsigned wait = 0;
        const uint8_t *memory = chip_dma_memory(chip, at, 4, false);

        if (memory == NULL && at >= CORE_CCM_BASE &&
            at < CORE_CCM_BASE + CHIP_CCM_BYTES) {
            memory = chip->ccm + (at - CORE_CCM_BASE);
        }
        if (memory != NULL) {
            memcpy(&value, memory, 4);
        } else {
            struct core_bus *bus = &chip->core.config.bus;

            (void)bus->read(bus->context, at, 4, &value, &wait);
        }
        json_array_append_new(list, json_integer(value));
    }
}

static void do_watch(struct session *session)
{
    struct bench_events *seen = &session->bench.seen;
    json_t *list = json_array();

    for (uint32_t i = 0; i < seen->count; ++i) {
        const struct bench_event *byte = &seen->list[i];

        json_array_append_new(list,
                              json_pack("[f,i,i,i]", (double)byte->at_fs * 1e-9,
                                        (int)byte->board, (int)byte->what >> 8,
                                        (int)byte->what & 0xff));
    }
    seen->count = 0;
    session->bench.watching = true;
    json_object_set_new(session->out, "seen", list);
}

static void do_mark(struct session *session)
{
    unsigned marks = session->words - 1;

    if (marks > CORE_MARKS || !bench_mark(&session->bench)) {
        refuse(session, "too many addresses, or no memory");
    }
    for (unsigned i = 0; session->error == NULL && i < session->bench.count;
         ++i) {
        struct core *core = &session->bench.board[i].chip.core;

        core->marks = marks;
        for (unsigned k = 0; k < marks; ++k) {
            core->mark[k] = (uint32_t)number(session, k + 1);
        }
    }
}

static void do_marked(struct session *session)
{
    struct bench_events *passed = &session->bench.passed;
    json_t *list = json_array();

    for (uint32_t i = 0; i < passed->count; ++i) {
        const struct bench_event *mark = &passed->list[i];

        json_array_append_new(
            list, json_pack("[f,i,I]", (double)mark->at_fs * 1e-9,
                            (int)mark->board, (json_int_t)mark->what));
    }
    passed->count = 0;
    json_object_set_new(session->out, "marked", list);
}

/* ---- commands ---- */

static const struct {
    const char *name;
    void (*run)(struct session *);
} commands[] = {
    {"image", do_image}, {"pins", do_pins},     {"boards", do_boards},
    {"set", do_set},     {"torus", do_torus},   {"power", do_power},
    {"reset", do_reset}, {"cable", do_cable},   {"unplug", do_unplug},
    {"cut", do_spoil},   {"damage", do_spoil},  {"lose", do_spoil},
    {"doubt", do_spoil}, {"type", do_type},     {"run", do_run},
    {"host", do_host},   {"listen", do_listen}, {"now", do_now},
    {"stats", do_stats}, {"forget", do_forget}, {"read", do_read},
    {"watch", do_watch}, {"mark", do_mark},     {"marked", do_marked},
};

/* Words are split at blanks; the last takes the rest of `type` and `run`. */
static void split(struct session *session, char *line)
{
    char *rest = line;
    unsigned last = 0;

    session->words = 0;
    line[strcspn(line, "\n")] = '\0';
    last = strncmp(line, "type ", 5) == 0  ? 3
           : strncmp(line, "run ", 4) == 0 ? 4
                                           : WORDS;
    while (session->words + 1 < last && rest != NULL) {
        char *found = strsep(&rest, " ");

        if (*found != '\0') {
            session->word[session->words++] = found;
        }
    }
    if (rest != NULL) {
        session->word[session->words++] = rest;
    }
}

static void answer(struct session *session, char *line)
{
    void (*run)(struct session *) = NULL;
    char *text;

    session->error = NULL;
    session->out = json_object();
    split(session, line);
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; ++i) {
        if (session->words > 0 &&
            strcmp(session->word[0], commands[i].name) == 0) {
            run = commands[i].run;
        }
    }
    if (run == NULL) {
        refuse(session, "no such command");
    } else {
        run(session);
    }
    if (session->error != NULL) {
        json_object_set_new(session->out, "error", json_string(session->error));
    }
    text = json_dumps(session->out, JSON_COMPACT);
    puts(text == NULL ? "{\"error\": \"no text\"}" : text);
    fflush(stdout);
    free(text);
    json_decref(session->out);
}

int main(void)
{
    static struct session session;
    char *line = NULL;
    size_t capacity = 0;

    bench_init(&session.bench);
    while (getline(&line, &capacity, stdin) > 0) {
        answer(&session, line);
    }
    free(line);
    bench_free(&session.bench);
    free(session.image);
    return EXIT_SUCCESS;
}
