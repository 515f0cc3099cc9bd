/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/job.h"
#include "qemu/options/profile.h"
#include "qemu/options/progress.h"

#include "qemu/format/table.h"
#include "qemu/job/order.h"
#include "qemu/job/policy.h"
#include "qemu/ranks/ranks.h"
#include "qemu/schedule/tree.h"
#include "qemu/support/edits.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"
#include "scatter/engine/core.h"
#include "scatter/plan/farm.h"
#include "torus/pattern.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSTALLMENT_MAX 250u
#define WATCHDOG_S 120u
#define WATCHDOG_MAX_S 86400u

/* The number that a macro stands for, as text. */
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(value) #value
#define INSTALLMENTS                                                           \
    TEXT_OF(FARM_INSTALLMENT) ", or " TEXT_OF(FARM_INSTALLMENT_DEAR)

enum key {
    KEY_MESH = JOB_OPTIONS_KEYS,
    KEY_KERNEL,
    KEY_ARG,
    KEY_ARG_HEX,
    KEY_PROFILE,
    KEY_PLAN_PROFILE,
    KEY_ORIGINATOR,
    KEY_ROUNDS,
    KEY_PHASES,
    KEY_ON,
    KEY_FIRMWARE,
    KEY_WATCHDOG,
    KEY_MAP,
    KEY_PORTS,
    KEY_SWITCHING,
    KEY_SLOW,
    KEY_INJECT,
    KEY_UNIT,
    KEY_BATCH,
    KEY_INSTALLMENT,
    KEY_LEVELS,
    KEY_RESERVE,
    KEY_GDB,
    KEY_HALT,
    KEY_BOARD,
    KEY_PORT,
    KEY_DAMAGE,
    KEY_LOSE,
    KEY_SEED,
    KEY_ALLOW_MIXED,
    KEY_BOOT,
    KEY_VERBOSE,
    KEY_FORCE,
    KEY_AS_IS
};

static const struct argp_option descriptions[] = {
    {"kernel", KEY_KERNEL, "NAME", 0,
     "What to compute; see `quincunx kernels' (required)", 1},
    {"arg", KEY_ARG, "ARG", 0, "The kernel's argument, taken literally", 1},
    {"arg-hex", KEY_ARG_HEX, "HEX", 0,
     "The same in hexadecimal, for bytes that a shell cannot pass", 1},
    {"as-is", KEY_AS_IS, NULL, 0,
     "Take the bytes of compressed files as they are: .gz, .bz2, .xz, .zst, "
     ".zip and such are else decompressed, a sound file is else its samples",
     1},
    {"plan-profile", KEY_PLAN_PROFILE, "NAME|FILE", 0,
     "What the plan assumes that circuits cost, such as a file of `quincunx "
     "calibrate' (default: the costs of --profile)",
     1},
    {"rounds", KEY_ROUNDS, "R|auto", 0,
     "Rounds in which the load goes out: 1 to 16, or auto (default), the best "
     "number",
     1},
    {"installment", KEY_INSTALLMENT, "K", 0,
     "For a farm: a worker that asks gets its part, by its speed, of the K-th "
     "part of what is left: 1 to 250 (default: " INSTALLMENTS " where the "
     "transfer is dear)",
     1},
    {"levels", KEY_LEVELS, "1|2|auto", 0,
     "For a farm: the originator serves all workers (1), or masters "
     "that serve those near them (2); auto (default): 2 from 100 nodes on, "
     "without an output",
     1},
    {"reserve", KEY_RESERVE, "PERCENT", 0,
     "For a hybrid: so much of the load is given to who asks, behind "
     "the planned rounds: 1 to 90 (default: by how much measured pieces "
     "varied)",
     1},
    {"phases", KEY_PHASES, "N", 0,
     "Use exactly N phases (default: as many as shorten the makespan)", 1},
    {"ports", KEY_PORTS, "P", 0,
     "Ports that a node uses at once: 1, 2 or 4 (default)", 1},
    {"switching", KEY_SWITCHING, "HOW", 0,
     "circuit (default) or store-and-forward", 1},
    {"unit", KEY_UNIT, "BYTES", 0,
     "The smallest piece of the load that is not cut further (default 1)", 1},
    {"batch", KEY_BATCH, "UNITS", 0,
     "Units of the load that go at once, the rest in further batches (default: "
     "as many as a node's memory takes)",
     1},
    {"slow", KEY_SLOW, "X,Y=F", 0,
     "Node X,Y is F times slower: 1, 2, 4 or 8; may be repeated", 1},
    {"inject", KEY_INJECT, "KIND@X,Y[@TIME]", 0,
     "For tests: node X,Y is slower than the plan takes it to be (slow2, slow4 "
     "or slow8 times), from TIME after the order on; or it takes a fault, "
     "hangs, dies or fails an assertion in the job (fault, hang, die, assert); "
     "may be repeated",
     3},
    {"allow-mixed", KEY_ALLOW_MIXED, NULL, 0,
     "With --port, run also if a node has another image than the originator, "
     "or is not at full speed by its crystal",
     3},
    {"gdb", KEY_GDB, "DIR", OPTION_ARG_OPTIONAL,
     "A socket DIR/X-Y for each board, for `make gdb NODE=X,Y', and no "
     "watchdog (default DIR: gdb beside this program)",
     3},
    {"halt", KEY_HALT, "X,Y", 0,
     "With --gdb: node X,Y halts before its first instruction, and so the job "
     "waits, until a debugger lets it go on; may be repeated",
     3},
    {0}};

/* Options of every command that starts a mesh. */
static const struct argp_option mesh_descriptions[] = {
    {"mesh", KEY_MESH, "WxH", 0,
     "Size of the torus: 1x1 to 125x125; stm32f405: to 31x31 (required)", 1},
    {"profile", KEY_PROFILE, "NAME|FILE", 0,
     "What a circuit costs: t3d, lvds (default), uart, emulated (next to "
     "nothing), or a file",
     1},
    {"originator", KEY_ORIGINATOR, "X,Y[=FILE]", 0,
     "Node that talks to the host, and of a job holds the load (default 0,0); "
     "of `run' and `compare' also several times, each with a load of its own "
     "in place of INPUT",
     1},
    {"on", KEY_ON, "qemu|native", 0,
     "Where nodes run: one QEMU process each (default), or all in this process",
     1},
    {"board", KEY_BOARD, "NAME", 0,
     "Kind of board: mps2-an385 (default) or mps2-an386, whose switch is "
     "emulated with all its times, or stm32f405, wired UART to UART",
     1},
    {"port", KEY_PORT, "TTY", 0,
     "Serial port of the originator's console: a mesh of real boards, or of "
     "`quincunx boards'; of several originators also once for each, in their "
     "order (else all loads go through the first)",
     1},
    {"damage", KEY_DAMAGE, "P/Q", 0,
     "Change bytes on the emulated links of stm32f405 with this probability",
     3},
    {"lose", KEY_LOSE, "P/Q", 0,
     "Lose bytes on these links with this probability", 3},
    {"seed", KEY_SEED, "N", 0,
     "Chooses the bytes that are changed or lost (default 1)", 3},
    {"firmware", KEY_FIRMWARE, "FILE", 0,
     "Image for the boards (default: beside this program)", 3},
    {"watchdog", KEY_WATCHDOG, "SECONDS", 0,
     "Give up when boards make no progress for this time; with serial ports, "
     "when "
     "one batch takes longer (default 120)",
     3},
    {"map", KEY_MAP, "HOW", 0,
     "With mpirun, how nodes are shared out to ranks: cores (default), by the "
     "cores of each; even; rows, by cores but whole rows",
     3},
    {"boot", KEY_BOOT, "fork|exec", 0,
     "How boards of mps2-an385 start: as forks of one QEMU (default, where it "
     "can), or each by itself; their times are the same",
     3},
    {"verbose", KEY_VERBOSE, NULL, 0,
     "Say on stderr how boards start, and why so; `run' prints all lines of "
     "its summary",
     3},
    {"force", KEY_FORCE, NULL, 0,
     "Start the nodes also if they need more memory than there is", 3},
    {0}};

/* ---- the mesh that --on, --board and --port mean ---- */

const struct mesh_ops *job_options_mesh_of(const struct board_kind *board)
{
    return board->circuits == BOARD_SERIAL ? &serial_job_qemu
                                           : &fabric_job_qemu;
}

/* Sets config.mesh and config.board by the options given so far. */
static void choose_mesh(struct job_options *options)
{
    struct job_config *config = &options->config;

    if (options->board_text == NULL) {
        config->board =
            board_default(config->port != NULL ? BOARD_SERIAL : BOARD_WINDOW);
    }
    config->mesh = job_options_mesh_of(config->board);
    if (config->port != NULL) {
        config->mesh = &serial_job_port;
    } else if (options->native && config->mesh->has_fabric) {
        config->mesh = &fabric_job_native;
    }
}

/* ---- single options; each returns 0 or EINVAL after a message ---- */

static int set_kernel(struct job_options *options, const char *name)
{
    struct edits_nearest nearest = {.word = name};

    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, name) == 0) {
            options->config.kernel = kernel_table[i];
            return 0;
        }
        edits_offer(&nearest, kernel_table[i]->name);
    }
    fprintf(stderr,
            "quincunx: --kernel '%s': must be one of:", quote_shown(name));
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        fprintf(stderr, " %s", kernel_table[i]->name);
    }
    if (nearest.name != NULL) {
        fprintf(stderr, "; did you mean '%s'?", nearest.name);
    }
    fputc('\n', stderr);
    return EINVAL;
}

static int set_board(struct job_options *options, const char *text)
{
    const struct board_kind *board = board_named(text);

    if (board != NULL) {
        options->board_text = text;
        options->config.board = board;
        choose_mesh(options);
        return 0;
    }
    fprintf(stderr,
            "quincunx: --board '%s': must be one of:", quote_shown(text));
    for (size_t i = 0; board_at(i) != NULL; ++i) {
        fprintf(stderr, " %s", board_at(i)->place.board);
    }
    fputc('\n', stderr);
    return EINVAL;
}

static int set_arg(struct job_options *options, const char *text)
{
    size_t bytes = strlen(text);

    if (bytes > JOB_OPTIONS_ARG_MAX) {
        fprintf(stderr, "quincunx: --arg: %zu bytes; at most %u are allowed\n",
                bytes, JOB_OPTIONS_ARG_MAX);
        return EINVAL;
    }
    memcpy(options->arg, text, bytes);
    options->arg_bytes = (uint32_t)bytes;
    return 0;
}

static int set_arg_hex(struct job_options *options, const char *text)
{
    size_t digits = strlen(text);

    if (digits % 2 != 0 || digits / 2 > JOB_OPTIONS_ARG_MAX ||
        strspn(text, "0123456789abcdefABCDEF") != digits) {
        return parse_report(
            "--arg-hex", text,
            "must be pairs of hexadecimal digits, at most 4095");
    }
    for (size_t i = 0; i < digits / 2; ++i) {
        unsigned byte = 0;

        sscanf(text + 2 * i, "%2x", &byte);
        options->arg[i] = (uint8_t)byte;
    }
    options->arg[digits / 2] = 0;
    options->arg_bytes = (uint32_t)(digits / 2);
    return 0;
}

static int set_plan_profile(struct job_options *options, const char *name)
{
    options->config.plan_profile = &options->plan_profile;
    return profile_option_load(&options->plan_profile, "--plan-profile", name);
}

static int set_rounds(struct job_options *options, const char *text)
{
    uint64_t rounds = 0;
    bool best = strcmp(text, "auto") == 0;
    const char *allowed = best ? NULL : parse_count(text, &rounds);

    if (!best && (allowed != NULL || rounds == 0 || rounds > ROUNDS_MAX)) {
        allowed = "must be 1 to 16, or auto";
    }
    options->config.rounds = best ? WIRE_BEST : (uint8_t)rounds;
    return parse_report("--rounds", text, allowed);
}

static int set_installment(struct job_options *options, const char *text)
{
    uint64_t installment = 0;
    const char *allowed = parse_count(text, &installment);

    if (allowed != NULL || installment == 0 || installment > INSTALLMENT_MAX) {
        allowed = "must be 1 to 250";
    }
    options->config.installment = (uint8_t)installment;
    return parse_report("--installment", text, allowed);
}

static int set_levels(struct job_options *options, const char *text)
{
    bool number =
        text[0] != '\0' && text[1] == '\0' && strchr("12", text[0]) != NULL;
    bool fine = number || strcmp(text, "auto") == 0;

    options->config.levels = (uint8_t)(number ? text[0] - '0' : 0);
    return parse_report("--levels", text, fine ? NULL : "must be 1, 2 or auto");
}

static int set_reserve(struct job_options *options, const char *text)
{
    uint64_t percent = 0;
    const char *allowed = parse_count(text, &percent);

    if (allowed != NULL || percent == 0 || percent > WIRE_RESERVE_MAX) {
        allowed = "must be 1 to 90, the percentage of the load";
    }
    options->config.reserve = (uint8_t)percent;
    return parse_report("--reserve", text, allowed);
}

static int set_phases(struct job_options *options, const char *text)
{
    uint64_t phases = 0;
    const char *allowed = parse_count(text, &phases);

    if (allowed != NULL || phases > TORUS_PHASES_MAX) {
        allowed = "must be 0 to 10";
    }
    options->config.phases = (uint8_t)phases;
    options->phases_given = true;
    return parse_report("--phases", text, allowed);
}

static int set_ports(struct job_options *options, const char *text)
{
    bool fine =
        text[0] != '\0' && text[1] == '\0' && strchr("124", text[0]) != NULL;

    options->config.ports = (uint8_t)(text[0] - '0');
    return parse_report("--ports", text, fine ? NULL : "must be 1, 2 or 4");
}

static int set_switching(struct job_options *options, const char *text)
{
    bool stored = strcmp(text, "store-and-forward") == 0;

    options->config.store_and_forward = stored;
    return parse_report("--switching", text,
                        stored || strcmp(text, "circuit") == 0
                            ? NULL
                            : "must be circuit or store-and-forward");
}

static int add_halt(struct job_options *options, const char *text)
{
    struct gdb_halts *halts = &options->config.halts;

    if (halts->count == GDB_HALTS_MAX) {
        return parse_report("--halt", text, "may be given 32 times");
    }
    return parse_report("--halt", text,
                        parse_coord(text, &halts->at[halts->count++]));
}

static int set_slow(struct job_options *options, const char *text)
{
    static const char *const factors[] = {"=1", "=2", "=4", "=8"};
    const char *equals = strchr(text, '=');
    struct job_options_slow *slow = &options->slow[options->slow_count];
    char where[32];

    if (options->slow_count == JOB_OPTIONS_SLOW_MAX) {
        return parse_report("--slow", text, "may be given 1024 times");
    }
    if (equals != NULL && equals - text < (ptrdiff_t)sizeof where) {
        memcpy(where, text, (size_t)(equals - text));
        where[equals - text] = '\0';
        for (uint8_t shift = 0; shift < 4; ++shift) {
            if (strcmp(equals, factors[shift]) == 0 &&
                parse_coord(where, &slow->at) == NULL) {
                slow->shift = shift;
                options->slow_count += 1;
                return 0;
            }
        }
    }
    return parse_report("--slow", text, "must be X,Y=F with F 1, 2, 4 or 8");
}

int job_options_set_on(struct job_options *options, const char *text)
{
    options->native = strcmp(text, "native") == 0;
    choose_mesh(options);
    return parse_report("--on", text,
                        options->native || strcmp(text, "qemu") == 0
                            ? NULL
                            : "must be qemu or native");
}

static int set_boot(struct job_options *options, const char *text)
{
    options->boot_text = text;
    options->config.one_by_one = strcmp(text, "exec") == 0;
    return parse_report("--boot", text,
                        options->config.one_by_one || strcmp(text, "fork") == 0
                            ? NULL
                            : "must be fork or exec");
}

static int set_map(struct job_options *options, const char *text)
{
    int map = share_map_of(text);

    options->config.map = map < 0 ? SHARE_CORES : (enum share_map)map;
    return parse_report("--map", text,
                        map < 0 ? "must be cores, even or rows" : NULL);
}

static int set_unit(struct job_options *options, const char *text)
{
    uint64_t bytes = 0;
    const char *allowed = parse_size(text, &bytes);

    if (allowed != NULL || bytes == 0 || bytes > UINT16_MAX) {
        allowed = "must be 1 to 65535 bytes";
    }
    options->unit_bytes = (uint32_t)bytes;
    return parse_report("--unit", text, allowed);
}

static int set_batch(struct job_options *options, const char *text)
{
    uint64_t units = 0;
    const char *allowed = parse_size(text, &units);

    if (allowed != NULL || units == 0 || units > UINT32_MAX) {
        allowed = "must be 1 to 4294967295 units";
    }
    options->config.batch_units = (uint32_t)units;
    return parse_report("--batch", text, allowed);
}

/* Result: NULL, with the seconds; or what is allowed. */
static const char *read_watchdog(unsigned *watchdog_s, const char *text)
{
    uint64_t seconds = 0;

    if (parse_count(text, &seconds) != NULL || seconds == 0 ||
        seconds > WATCHDOG_MAX_S) {
        return "must be 1 to 86400 seconds";
    }
    *watchdog_s = (unsigned)seconds;
    return NULL;
}

static int set_watchdog(struct job_options *options, const char *text)
{
    return parse_report("--watchdog", text,
                        read_watchdog(&options->config.watchdog_s, text));
}

unsigned job_options_watchdog(int argc, char **argv)
{
    static const char name[] = "--watchdog";
    unsigned watchdog_s = WATCHDOG_S;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        size_t length = strcspn(argv[i], "=");
        const char *text =
            argv[i][length] == '=' ? argv[i] + length + 1 : argv[i + 1];

        /* Of a word that begins it, as of the whole one. */
        if (length > 2 && length < sizeof name && text != NULL &&
            strncmp(argv[i], name, length) == 0) {
            (void)read_watchdog(&watchdog_s, text);
        }
    }
    return watchdog_s;
}

static void add_input(struct job_options *options, const char *text)
{
    options->input = memory_or_exit(realloc(
        options->input, (options->inputs + 1u) * sizeof *options->input));
    options->input[options->inputs] = text;
    options->inputs += 1;
    options->config.input_name = options->input[0];
}

static int set_mesh(struct job_options *options, const char *text)
{
    options->mesh_text = text;
    return parse_report("--mesh", text,
                        parse_mesh(text, &options->config.size));
}

/* One console, or one of each originator. */
static void add_port(struct job_options *options, const char *text)
{
    uint32_t count = options->port_count + 1u;

    options->port =
        memory_or_exit(realloc(options->port, count * sizeof *options->port));
    options->port[options->port_count] = text;
    options->port_count = count;
    options->config.port = options->port[0];
    options->config.other_consoles = count > 1 ? options->port + 1 : NULL;
    choose_mesh(options);
}

static error_t parse_mesh_option(int key, char *text, struct argp_state *state)
{
    struct job_options *options = state->input;

    switch (key) {
    case KEY_MESH:
        return set_mesh(options, text);
    case KEY_PROFILE:
        return profile_option_load(&options->config.profile, "--profile", text);
    case KEY_ORIGINATOR:
        return originators_options_add(&options->originators,
                                       &options->config.originator, text);
    case KEY_ON:
        return job_options_set_on(options, text);
    case KEY_BOARD:
        return set_board(options, text);
    case KEY_PORT:
        add_port(options, text);
        return 0;
    case KEY_DAMAGE:
        return noise_set(&options->config.noise.damage, "--damage", text);
    case KEY_LOSE:
        return noise_set(&options->config.noise.loss, "--lose", text);
    case KEY_SEED:
        return parse_report("--seed", text,
                            parse_count(text, &options->config.noise.seed));
    case KEY_FIRMWARE:
        snprintf(options->firmware, sizeof options->firmware, "%s", text);
        return 0;
    case KEY_WATCHDOG:
        return set_watchdog(options, text);
    case KEY_MAP:
        return set_map(options, text);
    case KEY_BOOT:
        return set_boot(options, text);
    case KEY_VERBOSE:
        options->config.verbose = true;
        return 0;
    case KEY_FORCE:
        options->force = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_job_option(int key, char *text, struct argp_state *state)
{
    struct job_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case KEY_KERNEL:
        return set_kernel(options, text);
    case KEY_ARG:
        return set_arg(options, text);
    case KEY_ARG_HEX:
        return set_arg_hex(options, text);
    case KEY_PLAN_PROFILE:
        return set_plan_profile(options, text);
    case KEY_ROUNDS:
        return set_rounds(options, text);
    case KEY_INSTALLMENT:
        return set_installment(options, text);
    case KEY_LEVELS:
        return set_levels(options, text);
    case KEY_RESERVE:
        return set_reserve(options, text);
    case KEY_PHASES:
        return set_phases(options, text);
    case KEY_PORTS:
        return set_ports(options, text);
    case KEY_SWITCHING:
        return set_switching(options, text);
    case KEY_SLOW:
        return set_slow(options, text);
    case KEY_INJECT:
        return inject_options_add(&options->inject, text);
    case KEY_UNIT:
        return set_unit(options, text);
    case KEY_BATCH:
        return set_batch(options, text);
    case KEY_AS_IS:
        options->config.load.as_is = true;
        return 0;
    case KEY_ALLOW_MIXED:
        options->config.allow_mixed = true;
        return 0;
    case KEY_GDB:
        options->config.gdb = true;
        options->config.gdb_dir = text;
        return 0;
    case KEY_HALT:
        return add_halt(options, text);
    case ARGP_KEY_ARG:
        add_input(options, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child progress_child[] = {
    {&progress_options_argp, 0, NULL, 0}, {0}};

const struct argp job_options_mesh_argp = {mesh_descriptions,
                                           parse_mesh_option,
                                           NULL,
                                           NULL,
                                           progress_child,
                                           NULL,
                                           NULL};

static const struct argp_child mesh_child[] = {
    {&job_options_mesh_argp, 0, NULL, 0}, {0}};

const struct argp job_options_argp = {
    descriptions, parse_job_option, "INPUT...", NULL, mesh_child, NULL, NULL};

/* Is among the profiles that are known by their name. */
static void take_default_profile(struct profile *profile)
{
    if (profile_option_load(profile, "--profile", PROFILE_DEFAULT) != 0) {
        abort();
    }
}

void job_options_init(struct job_options *options, const char *command)
{
    *options = (struct job_options){.command = command};
    options->config.phases = WIRE_BEST;
    options->config.rounds = WIRE_BEST;
    options->config.ports = TORUS_PORTS;
    options->config.load.notes = &options->notes;
    choose_mesh(options);
    options->config.watchdog_s = WATCHDOG_S;
    options->config.noise = noise_none();
    take_default_profile(&options->config.profile);
}

/* ---- the options together ---- */

static int print_missing(const struct job_options *options, const char *what)
{
    fprintf(stderr, "quincunx: %s: %s is required; see --help\n",
            options->command, what);
    return EXIT_USAGE;
}

/* Names all that is missing where --mesh or --kernel is. */
static int print_all_missing(const struct job_options *options)
{
    const struct job_config *config = &options->config;
    const char *missing[3];
    unsigned count = 0;
    char text[64] = "";

    if (options->mesh_text == NULL) {
        missing[count++] = "--mesh WxH";
    }
    if (config->kernel == NULL) {
        missing[count++] = "--kernel NAME";
    }
    if (options->inputs == 0 && options->originators.count == 0 &&
        (config->kernel == NULL ||
         format_of(config->kernel->name)->input != NULL)) {
        missing[count++] = "INPUT";
    }
    if (count == 1) {
        return print_missing(options, missing[0]);
    }
    for (unsigned i = 0; i < count; ++i) {
        strcat(text, i == 0 ? "" : i + 1 < count ? ", " : " and ");
        strcat(text, missing[i]);
    }
    fprintf(stderr, "quincunx: %s: %s are required; see --help\n",
            options->command, text);
    return EXIT_USAGE;
}

/* Refuses what cannot be on several ranks. */
static int check_ranks(const struct job_config *config)
{
    if (ranks_count() > 1 && (!config->mesh->has_fabric || config->gdb)) {
        fprintf(stderr,
                "quincunx: %s: must not be given on several ranks: "
                "start it without mpirun\n",
                config->gdb ? "--gdb" : "--board stm32f405, --port");
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses options that are for another mesh than the one chosen. */
static int check_mesh(const struct job_options *options)
{
    const struct job_config *config = &options->config;

    if (!config->mesh->has_fabric &&
        (options->native || config->ports != TORUS_PORTS ||
         config->store_and_forward || options->slow_count > 0 || config->gdb ||
         options->inject.count > 0)) {
        fprintf(stderr, "quincunx: --board stm32f405: must not be given with "
                        "--on, --ports, --switching, --slow, --inject or "
                        "--gdb: they are for mps2-an385 (`quincunx boards' has "
                        "a --gdb)\n");
        return EXIT_USAGE;
    }
    if (!config->mesh->has_fabric && config->originators == 0 &&
        config->schedule != SCHEDULE_PETERS_SYSKA &&
        config->schedule != SCHEDULE_FARM) {
        fprintf(stderr,
                "quincunx: --schedule %s: must be peters-syska or farm with "
                "--board stm32f405\n",
                schedule_name(config->schedule));
        return EXIT_USAGE;
    }
    if (config->port != NULL && config->board->circuits != BOARD_SERIAL) {
        fprintf(stderr,
                "quincunx: --port: its boards are of stm32f405, not --board "
                "%s\n",
                options->board_text);
        return EXIT_USAGE;
    }
    if (options->port_count > 1 && options->port_count != config->originators) {
        fprintf(stderr,
                "quincunx: --port '%s': is number %u; must be given once, or "
                "once for each of several originators\n",
                quote_shown(options->port[options->port_count - 1u]),
                options->port_count);
        return EXIT_USAGE;
    }
    if (noise_any(&config->noise) && !config->mesh->has_cables) {
        fprintf(stderr, "quincunx: --damage, --lose: are for the emulated "
                        "links of --board stm32f405\n");
        return EXIT_USAGE;
    }
    if (options->boot_text != NULL &&
        !(config->mesh->has_fabric && config->mesh->has_images)) {
        fprintf(stderr,
                "quincunx: --boot %s: is for emulated boards of "
                "mps2-an385\n",
                options->boot_text);
        return EXIT_USAGE;
    }
    if (options->boot_text != NULL && !config->one_by_one && config->gdb) {
        fprintf(stderr, "quincunx: --boot fork: must not be given with --gdb: "
                        "such boards start one by one\n");
        return EXIT_USAGE;
    }
    return check_ranks(config);
}

int job_options_check_mesh(const struct job_options *options)
{
    const struct job_config *config = &options->config;
    unsigned side_max = config->mesh->side_max;
    int status = check_mesh(options);

    if (status != 0) {
        return status;
    }
    if (options->mesh_text == NULL) {
        return print_missing(options, "--mesh WxH");
    }
    if (config->size.width > side_max || config->size.height > side_max) {
        parse_report("--mesh", options->mesh_text,
                     side_max < SCHEDULE_SIDE_MAX
                         ? "must be 1x1 to 31x31 on boards with serial ports"
                         : "must be 1x1 to 125x125");
        return EXIT_USAGE;
    }
    if (config->originator.x >= config->size.width ||
        config->originator.y >= config->size.height) {
        parse_report_outside("--originator", config->originator, config->size);
        return EXIT_USAGE;
    }
    if (options->phases_given && torus_phases(config->size) >= 0 &&
        config->phases > torus_phases(config->size)) {
        fprintf(stderr,
                "quincunx: --phases %u: at most %d phases are feasible on a "
                "%ux%u torus\n",
                config->phases, torus_phases(config->size), config->size.width,
                config->size.height);
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses --installment without a farm, and --rounds with one. */
static int check_farm(const struct job_options *options)
{
    const struct job_config *config = &options->config;
    bool farm = config->schedule == SCHEDULE_FARM;

    if (!farm && !options->all_schedules && config->installment != 0) {
        fprintf(stderr,
                "quincunx: --installment %u: is for --schedule farm, not %s\n",
                config->installment, schedule_name(config->schedule));
        return EXIT_USAGE;
    }
    if (!farm && !options->all_schedules && config->levels != 0) {
        fprintf(stderr,
                "quincunx: --levels %u: is for --schedule farm, not %s\n",
                config->levels, schedule_name(config->schedule));
        return EXIT_USAGE;
    }
    if (config->levels == 2 && !job_policy_has_masters(config)) {
        fprintf(stderr, "quincunx: --levels 2: must be 1 or auto with several "
                        "--originator, --board stm32f405 or --port\n");
        return EXIT_USAGE;
    }
    if (farm && config->rounds != 1 && config->rounds != WIRE_BEST) {
        fprintf(stderr,
                "quincunx: --rounds %u: must be 1 or auto with --schedule "
                "farm, whose workers ask; see --installment\n",
                config->rounds);
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses --reserve where nothing is reserved, and rounds with a reserve that
   are not the pattern's. */
static int check_reserve(const struct job_options *options)
{
    const struct job_config *config = &options->config;

    if (config->reserve != 0 && !options->all_schedules &&
        config->schedule != SCHEDULE_HYBRID) {
        fprintf(stderr,
                "quincunx: --reserve %u: is for --schedule hybrid, not %s\n",
                config->reserve, schedule_name(config->schedule));
        return EXIT_USAGE;
    }
    if (!job_policy_has(config)) {
        fprintf(stderr,
                "quincunx: --schedule hybrid: is for a torus of 5^k x 5^k with "
                "four ports, circuits and no --slow; else take farm\n");
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses --phases and --rounds that the job's policy or schedule does not
   have. */
static int check_policy(const struct job_options *options)
{
    const struct job_config *config = &options->config;
    const struct job_policy *policy = job_policy(config);

    if (options->phases_given && !policy->counts_phases) {
        fprintf(stderr,
                "quincunx: --phases %u: is for peters-syska on a torus "
                "of 5^k x 5^k with four ports, circuits and no --slow\n",
                config->phases);
        return EXIT_USAGE;
    }
    if (config->rounds != 1 && config->rounds != WIRE_BEST &&
        schedule_is_equal(config->schedule)) {
        fprintf(stderr,
                "quincunx: --rounds %u: must be 1 or auto with --schedule %s, "
                "whose shares are equal\n",
                config->rounds, schedule_name(config->schedule));
        return EXIT_USAGE;
    }
    return check_farm(options) == 0 ? check_reserve(options) : EXIT_USAGE;
}

/* Makes the table of all nodes' slowdowns from --slow. */
static int set_slow_shifts(struct job_options *options)
{
    struct torus_size size = options->config.size;

    if (options->slow_count == 0) {
        return 0;
    }
    options->slow_shift = calloc(torus_nodes(size), 1);
    if (options->slow_shift == NULL) {
        perror("quincunx");
        return EXIT_FAILED;
    }
    for (unsigned i = 0; i < options->slow_count; ++i) {
        const struct job_options_slow *slow = &options->slow[i];

        if (slow->at.x >= size.width || slow->at.y >= size.height) {
            parse_report_outside("--slow", slow->at, size);
            return EXIT_USAGE;
        }
        options->slow_shift[torus_index(size, slow->at)] = slow->shift;
    }
    options->config.slow_shift = options->slow_shift;
    return 0;
}

/* The kernel's argument, forgotten before it, may be what came first. */
static int refuse_second(const struct job_options *options)
{
    const char *first = options->input[0];

    fprintf(stderr, "quincunx: '%s': kernel %s takes one INPUT",
            quote_shown(options->input[1]), options->config.kernel->name);
    if (options->arg_bytes == 0 && access(first, F_OK) != 0) {
        fprintf(stderr, "; '%s' is no file: is --arg '%s' meant?",
                quote_shown(first), quote_shown(first));
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
}

/* Of several INPUTs the first may be the argument, too. */
static int refuse_argument(const char *first)
{
    fprintf(stderr, "quincunx: '%s': is no file; is --arg '%s' meant?\n",
            quote_shown(first), quote_shown(first));
    return EXIT_USAGE;
}

/* Checks that the kernel takes several INPUTs, and makes one name of theirs. */
static int check_several(struct job_options *options)
{
    unsigned standard = 0;

    if (options->inputs < 2) {
        return 0;
    }
    if (format_of(options->config.kernel->name)->read_several == NULL) {
        return refuse_second(options);
    }
    if (options->arg_bytes == 0 && access(options->input[0], F_OK) != 0) {
        return refuse_argument(options->input[0]);
    }
    for (uint32_t i = 0; i < options->inputs; ++i) {
        standard += strcmp(options->input[i], "-") == 0;
    }
    if (standard > 1) {
        fputs("quincunx: '-': standard input can be one INPUT only\n", stderr);
        return EXIT_USAGE;
    }
    if (options->unit_bytes > 1) {
        fprintf(stderr,
                "quincunx: --unit %u: must be 1 with several INPUTs, which may "
                "end anywhere\n",
                options->unit_bytes);
        return EXIT_USAGE;
    }
    if (asprintf(&options->input_names, "%s and %" PRIu32 " more",
                 strcmp(options->input[0], "-") == 0
                     ? file_name(options->input[0])
                     : options->input[0],
                 options->inputs - 1) < 0) {
        options->input_names = NULL;
        return EXIT_FAILED;
    }
    options->config.input_name = options->input_names;
    return 0;
}

/* Checks INPUT, or the originators' files, with the kernel and the mesh. */
static int check_input(struct job_options *options)
{
    struct job_config *config = &options->config;
    int status;

    if (options->originators.count > 1 && !options->schedule_given) {
        config->schedule = SCHEDULE_STAR;
    }
    status = originators_options_check(&options->originators, config);
    if (status != 0) {
        return status;
    }
    if (config->input_name != NULL && options->inputs == 0 &&
        config->originators == 0) {
        add_input(options, config->input_name);
    }
    if (config->input_name == NULL &&
        format_of(config->kernel->name)->input != NULL) {
        return print_missing(options, "INPUT");
    }
    if (config->input_name != NULL &&
        format_of(config->kernel->name)->input == NULL) {
        fprintf(stderr,
                "quincunx: %s: '%s': kernel %s takes no INPUT; its argument "
                "says all\n",
                options->command, quote_shown(config->input_name),
                config->kernel->name);
        return EXIT_USAGE;
    }
    return check_several(options);
}

static int check_debuggers(const struct job_options *options)
{
    const struct job_config *config = &options->config;

    if (config->gdb && options->native) {
        fprintf(stderr, "quincunx: --gdb: is for boards; native nodes share "
                        "one process\n");
        return EXIT_USAGE;
    }
    if (config->halts.count > 0 && !config->gdb) {
        fprintf(stderr, "quincunx: --halt: needs --gdb, for the debugger that "
                        "lets the node go on\n");
        return EXIT_USAGE;
    }
    for (unsigned i = 0; i < config->halts.count; ++i) {
        if (parse_report_outside("--halt", config->halts.at[i], config->size) !=
            0) {
            return EXIT_USAGE;
        }
    }
    return 0;
}

int job_options_check(struct job_options *options)
{
    const struct job_config *config = &options->config;
    int status;

    if (options->mesh_text == NULL || config->kernel == NULL) {
        return print_all_missing(options);
    }
    status = check_debuggers(options);
    if (status == 0) {
        status = check_input(options);
    }
    if (status == 0) {
        status = job_options_check_mesh(options);
    }
    if (status == 0) {
        status = set_slow_shifts(options);
    }
    if (status == 0) {
        options->config.injections = (struct injections){
            options->inject.injection, options->inject.count};
        status = inject_options_check(&options->inject, config);
    }
    return status == 0 ? check_policy(options) : status;
}

void job_options_free(struct job_options *options)
{
    free(options->slow_shift);
    free(options->port);
    free(options->input);
    free(options->input_names);
    format_free(&options->config.load);
    format_notes_free(&options->notes);
    originators_options_free(&options->originators);
}
