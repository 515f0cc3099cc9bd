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

/* ---- the mesh that --on, --board and --port mean ---- */

const struct mesh_ops *job_options_mesh_of(const struct board_kind *board)
{
    return board->circuits == BOARD_SERIAL ? &serial_job_qemu
                                           : &fabric_job_qemu;
}

/* Sets the request's mesh and board by the options given so far. */
static void choose_mesh(struct job_options *options)
{
    struct request *request = &options->request;

    if (options->board_text == NULL) {
        request->board =
            board_default(request->port != NULL ? BOARD_SERIAL : BOARD_WINDOW);
    }
    request->mesh = job_options_mesh_of(request->board);
    if (request->port != NULL) {
        request->mesh = &serial_job_port;
    } else if (options->native && request->mesh->has_fabric) {
        request->mesh = &fabric_job_native;
    }
}

/* ---- single options; each returns 0 or EINVAL after a message ---- */

static int set_kernel(void *own, const char *name)
{
    struct job_options *options = own;
    struct edits_nearest nearest = {.word = name};

    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, name) == 0) {
            options->request.kernel = kernel_table[i];
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

static int set_board(void *own, const char *text)
{
    struct job_options *options = own;
    const struct board_kind *board = board_named(text);

    if (board != NULL) {
        options->board_text = text;
        options->request.board = board;
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

static int set_arg(void *own, const char *text)
{
    struct job_options *options = own;
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

static int set_arg_hex(void *own, const char *text)
{
    struct job_options *options = own;
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

static int set_plan_profile(void *own, const char *name)
{
    struct job_options *options = own;

    options->request.plan_profile = &options->plan_profile;
    return profile_option_load(&options->plan_profile, "--plan-profile", name);
}

static int set_ports(void *own, const char *text)
{
    struct job_options *options = own;
    bool fine =
        text[0] != '\0' && text[1] == '\0' && strchr("124", text[0]) != NULL;

    options->request.ports = (uint8_t)(text[0] - '0');
    return parse_report("--ports", text, fine ? NULL : "must be 1, 2 or 4");
}

static int add_halt(void *own, const char *text)
{
    struct job_options *options = own;
    struct gdb_halts *halts = &options->request.halts;

    if (halts->count == GDB_HALTS_MAX) {
        return parse_report("--halt", text, "may be given 32 times");
    }
    return parse_report("--halt", text,
                        parse_coord(text, &halts->at[halts->count++]));
}

static int set_slow(void *own, const char *text)
{
    struct job_options *options = own;
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

static int set_on(void *own, const char *text)
{
    struct job_options *options = own;

    options->native = strcmp(text, "native") == 0;
    choose_mesh(options);
    return parse_report("--on", text,
                        options->native || strcmp(text, "qemu") == 0
                            ? NULL
                            : "must be qemu or native");
}

static int set_boot(void *own, const char *text)
{
    struct job_options *options = own;

    options->boot_text = text;
    options->request.one_by_one = strcmp(text, "exec") == 0;
    return parse_report("--boot", text,
                        options->request.one_by_one || strcmp(text, "fork") == 0
                            ? NULL
                            : "must be fork or exec");
}

static int set_map(void *own, const char *text)
{
    struct job_options *options = own;
    int map = share_map_of(text);

    options->request.map = map < 0 ? SHARE_CORES : (enum share_map)map;
    return parse_report("--map", text,
                        map < 0 ? "must be cores, even or rows" : NULL);
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

static int set_watchdog(void *own, const char *text)
{
    struct job_options *options = own;

    return parse_report("--watchdog", text,
                        read_watchdog(&options->request.watchdog_s, text));
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
    options->one.input_name = options->input[0];
}

int job_options_add_input(void *options, const char *text)
{
    add_input(options, text);
    return 0;
}

static int set_mesh(void *own, const char *text)
{
    struct job_options *options = own;

    options->mesh_text = text;
    return parse_report("--mesh", text,
                        parse_mesh(text, &options->request.size));
}

/* One console, or one of each originator. */
static int add_port(void *own, const char *text)
{
    struct job_options *options = own;
    uint32_t count = options->port_count + 1u;

    options->port =
        memory_or_exit(realloc(options->port, count * sizeof *options->port));
    options->port[options->port_count] = text;
    options->port_count = count;
    options->request.port = options->port[0];
    options->request.other_consoles = count > 1 ? options->port + 1 : NULL;
    choose_mesh(options);
    return 0;
}

static int add_injection(void *own, const char *text)
{
    struct job_options *options = own;

    return inject_options_add(&options->inject, text);
}

static int set_gdb(void *own, const char *text)
{
    struct job_options *options = own;

    options->request.gdb = true;
    options->request.gdb_dir = text;
    return 0;
}

static int set_profile(void *own, const char *text)
{
    struct job_options *options = own;

    return profile_option_load(&options->request.profile, "--profile", text);
}

static int add_originator(void *own, const char *text)
{
    struct job_options *options = own;

    return originators_options_add(&options->originators, &options->one.at,
                                   text);
}

static int set_damage(void *own, const char *text)
{
    struct job_options *options = own;

    return noise_set(&options->request.noise.damage, "--damage", text);
}

static int set_loss(void *own, const char *text)
{
    struct job_options *options = own;

    return noise_set(&options->request.noise.loss, "--lose", text);
}

static int set_firmware(void *own, const char *text)
{
    struct job_options *options = own;

    snprintf(options->firmware, sizeof options->firmware, "%s", text);
    return 0;
}

/* ---- the rows ---- */

const struct option_row job_option_rows[JOB_OPTION_ROWS] = {
    {.name = "kernel",
     .value = "NAME",
     .group = 1,
     .type = OPTION_SET,
     .set = set_kernel,
     .help = "What to compute; see `quincunx kernels' (required)"},
    {.name = "arg",
     .value = "ARG",
     .group = 1,
     .type = OPTION_SET,
     .set = set_arg,
     .help = "The kernel's argument, taken literally"},
    {.name = "arg-hex",
     .value = "HEX",
     .group = 1,
     .type = OPTION_SET,
     .set = set_arg_hex,
     .help = "The same in hexadecimal, for bytes that a shell cannot pass"},
    {.name = "as-is",
     .group = 1,
     .type = OPTION_FLAG,
     OPTION_FIELD(struct job_options, one.load.as_is),
     .help = "Take the bytes of compressed files as they are: .gz, .bz2, .xz, "
             ".zst, .zip and such are else decompressed, a sound file is else "
             "its samples"},
    {.name = "plan-profile",
     .value = "NAME|FILE",
     .group = 1,
     .type = OPTION_SET,
     .set = set_plan_profile,
     .help = "What the plan assumes that circuits cost, such as a file of "
             "`quincunx calibrate' (default: the costs of --profile)"},
    {.name = "rounds",
     .value = "R|auto",
     .group = 1,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.schedule.rounds),
     .least = 1,
     .most = ROUNDS_MAX,
     .word = "auto",
     .word_value = WIRE_BEST,
     .allowed = "must be 1 to 16, or auto",
     .help = "Rounds in which the load goes out: 1 to 16, or auto (default), "
             "the best number"},
    {.name = "installment",
     .value = "K",
     .group = 1,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.schedule.installment),
     .least = 1,
     .most = INSTALLMENT_MAX,
     .help =
         "For a farm: a worker that asks gets its part, by its speed, of the "
         "K-th "
         "part of what is left: 1 to 250 (default: " INSTALLMENTS " where the "
         "transfer is dear)"},
    {.name = "levels",
     .value = "1|2|auto",
     .group = 1,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.schedule.levels),
     .least = 1,
     .most = 2,
     .word = "auto",
     .allowed = "must be 1, 2 or auto",
     .help = "For a farm: the originator serves all workers (1), or masters "
             "that serve those near them (2); auto (default): 2 from 100 nodes "
             "on, without an output"},
    {.name = "reserve",
     .value = "PERCENT",
     .group = 1,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.schedule.reserve),
     .least = 1,
     .most = WIRE_RESERVE_MAX,
     .allowed = "must be 1 to 90, the percentage of the load",
     .help = "For a hybrid: so much of the load is given to who asks, behind "
             "the planned rounds: 1 to 90 (default: by how much measured "
             "pieces varied)"},
    {.name = "phases",
     .value = "N",
     .group = 1,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.schedule.phases),
     .most = TORUS_PHASES_MAX,
     .given = offsetof(struct job_options, phases_given),
     .help = "Use exactly N phases (default: as many as shorten the makespan)"},
    {.name = "ports",
     .value = "P",
     .group = 1,
     .type = OPTION_SET,
     .set = set_ports,
     .help = "Ports that a node uses at once: 1, 2 or 4 (default)"},
    {.name = "switching",
     .value = "HOW",
     .group = 1,
     .type = OPTION_CHOICE,
     OPTION_FIELD(struct job_options, request.store_and_forward),
     .choices = "circuit store-and-forward",
     .help = "circuit (default) or store-and-forward"},
    {.name = "unit",
     .value = "BYTES",
     .group = 1,
     .type = OPTION_SIZE,
     OPTION_FIELD(struct job_options, unit_bytes),
     .least = 1,
     .most = UINT16_MAX,
     .allowed = "must be 1 to 65535 bytes",
     .help =
         "The smallest piece of the load that is not cut further (default 1)"},
    {.name = "batch",
     .value = "UNITS",
     .group = 1,
     .type = OPTION_SIZE,
     OPTION_FIELD(struct job_options, request.batch_units),
     .least = 1,
     .most = UINT32_MAX,
     .allowed = "must be 1 to 4294967295 units",
     .help = "Units of the load that go at once, the rest in further batches "
             "(default: as many as a node's memory takes)"},
    {.name = "slow",
     .value = "X,Y=F",
     .group = 1,
     .type = OPTION_SET,
     .set = set_slow,
     .help = "Node X,Y is F times slower: 1, 2, 4 or 8; may be repeated"},
    {.name = "inject",
     .value = "KIND@X,Y[@TIME]",
     .group = 3,
     .type = OPTION_SET,
     .set = add_injection,
     .help = "For tests: node X,Y is slower than the plan takes it to be "
             "(slow2, slow4 or slow8 times), from TIME after the order on; or "
             "it takes a fault, hangs, dies or fails an assertion in the job "
             "(fault, hang, die, assert); may be repeated"},
    {.name = "allow-mixed",
     .group = 3,
     .type = OPTION_FLAG,
     OPTION_FIELD(struct job_options, request.allow_mixed),
     .help = "With --port, run also if a node has another image than the "
             "originator, or is not at full speed by its crystal"},
    {.name = "gdb",
     .value = "DIR",
     .group = 3,
     .optional = true,
     .type = OPTION_SET,
     .set = set_gdb,
     .help = "A socket DIR/X-Y for each board, for `make gdb NODE=X,Y', and no "
             "watchdog (default DIR: gdb beside this program)"},
    {.name = "halt",
     .value = "X,Y",
     .group = 3,
     .type = OPTION_SET,
     .set = add_halt,
     .help = "With --gdb: node X,Y halts before its first instruction, and so "
             "the job waits, until a debugger lets it go on; may be repeated"}};

const struct option_row job_mesh_option_rows[JOB_MESH_OPTION_ROWS] = {
    {.name = "mesh",
     .value = "WxH",
     .group = 1,
     .type = OPTION_SET,
     .set = set_mesh,
     .help = "Size of the torus: 1x1 to 125x125; " BOARD_SERIAL_NAMES
             ": to 31x31 (required)"},
    {.name = "profile",
     .value = "NAME|FILE",
     .group = 1,
     .type = OPTION_SET,
     .set = set_profile,
     .help = "What a circuit costs: t3d, lvds (default), uart, emulated (next "
             "to nothing), or a file"},
    {.name = "originator",
     .value = "X,Y[=FILE]",
     .group = 1,
     .type = OPTION_SET,
     .set = add_originator,
     .help = "Node that talks to the host, and of a job holds the load "
             "(default 0,0); of `run' and `compare' also several times, each "
             "with a load of its own in place of INPUT"},
    {.name = "on",
     .value = "qemu|native",
     .group = 1,
     .type = OPTION_SET,
     .set = set_on,
     .help = "Where nodes run: one QEMU process each (default), or all in this "
             "process"},
    {.name = "board",
     .value = "NAME",
     .group = 1,
     .type = OPTION_SET,
     .set = set_board,
     .help =
         "Kind of board: " BOARD_WINDOW_NAMES ", whose switch is emulated with "
         "all its times, or " BOARD_SERIAL_NAMES ", wired UART to UART"},
    {.name = "port",
     .value = "TTY",
     .group = 1,
     .type = OPTION_SET,
     .set = add_port,
     .help = "Serial port of the originator's console: a mesh of real boards, "
             "or of `quincunx boards'; of several originators also once for "
             "each, in their order (else all loads go through the first)"},
    {.name = "damage",
     .value = "P/Q",
     .group = 3,
     .type = OPTION_SET,
     .set = set_damage,
     .help = "Change bytes on the emulated links of " BOARD_SERIAL_NAMES
             " with this probability"},
    {.name = "lose",
     .value = "P/Q",
     .group = 3,
     .type = OPTION_SET,
     .set = set_loss,
     .help = "Lose bytes on these links with this probability"},
    {.name = "seed",
     .value = "N",
     .group = 3,
     .type = OPTION_COUNT,
     OPTION_FIELD(struct job_options, request.noise.seed),
     .help = "Chooses the bytes that are changed or lost (default 1)"},
    {.name = "firmware",
     .value = "FILE",
     .group = 3,
     .type = OPTION_SET,
     .set = set_firmware,
     .help = "Image for the boards (default: beside this program)"},
    {.name = "watchdog",
     .value = "SECONDS",
     .group = 3,
     .type = OPTION_SET,
     .set = set_watchdog,
     .help = "Give up when boards make no progress for this time; with serial "
             "ports, when one batch takes longer (default 120)"},
    {.name = "map",
     .value = "HOW",
     .group = 3,
     .type = OPTION_SET,
     .set = set_map,
     .help = "With mpirun, how nodes are shared out to ranks: cores (default), "
             "by the cores of each; even; rows, by cores but whole rows"},
    {.name = "boot",
     .value = "fork|exec",
     .group = 3,
     .type = OPTION_SET,
     .set = set_boot,
     .help = "How boards of mps2-an385 start: as forks of one QEMU (default, "
             "where it can), or each by itself; their times are the same"},
    {.name = "verbose",
     .group = 3,
     .type = OPTION_FLAG,
     OPTION_FIELD(struct job_options, request.verbose),
     .help = "Say on stderr how boards start, and why so; `run' prints all "
             "lines of its summary"},
    {.name = "force",
     .group = 3,
     .type = OPTION_FLAG,
     OPTION_FIELD(struct job_options, force),
     .help = "Start the nodes also if they need more memory than there is"}};

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
    options->request.originators = 1;
    options->request.originator = &options->one;
    options->request.schedule.phases = WIRE_BEST;
    options->request.schedule.rounds = WIRE_BEST;
    options->request.ports = TORUS_PORTS;
    options->one.load.notes = &options->notes;
    choose_mesh(options);
    options->request.watchdog_s = WATCHDOG_S;
    options->request.noise = noise_none();
    take_default_profile(&options->request.profile);
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
    const struct request *request = &options->request;
    const char *missing[3];
    unsigned count = 0;
    char text[64] = "";

    if (options->mesh_text == NULL) {
        missing[count++] = "--mesh WxH";
    }
    if (request->kernel == NULL) {
        missing[count++] = "--kernel NAME";
    }
    if (options->inputs == 0 && options->originators.count == 0 &&
        (request->kernel == NULL ||
         format_of(request->kernel->name)->input != NULL)) {
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
static int check_ranks(const struct request *request)
{
    if (ranks_count() > 1 && (!request->mesh->has_fabric || request->gdb)) {
        fprintf(stderr,
                "quincunx: %s: must not be given on several ranks: "
                "start it without mpirun\n",
                request->gdb ? "--gdb"
                             : "--board " BOARD_SERIAL_NAMES ", --port");
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses options that are for another mesh than the one chosen. */
static int check_mesh(const struct job_options *options)
{
    const struct request *request = &options->request;

    if (!request->mesh->has_fabric &&
        (options->native || request->ports != TORUS_PORTS ||
         request->store_and_forward || options->slow_count > 0 ||
         request->gdb || options->inject.count > 0)) {
        fprintf(stderr, "quincunx: --board " BOARD_SERIAL_NAMES
                        ": must not be given with "
                        "--on, --ports, --switching, --slow, --inject or "
                        "--gdb: they are for mps2-an385 (`quincunx boards' has "
                        "a --gdb)\n");
        return EXIT_USAGE;
    }
    if (!request->mesh->has_fabric && request->originators == 1 &&
        request->schedule.kind != SCHEDULE_PETERS_SYSKA &&
        request->schedule.kind != SCHEDULE_FARM) {
        fprintf(stderr,
                "quincunx: --schedule %s: must be peters-syska or farm with "
                "--board " BOARD_SERIAL_NAMES "\n",
                schedule_name(request->schedule.kind));
        return EXIT_USAGE;
    }
    if (request->port != NULL && request->board->circuits != BOARD_SERIAL) {
        fprintf(stderr,
                "quincunx: --port: its boards are of " BOARD_SERIAL_NAMES
                ", not --board %s\n",
                options->board_text);
        return EXIT_USAGE;
    }
    if (options->port_count > 1 &&
        options->port_count != request->originators) {
        fprintf(stderr,
                "quincunx: --port '%s': is number %u; must be given once, or "
                "once for each of several originators\n",
                quote_shown(options->port[options->port_count - 1u]),
                options->port_count);
        return EXIT_USAGE;
    }
    if (noise_any(&request->noise) && !request->mesh->has_cables) {
        fprintf(stderr, "quincunx: --damage, --lose: are for the emulated "
                        "links of --board " BOARD_SERIAL_NAMES "\n");
        return EXIT_USAGE;
    }
    if (options->boot_text != NULL &&
        !(request->mesh->has_fabric && request->mesh->has_images)) {
        fprintf(stderr,
                "quincunx: --boot %s: is for emulated boards of "
                "mps2-an385\n",
                options->boot_text);
        return EXIT_USAGE;
    }
    if (options->boot_text != NULL && !request->one_by_one && request->gdb) {
        fprintf(stderr, "quincunx: --boot fork: must not be given with --gdb: "
                        "such boards start one by one\n");
        return EXIT_USAGE;
    }
    return check_ranks(request);
}

int job_options_check_mesh(const struct job_options *options)
{
    const struct request *request = &options->request;
    unsigned side_max = request->mesh->side_max;
    int status = check_mesh(options);

    if (status != 0) {
        return status;
    }
    if (options->mesh_text == NULL) {
        return print_missing(options, "--mesh WxH");
    }
    if (request->size.width > side_max || request->size.height > side_max) {
        parse_report("--mesh", options->mesh_text,
                     side_max < SCHEDULE_SIDE_MAX
                         ? "must be 1x1 to 31x31 on boards with serial ports"
                         : "must be 1x1 to 125x125");
        return EXIT_USAGE;
    }
    if (request->originator[0].at.x >= request->size.width ||
        request->originator[0].at.y >= request->size.height) {
        parse_report_outside("--originator", request->originator[0].at,
                             request->size);
        return EXIT_USAGE;
    }
    if (options->phases_given && torus_phases(request->size) >= 0 &&
        request->schedule.phases > torus_phases(request->size)) {
        fprintf(stderr,
                "quincunx: --phases %u: at most %d phases are feasible on a "
                "%ux%u torus\n",
                request->schedule.phases, torus_phases(request->size),
                request->size.width, request->size.height);
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses --installment without a farm, and --rounds with one. */
static int check_farm(const struct job_options *options)
{
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);
    bool farm = request->schedule.kind == SCHEDULE_FARM;

    if (!farm && !options->all_schedules &&
        request->schedule.installment != 0) {
        fprintf(stderr,
                "quincunx: --installment %u: is for --schedule farm, not %s\n",
                request->schedule.installment,
                schedule_name(request->schedule.kind));
        return EXIT_USAGE;
    }
    if (!farm && !options->all_schedules && request->schedule.levels != 0) {
        fprintf(
            stderr, "quincunx: --levels %u: is for --schedule farm, not %s\n",
            request->schedule.levels, schedule_name(request->schedule.kind));
        return EXIT_USAGE;
    }
    if (request->schedule.levels == 2 && !job_policy_has_masters(&task)) {
        fprintf(stderr,
                "quincunx: --levels 2: must be 1 or auto with several "
                "--originator, --board " BOARD_SERIAL_NAMES " or --port\n");
        return EXIT_USAGE;
    }
    if (farm && request->schedule.rounds != 1 &&
        request->schedule.rounds != WIRE_BEST) {
        fprintf(stderr,
                "quincunx: --rounds %u: must be 1 or auto with --schedule "
                "farm, whose workers ask; see --installment\n",
                request->schedule.rounds);
        return EXIT_USAGE;
    }
    return 0;
}

/* Refuses --reserve where nothing is reserved, and rounds with a reserve that
   are not the pattern's. */
static int check_reserve(const struct job_options *options)
{
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);

    if (request->schedule.reserve != 0 && !options->all_schedules &&
        request->schedule.kind != SCHEDULE_HYBRID) {
        fprintf(stderr,
                "quincunx: --reserve %u: is for --schedule hybrid, not %s\n",
                request->schedule.reserve,
                schedule_name(request->schedule.kind));
        return EXIT_USAGE;
    }
    if (!job_policy_has(&task)) {
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
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);

    if (options->phases_given && !job_policy(&task)->counts_phases) {
        fprintf(stderr,
                "quincunx: --phases %u: is for peters-syska on a torus "
                "of 5^k x 5^k with four ports, circuits and no --slow\n",
                request->schedule.phases);
        return EXIT_USAGE;
    }
    if (request->schedule.rounds != 1 &&
        request->schedule.rounds != WIRE_BEST &&
        schedule_is_equal(request->schedule.kind)) {
        fprintf(stderr,
                "quincunx: --rounds %u: must be 1 or auto with --schedule %s, "
                "whose shares are equal\n",
                request->schedule.rounds,
                schedule_name(request->schedule.kind));
        return EXIT_USAGE;
    }
    return check_farm(options) == 0 ? check_reserve(options) : EXIT_USAGE;
}

/* Makes the table of all nodes' slowdowns from --slow. */
static int set_slow_shifts(struct job_options *options)
{
    struct torus_size size = options->request.size;

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
    options->request.slow_shift = options->slow_shift;
    return 0;
}

/* The kernel's argument, forgotten before it, may be what came first. */
static int refuse_second(const struct job_options *options)
{
    const char *first = options->input[0];

    fprintf(stderr, "quincunx: '%s': kernel %s takes one INPUT",
            quote_shown(options->input[1]), options->request.kernel->name);
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
    if (format_of(options->request.kernel->name)->read_several == NULL) {
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
    options->one.input_name = options->input_names;
    return 0;
}

/* Checks INPUT, or the originators' files, with the kernel and the mesh. */
static int check_input(struct job_options *options)
{
    struct request *request = &options->request;
    int status;

    if (options->originators.count > 1 && !options->schedule_given) {
        request->schedule.kind = SCHEDULE_STAR;
    }
    status = originators_options_check(&options->originators, request);
    if (status != 0) {
        return status;
    }
    if (request->originator[0].input_name != NULL && options->inputs == 0 &&
        request->originators == 1) {
        add_input(options, request->originator[0].input_name);
    }
    if (request->originator[0].input_name == NULL &&
        format_of(request->kernel->name)->input != NULL) {
        return print_missing(options, "INPUT");
    }
    if (request->originator[0].input_name != NULL &&
        format_of(request->kernel->name)->input == NULL) {
        fprintf(stderr,
                "quincunx: %s: '%s': kernel %s takes no INPUT; its argument "
                "says all\n",
                options->command,
                quote_shown(request->originator[0].input_name),
                request->kernel->name);
        return EXIT_USAGE;
    }
    return check_several(options);
}

static int check_debuggers(const struct job_options *options)
{
    const struct request *request = &options->request;

    if (request->gdb && options->native) {
        fprintf(stderr, "quincunx: --gdb: is for boards; native nodes share "
                        "one process\n");
        return EXIT_USAGE;
    }
    if (request->halts.count > 0 && !request->gdb) {
        fprintf(stderr, "quincunx: --halt: needs --gdb, for the debugger that "
                        "lets the node go on\n");
        return EXIT_USAGE;
    }
    for (unsigned i = 0; i < request->halts.count; ++i) {
        if (parse_report_outside("--halt", request->halts.at[i],
                                 request->size) != 0) {
            return EXIT_USAGE;
        }
    }
    return 0;
}

int job_options_check(struct job_options *options)
{
    const struct request *request = &options->request;
    int status;

    if (options->mesh_text == NULL || request->kernel == NULL) {
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
        options->request.injections = (struct injections){
            options->inject.injection, options->inject.count};
        status = inject_options_check(&options->inject, request);
    }
    return status == 0 ? check_policy(options) : status;
}

void job_options_free(struct job_options *options)
{
    free(options->slow_shift);
    free(options->port);
    free(options->input);
    free(options->input_names);
    format_free(&options->one.load);
    format_notes_free(&options->notes);
    originators_options_free(&options->originators);
}
