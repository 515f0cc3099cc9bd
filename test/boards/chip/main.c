/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench of modelled boards that a test drives: a command a line on standard
 * input, one line of JSON for each on standard output. It ends with its input,
 * and with a message and status 1 at a command that is none. PORT is east,
 * north, west, south or console; BOARD a number or `all`; TIME in microseconds.
 *
 * To make a mesh:
 *   image FILE              what is in the flash: a .bin
 *   pins PORT TX RX         where the ports are, such as B6 B7
 *   boards COUNT            makes them, off and unwired
 *   set BOARD KEY VALUE     before power: uid (24 hexadecimal digits), hse
 *                           (none, crystal, external), or a number: hse_hz,
 *                           hse_ppm, hsi_ppm, lsi_hz, pll_dead, supply_mv,
 *                           celsius
 *   torus WIDTH HEIGHT      all cables of one
 *   power BOARD on|off
 *   reset BOARD             by the pin NRST
 *
 * Cables:
 *   cable BOARD PORT BOARD PORT    one, in place of what was there
 *   unplug BOARD PORT              takes it away
 *   cut BOARD PORT 0|1             the wire of what leaves there: heals, is cut
 *   damage|lose BOARD PORT P       of its bytes, 0 to 1
 *   fail BOARD                     the next byte that DMA is to send there
 *
 * Time:
 *   type BOARD TEXT         at its console, and a newline
 *   run TIME [BOARD TEXT]   until that text is on the board's console, where
 *                           \\n is the end of a line
 *   listen BOARD PATH       a socket for a host program at its console, which
 *                           asks for the boards' time
 *   host TIME               lives by what hosts ask for, until the next whole
 *                           multiple of TIME;
 *                           "lived" is false if none asked for anything
 *
 * What is known of the boards:
 *   now                     the time
 *   stats                   of all boards; forget: they begin anew
 *   read BOARD ADDRESS      a device's register, as the program would
 *   watch                   [time, board, pin, byte] of all lines since the
 *                           last `watch`
 *   mark ADDRESS ..         functions of the image, whose calls are noted
 *   marked                  [time, board, address, whether it returned] of
 *                           all since the last `mark` or `marked`
 */
#include "test/boards/chip/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 8u
#define RUN_US_MAX 1e10

struct session {
    struct bench bench;
    bool has_image;
    uint8_t image[CHIP_FLASH_BYTES];
    char *word[WORDS];
    unsigned words;
};

static const char *const port_names[BENCH_PORTS] = {"east", "north", "west",
                                                    "south", "console"};

/* ---- words ---- */

/* Ends the process unless what a command needs is so. */
static void need(const struct session *session, bool so, const char *what)
{
    if (!so) {
        fprintf(stderr, "chip: %s ..: %s\n", session->word[0], what);
        exit(EXIT_FAILURE);
    }
}

static const char *word(const struct session *session, unsigned index)
{
    need(session, index < session->words, "a word is missing");
    return session->word[index];
}

static double real(const struct session *session, unsigned index)
{
    char *end;
    double value = strtod(word(session, index), &end);

    need(session, *end == '\0', "not a number");
    return value;
}

static uint32_t number(const struct session *session, unsigned index)
{
    char *end;
    unsigned long long value = strtoull(word(session, index), &end, 0);

    need(session, *end == '\0' && value <= UINT32_MAX, "not a number");
    return (uint32_t)value;
}

static unsigned board_at(const struct session *session, unsigned index)
{
    uint32_t value = number(session, index);

    need(session, value < session->bench.count, "no such board");
    return value;
}

static unsigned port_at(const struct session *session, unsigned index)
{
    const char *text = word(session, index);
    unsigned port = 0;

    while (port < BENCH_PORTS && strcmp(text, port_names[port]) != 0) {
        ++port;
    }
    need(session, port < BENCH_PORTS, "no such port");
    return port;
}

/* "B6" */
static uint8_t pin_at(const struct session *session, unsigned index)
{
    const char *text = word(session, index);
    char *end;
    long value = strtol(text + 1, &end, 10);

    need(session,
         *text >= 'A' && *text < (char)('A' + GPIO_COUNT) && *end == '\0' &&
             value >= 0 && value < 16,
         "no such pin");
    return (uint8_t)gpio_pin((unsigned)(*text - 'A'), (unsigned)value);
}

/* In fs. */
static uint64_t time_at(const struct session *session, unsigned index)
{
    double us = real(session, index);

    need(session, session->bench.count > 0, "no boards");
    need(session, us >= 0 && us <= RUN_US_MAX, "no such time");
    return (uint64_t)(us * (double)FS_PER_US);
}

static double us_of(uint64_t fs)
{
    return (double)fs / (double)FS_PER_US;
}

/* Calls with the board that word 1 names, or with all. */
static void for_boards(struct session *session,
                       void (*call)(struct session *, struct bench_board *))
{
    bool all = strcmp(word(session, 1), "all") == 0;
    unsigned from = all ? 0 : board_at(session, 1);
    unsigned end = all ? session->bench.count : from + 1;

    for (unsigned i = from; i < end; ++i) {
        call(session, &session->bench.board[i]);
    }
}

/* ---- making ---- */

static void do_image(struct session *session)
{
    FILE *file = fopen(word(session, 1), "rb");

    need(session, file != NULL, "no such file");
    memset(session->image, 0xff, CHIP_FLASH_BYTES);
    session->has_image = fread(session->image, 1, CHIP_FLASH_BYTES, file) > 0;
    fclose(file);
}

static void do_pins(struct session *session)
{
    unsigned port = port_at(session, 1);

    session->bench.port_tx[port] = pin_at(session, 2);
    session->bench.port_rx[port] = pin_at(session, 3);
}

static void do_boards(struct session *session)
{
    need(session, session->has_image && session->bench.count == 0,
         "after `image`, and once");
    need(session,
         bench_make(&session->bench, number(session, 1), session->image),
         "too many boards, or no memory");
}

static enum chip_hse hse_of(const struct session *session, const char *name)
{
    static const char *const names[] = {"none", "crystal", "external"};
    unsigned hse = 0;

    while (hse < 3 && strcmp(name, names[hse]) != 0) {
        ++hse;
    }
    need(session, hse < 3, "none, crystal or external");
    return (enum chip_hse)hse;
}

static void set(struct session *session, struct bench_board *board)
{
    struct chip_config *config = &board->chip.config;
    const char *key = word(session, 2);
    const char *text = word(session, 3);

    if (strcmp(key, "uid") == 0) {
        need(session,
             sscanf(text, "%8" SCNx32 "%8" SCNx32 "%8" SCNx32, &config->uid[0],
                    &config->uid[1], &config->uid[2]) == 3,
             "24 hexadecimal digits");
    } else if (strcmp(key, "hse") == 0) {
        config->hse = hse_of(session, text);
    } else if (strcmp(key, "hse_hz") == 0) {
        config->hse_hz = number(session, 3);
    } else if (strcmp(key, "hse_ppm") == 0) {
        config->hse_ppm = real(session, 3);
    } else if (strcmp(key, "hsi_ppm") == 0) {
        config->hsi_ppm = real(session, 3);
    } else if (strcmp(key, "lsi_hz") == 0) {
        config->lsi_hz = number(session, 3);
    } else if (strcmp(key, "pll_dead") == 0) {
        config->pll_dead = number(session, 3) != 0;
    } else if (strcmp(key, "supply_mv") == 0) {
        config->supply_mv = number(session, 3);
    } else {
        need(session, strcmp(key, "celsius") == 0, "no such key");
        config->celsius = (int)real(session, 3);
    }
}

static void do_set(struct session *session)
{
    for_boards(session, set);
}

static void do_torus(struct session *session)
{
    uint32_t width = number(session, 1);
    uint32_t height = number(session, 2);

    need(session, width > 0 && width * height == session->bench.count,
         "not as many boards");
    bench_torus(&session->bench, width, height);
}

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
    for_boards(session, power);
}

static void do_reset(struct session *session)
{
    chip_reset_pin(&session->bench.board[board_at(session, 1)].chip);
}

/* ---- cables ---- */

static void do_cable(struct session *session)
{
    bench_join(&session->bench, board_at(session, 1), port_at(session, 2),
               board_at(session, 3), port_at(session, 4));
}

static void do_unplug(struct session *session)
{
    bench_unplug(&session->bench, board_at(session, 1), port_at(session, 2));
}

/* cut, damage, lose */
static void spoil(struct session *session, struct bench_board *board)
{
    const char *how = session->word[0];
    double p = real(session, 3);
    struct bench_wire *wire =
        bench_wire(&session->bench, board->index, port_at(session, 2));
    uint32_t probability = (uint32_t)(p * (double)UINT32_MAX);

    need(session, p >= 0 && p <= 1, "0 to 1");
    if (strcmp(how, "cut") == 0) {
        wire->cut = p != 0;
    } else if (strcmp(how, "damage") == 0) {
        wire->damage = probability;
    } else {
        wire->lose = probability;
    }
}

static void do_spoil(struct session *session)
{
    for_boards(session, spoil);
}

/* ---- time ---- */

static void do_type(struct session *session)
{
    unsigned board = board_at(session, 1);
    const char *text = word(session, 2);

    need(session,
         bench_type(&session->bench, board, (const uint8_t *)text,
                    (uint32_t)strlen(text)) &&
             bench_type(&session->bench, board, (const uint8_t *)"\n", 1),
         "too much to type");
}

/* What consoles without a host have said since the last time; bytes as 7 bits,
   those that are no letters by their number. */
static void put_heard(struct session *session)
{
    const char *before = "";

    printf("\"heard\": {");
    for (unsigned i = 0; i < session->bench.count; ++i) {
        struct bench_board *board = &session->bench.board[i];

        if (board->heard.bytes == 0 || board->host >= 0) {
            continue;
        }
        printf("%s\"%u\": \"", before, i);
        for (uint32_t at = 0; at < board->heard.bytes; ++at) {
            unsigned byte = board->heard.data[at] & 0x7fu;

            if (byte < ' ' || byte == '"' || byte == '\\') {
                printf("\\u%04x", byte);
            } else {
                putchar((int)byte);
            }
        }
        putchar('"');
        bench_take(&board->heard, board->heard.bytes);
        before = ", ";
    }
    putchar('}');
}

static void do_run(struct session *session)
{
    uint64_t fs = time_at(session, 1);
    unsigned board = session->words > 2 ? board_at(session, 2) : 0;
    const char *text = session->words > 3 ? session->word[3] : NULL;

    if (text != NULL && strcmp(text, "\\n") == 0) {
        text = "\n";
    }
    printf("\"said\": %s, ",
           bench_run(&session->bench, fs, board, text) ? "true" : "false");
    put_heard(session);
}

static void do_now(struct session *session)
{
    printf("\"now_us\": %.17g", us_of(session->bench.now_fs));
}

static void do_fail(struct session *session)
{
    session->bench.board[board_at(session, 1)].chip.dma_fails = true;
}

static void do_listen(struct session *session)
{
    need(session,
         host_listen(&session->bench.board[board_at(session, 1)],
                     word(session, 2)),
         "no such socket");
}

/* Turns of one length end where they would had the host asked earlier: what it
   takes in its own time to ask changes nothing. */
static void do_host(struct session *session)
{
    uint64_t turn_fs = time_at(session, 1);
    uint64_t now_fs = session->bench.now_fs;
    uint64_t until_fs =
        turn_fs == 0 ? now_fs : (now_fs / turn_fs + 1) * turn_fs;

    printf("\"lived\": %s, ",
           host_serve(&session->bench, until_fs) ? "true" : "false");
    do_now(session);
}

/* ---- what is known of the boards ---- */

/* Between the members of a list. */
static const char *comma(unsigned index)
{
    return index == 0 ? "" : ", ";
}

static void put_complaints(const struct chip *chip)
{
    printf(", \"complaints\": [");
    for (unsigned i = 0; i < chip->complaints; ++i) {
        printf("%s{\"text\": \"%s\", \"pc\": %" PRIu32 "}", comma(i),
               chip->complaint[i].text, chip->complaint[i].pc);
    }
    putchar(']');
}

static void put_stats(const struct bench_board *board)
{
    const struct chip *chip = &board->chip;
    uint32_t edges = 0;

    for (unsigned i = 0; i < GPIO_COUNT; ++i) {
        edges += chip->gpio[i].edges;
    }
    printf("{\"cycle\": %" PRIu64 ", \"slept\": %" PRIu64
           ", \"core_hz\": %.17g, \"resets\": %" PRIu32 ", \"edges\": %" PRIu32
           ", \"misread\": %" PRIu64 ", \"usarts\": [",
           chip->core.cycle, chip->core.slept,
           (double)chip->rcc.core_uhz * 1e-6, chip->resets, edges,
           board->misread);
    for (unsigned i = 0; i < USART_COUNT; ++i) {
        const struct usart *usart = &chip->usart[i];

        printf("%s{\"received\": %" PRIu64 ", \"overruns\": %" PRIu64
               ", \"bit_ns\": %.17g}",
               comma(i), usart->received, usart->overruns,
               (double)usart->bit_fs * 1e-6);
    }
    printf("], \"held\": [");
    for (unsigned i = 0; i < CORE_PRIORITIES; ++i) {
        printf("%s%" PRIu64, comma(i), chip->core.held_max[i]);
    }
    putchar(']');
    put_complaints(chip);
    putchar('}');
}

static void do_stats(struct session *session)
{
    printf("\"boards\": [");
    for (unsigned i = 0; i < session->bench.count; ++i) {
        fputs(comma(i), stdout);
        put_stats(&session->bench.board[i]);
    }
    putchar(']');
}

static void do_forget(struct session *session)
{
    for (unsigned i = 0; i < session->bench.count; ++i) {
        core_forget(&session->bench.board[i].chip.core);
    }
}

static void do_read(struct session *session)
{
    const struct core_bus *bus =
        &session->bench.board[board_at(session, 1)].chip.core.config.bus;
    uint32_t value = 0;
    unsigned wait;

    need(session, bus->read(bus->context, number(session, 2), 4, &value, &wait),
         "nothing is there");
    printf("\"word\": %" PRIu32, value);
}

static void do_watch(struct session *session)
{
    struct bench *bench = &session->bench;

    printf("\"seen\": [");
    for (uint32_t i = 0; i < bench->seen_count; ++i) {
        const struct bench_byte *seen = &bench->seen[i];

        printf("%s[%.17g, %u, %u, %u]", comma(i), us_of(seen->start_fs),
               seen->board, seen->pin, seen->byte);
    }
    putchar(']');
    bench->seen_count = 0;
    bench->watching = true;
}

static void do_mark(struct session *session)
{
    struct bench *bench = &session->bench;

    need(session, bench->count > 0, "no boards");
    for (unsigned i = 1; i < session->words; ++i) {
        need(session,
             core_mark(&bench->board[0].chip.core, number(session, i) & ~1u),
             "too many marks");
    }
    bench->passed_count = 0;
}

static void do_marked(struct session *session)
{
    struct bench *bench = &session->bench;

    printf("\"marked\": [");
    for (uint32_t i = 0; i < bench->passed_count; ++i) {
        const struct bench_passed *passed = &bench->passed[i];

        printf("%s[%.17g, %u, %" PRIu32 ", %s]", comma(i), us_of(passed->at_fs),
               passed->board, passed->call,
               passed->returned ? "true" : "false");
    }
    putchar(']');
    bench->passed_count = 0;
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
    {"fail", do_fail},   {"type", do_type},     {"run", do_run},
    {"host", do_host},   {"listen", do_listen}, {"now", do_now},
    {"stats", do_stats}, {"forget", do_forget}, {"read", do_read},
    {"watch", do_watch}, {"mark", do_mark},     {"marked", do_marked},
};

#define COMMANDS (sizeof commands / sizeof *commands)

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
    unsigned i = 0;

    session->word[0] = line;
    split(session, line);
    while (i < COMMANDS && strcmp(session->word[0], commands[i].name) != 0) {
        ++i;
    }
    need(session, i < COMMANDS, "no such command");
    putchar('{');
    commands[i].run(session);
    puts("}");
    fflush(stdout);
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
    return EXIT_SUCCESS;
}
