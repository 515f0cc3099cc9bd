/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/job_options.h"
#include "qemu/command/originators.h"
#include "qemu/base/profile.h"
#include "qemu/base/progress.h"

#include "qemu/format/table.h"
#include "qemu/job/order.h"
#include "qemu/job/policy.h"
#include "qemu/ranks/ranks.h"
#include "qemu/schedule/tree.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "scatter/engine/core.h"
#include "scatter/plan/farm.h"
#include "torus/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSTALLMENT_MAX 250u
#define WATCHDOG_S 120u
#define WATCHDOG_MAX_S 86400u

/* TEXT_OF(macro): the value of a macro as a string */
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(value) #value
#define INSTALLMENTS                                                           \
    TEXT_OF(FARM_INSTALLMENT) ", or " TEXT_OF(FARM_INSTALLMENT_DEAR)

#define SLOW_ALLOWED "must be X,Y=F with F 1, 2, 4 or 8"

/* ---- choosing the mesh ---- */

const struct mesh_ops *job_options_mesh_of(const struct board_kind *board)
{
    return board->circuits == BOARD_SERIAL ? &serial_job_qemu
                                           : &fabric_job_qemu;
}

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

static void complete(void *own)
{
    struct job_options *options = own;
    struct request *request = &options->request;
    const struct option_texts *port = &options->port;

    request->port = port->count > 0 ? port->text[0] : NULL;
    request->other_consoles = port->count > 1 ? port->text + 1 : NULL;
    choose_mesh(options);
    options->one.input_name =
        options->input.count > 0 ? options->input.text[0] : NULL;
    for (uint32_t i = options->originator.count; i-- > 0;) {
        options->one.at = options->originator.place[i].at;
        options->files += options->originator.place[i].more != NULL;
    }
    for (uint32_t i = 0; i < options->halt.count; ++i) {
        request->halts.at[i] = options->halt.place[i].at;
    }
    request->halts.count = options->halt.count;
    request->gdb = options->gdb_text != NULL;
    if (options->plan_profile.name[0] != '\0') {
        request->plan_profile = &options->plan_profile;
    }
    if (options->files > 1 && !options->schedule_given) {
        request->schedule.kind = SCHEDULE_STAR;
    }
}

/* ---- features for options ---- */

enum {
    HAS_FABRIC = 1,
    HAS_STARTER = 2,
    HAS_DEBUGGERS = 4,
    HAS_CABLES = 8,
    HAS_FARM = 16,
    HAS_HYBRID = 32,
    HAS_NUMBERS = 64,
    HAS_NODES = 128
};

static const char *const kinds[] = {
    "nodes behind an emulated switch, not for --board " BOARD_SERIAL_NAMES,
    "emulated boards of mps2-an385",
    "emulated boards of mps2-an385: native nodes share one process, and "
    "`quincunx boards' has a --gdb",
    "the emulated links of --board " BOARD_SERIAL_NAMES,
    "--schedule farm",
    "--schedule hybrid",
    "kernels without a format of files",
    "nodes that this program starts, not for real boards behind --port"};

static unsigned has(const void *own)
{
    const struct job_options *options = own;
    const struct mesh_ops *mesh = options->request.mesh;
    enum schedule kind = options->request.schedule.kind;
    bool all = options->all_schedules;
    const struct kernel *kernel = options->request.kernel;
    bool starter = mesh->has_fabric && mesh->has_images;

    return (mesh->has_fabric ? HAS_FABRIC : 0) |
           (starter ? HAS_STARTER | HAS_DEBUGGERS : 0) |
           (mesh->has_cables ? HAS_CABLES : 0) |
           (mesh->has_fabric || mesh->has_cables ? HAS_NODES : 0) |
           (all || kind == SCHEDULE_FARM ? HAS_FARM : 0) |
           (all || kind == SCHEDULE_HYBRID ? HAS_HYBRID : 0) |
           (kernel == NULL || format_of(kernel->name)->kernel == NULL
                ? HAS_NUMBERS
                : 0);
}

/* ---- setters: 0, or EXIT_USAGE after a message ---- */

static const char *kernel_known(size_t index)
{
    return index < kernel_table_count ? kernel_table[index]->name : NULL;
}

/* Stores the kernel. The parser has checked its name. */
static int set_kernel(void *field, const char *option, const char *text)
{
    unsigned i = 0;

    (void)option;
    while (strcmp(kernel_table[i]->name, text) != 0) {
        i += 1;
    }
    *(const struct kernel **)field = kernel_table[i];
    return 0;
}

static int set_arg(void *own, const char *option, const char *text)
{
    struct job_options *options = own;
    size_t bytes = strlen(text);

    if (bytes > JOB_OPTIONS_ARG_MAX) {
        return usage_error("%s: %zu bytes; at most %u are allowed", option,
                           bytes, JOB_OPTIONS_ARG_MAX);
    }
    memcpy(options->arg, text, bytes);
    options->arg_bytes = (uint32_t)bytes;
    return 0;
}

static int set_arg_hex(void *own, const char *option, const char *text)
{
    struct job_options *options = own;
    size_t digits = strlen(text);

    if (digits % 2 != 0 || digits / 2 > JOB_OPTIONS_ARG_MAX ||
        strspn(text, "0123456789abcdefABCDEF") != digits) {
        return parse_report(
            option, text, "must be pairs of hexadecimal digits, at most 4095");
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

unsigned job_options_watchdog(int argc, char **argv)
{
    static const char name[] = "--watchdog";
    uint64_t watchdog_s = WATCHDOG_S;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        size_t length = strcspn(argv[i], "=");
        const char *text =
            argv[i][length] == '=' ? argv[i] + length + 1 : argv[i + 1];
        uint64_t seconds = 0;

        /* getopt_long() also accepts short forms: --watch */
        if (length > 2 && length < sizeof name && text != NULL &&
            strncmp(argv[i], name, length) == 0 &&
            parse_count(text, &seconds) == NULL && seconds > 0 &&
            seconds <= WATCHDOG_MAX_S) {
            watchdog_s = seconds;
        }
    }
    return (unsigned)watchdog_s;
}

const struct option_row job_option_input = {
    "INPUT", .type = OPTION_INPUTS, OPTION_AT(struct job_options, input),
    .help = "INPUT"};

bool job_options_lacks_input(const void *own)
{
    const struct job_options *options = own;
    const struct kernel *kernel = options->request.kernel;

    return options->input.count == 0 && options->files == 0 &&
           options->one.load.numbers == 0 &&
           (kernel == NULL || format_of(kernel->name)->input != NULL);
}

/* ---- the rows ---- */

static const struct option_row job_rows[] = {
    {"kernel", "NAME", 1, OPTION_CHOICE,
     OPTION_AT(struct job_options, request.kernel),
     .help = "What to compute; see `quincunx kernels' (required)",
     .choice = kernel_known, .set = set_kernel, .required = true},
    {"arg", "ARG", 1, OPTION_SET, OPTION_ALL,
     .help = "The kernel's argument, taken literally", .set = set_arg},
    {"arg-hex", "HEX", 1, OPTION_SET, OPTION_ALL,
     .help = "The same in hexadecimal, for bytes that a shell cannot pass",
     .set = set_arg_hex},
    {"as-is", NULL, 1, OPTION_FLAG,
     OPTION_AT(struct job_options, one.load.as_is),
     .help = "Take the bytes of compressed files as they are: .gz, .bz2, .xz, "
             ".zst, .zip and such are else decompressed, a sound file is else "
             "its samples"},
    {"plan-profile", "NAME|FILE", 1, OPTION_SET,
     OPTION_AT(struct job_options, plan_profile),
     .help = "What the plan assumes that circuits cost, such as a file of "
             "`quincunx calibrate' (default: the costs of --profile)",
     .choice = profile_known, .set = profile_set, .file = profile_file},
    {"rounds", "R|auto", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.schedule.rounds),
     .help = "Rounds in which the load goes out: 1 to 16, or auto (default), "
             "the best number",
     .least = 1, .most = ROUNDS_MAX, .word = "auto", .word_value = WIRE_BEST,
     .allowed = "must be 1 to 16, or auto"},
    {"installment", "K", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.schedule.installment),
     .help = "For a farm: a worker that asks gets its part, by its speed, of "
             "the K-th part of what is left: 1 to 250 (default: " INSTALLMENTS
             " where the "
             "transfer is dear)",
     .least = 1, .most = INSTALLMENT_MAX, .of = HAS_FARM},
    {"levels", "1|2|auto", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.schedule.levels),
     .help = "For a farm: the originator serves all workers (1), or masters "
             "that serve those near them (2); auto (default): 2 from 100 nodes "
             "on, without an output",
     .choices = "1 2", .word = "auto", .usual = "auto", .of = HAS_FARM},
    {"reserve", "PERCENT", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.schedule.reserve),
     .help = "For a hybrid: so much of the load is given to who asks, behind "
             "the planned rounds: 1 to 90 (default: by how much measured "
             "pieces varied)",
     .least = 1, .most = WIRE_RESERVE_MAX,
     .allowed = "must be 1 to 90, the percentage of the load",
     .of = HAS_HYBRID},
    {"phases", "N", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.schedule.phases),
     .help = "Use exactly N phases (default: as many as shorten the makespan)",
     .most = TORUS_PHASES_MAX,
     .text = offsetof(struct job_options, phases_text)},
    {"ports", "P", 1, OPTION_COUNT,
     OPTION_AT(struct job_options, request.ports),
     .help = "Ports that a node uses at once: 1, 2 or 4 (default)",
     .choices = "1 2 4", .usual = "4", .of = HAS_FABRIC},
    {"switching", "HOW", 1, OPTION_CHOICE,
     OPTION_AT(struct job_options, request.store_and_forward),
     .help = "circuit (default) or store-and-forward",
     .choices = "circuit store-and-forward", .usual = "circuit",
     .of = HAS_FABRIC},
    {"load", "N", 1, OPTION_SIZE,
     OPTION_AT(struct job_options, one.load.numbers),
     .help = "The load is the numbers 0 to N - 1, without data, in place of "
             "INPUT: for kernels that compute with a unit's number",
     .least = 1, .most = UINT32_MAX, .allowed = "must be 1 to 4294967295 units",
     .without = "unit originator", .of = HAS_NUMBERS},
    {"unit", "BYTES", 1, OPTION_SIZE, OPTION_AT(struct job_options, unit_bytes),
     .help =
         "The smallest piece of the load that is not cut further (default 1)",
     .least = 1, .most = UINT16_MAX, .allowed = "must be 1 to 65535 bytes"},
    {"batch", "UNITS", 1, OPTION_SIZE,
     OPTION_AT(struct job_options, request.batch_units),
     .help = "Units of the load that go at once, the rest in further batches "
             "(default: as many as a node's memory takes)",
     .least = 1, .most = UINT32_MAX,
     .allowed = "must be 1 to 4294967295 units"},
    {"check-load", "yes|no", 1, OPTION_CHOICE,
     OPTION_AT(struct job_options, request.check_load),
     .help = "Check that what nodes read and wrote is the file's, and that "
             "results stay as they were computed; else compute again "
             "(default: where it takes at most 1 % of the job)",
     .choices = "auto no yes", .usual = "auto"},
    {"slow", "X,Y=F", 1, OPTION_PLACES, OPTION_AT(struct job_options, slow),
     .help = "Node X,Y is F times slower: 1, 2, 4 or 8; may be repeated",
     .most = 1024, .allowed = SLOW_ALLOWED, .of = HAS_FABRIC},
    {"inject", "KIND@X,Y[@TIME]", 3, OPTION_SET,
     OPTION_AT(struct job_options, inject),
     .help = "For tests: node X,Y is slower than the plan takes it to be "
             "(slow2, slow4 or slow8 times), from TIME after the order on; or "
             "it takes a fault, hangs, fails an assertion or dies with its "
             "switch (fault, hang, assert, die) at TIME, or in the job; or the "
             "link out of PORT is down (cut@X,Y,PORT); or a bit of its memory "
             "changes (flip@X,Y,OFFSET.BIT@TIME); may be repeated",
     .set = inject_options_add, .of = HAS_NODES},
    {"survive", "N", 3, OPTION_COUNT,
     OPTION_AT(struct job_options, request.survive),
     .help = "End with status 1 when more than N nodes and links have died "
             "since the job began (default: no limit, as long as the result is "
             "exact)",
     .most = 1000000, .allowed = "must be 0 to 1000000 faults"},
    {"allow-mixed", NULL, 3, OPTION_FLAG,
     OPTION_AT(struct job_options, request.allow_mixed),
     .help = "With --port, run also if a node has another image than the "
             "originator, or is not at full speed by its crystal"},
    {"gdb", "DIR", 3, OPTION_TEXT,
     OPTION_AT(struct job_options, request.gdb_dir),
     .help = "A socket DIR/X-Y for each board, for `make gdb NODE=X,Y', and no "
             "watchdog (default DIR: gdb beside this program)",
     .optional = true, .text = offsetof(struct job_options, gdb_text),
     .of = HAS_DEBUGGERS},
    {"halt", "X,Y", 3, OPTION_PLACES, OPTION_AT(struct job_options, halt),
     .help = "With --gdb: node X,Y halts before its first instruction, and so "
             "the job waits, until a debugger lets it go on; may be repeated",
     .most = GDB_HALTS_MAX, .needs = "gdb"}};

static const struct option_row mesh_rows[] = {
    {"mesh", "WxH", 1, OPTION_MESH, OPTION_AT(struct job_options, request.size),
     .help = "Size of the torus: 1x1 to 125x125; " BOARD_SERIAL_NAMES
             ": to 31x31 (required)",
     .text = offsetof(struct job_options, mesh_text), .required = true},
    {"profile", "NAME|FILE", 1, OPTION_SET,
     OPTION_AT(struct job_options, request.profile),
     .help = "What a circuit costs: t3d, lvds (default), uart, emulated (next "
             "to nothing), or a file",
     .choice = profile_known, .set = profile_set, .file = profile_file},
    {"originator", "X,Y[=FILE]", 1, OPTION_PLACES,
     OPTION_AT(struct job_options, originator),
     .help = "Node that talks to the host, and of a job holds the load "
             "(default 0,0); of `run' and `compare' also several times, each "
             "with a load of its own in place of INPUT; several times without "
             "one: which take its place in turn if it dies, and then the "
             "nearest",
     .most = TORUS_SIDE_MAX * TORUS_SIDE_MAX,
     .allowed = "must be X,Y or X,Y=FILE, such as 0,0=words.txt"},
    {"on", "qemu|native", 1, OPTION_CHOICE,
     OPTION_AT(struct job_options, native),
     .help = "Where nodes run: one QEMU process each (default), or all in this "
             "process",
     .choices = "qemu native", .usual = "qemu", .of = HAS_FABRIC},
    {"board", "NAME", 1, OPTION_CHOICE,
     OPTION_AT(struct job_options, request.board),
     .help =
         "Kind of board: " BOARD_WINDOW_NAMES ", whose switch is emulated with "
         "all its times, or " BOARD_SERIAL_NAMES ", wired UART to UART",
     .choice = board_known, .set = board_set,
     .text = offsetof(struct job_options, board_text)},
    {"port", "TTY", 1, OPTION_TEXTS, OPTION_AT(struct job_options, port),
     .help = "Serial port of the originator's console: a mesh of real boards, "
             "or of `quincunx boards'; of several originators also once for "
             "each, in their order (else all loads go through the first)"},
    {"damage", "P/Q", 3, OPTION_SET,
     OPTION_AT(struct job_options, request.noise.damage),
     .help = "Change bytes on the emulated links of " BOARD_SERIAL_NAMES
             " with this probability",
     .set = noise_set, .usual = "0/1", .of = HAS_CABLES},
    {"lose", "P/Q", 3, OPTION_SET,
     OPTION_AT(struct job_options, request.noise.loss),
     .help = "Lose bytes on these links with this probability",
     .set = noise_set, .usual = "0/1", .of = HAS_CABLES},
    {"seed", "N", 3, OPTION_COUNT,
     OPTION_AT(struct job_options, request.noise.seed),
     .help = "Chooses the bytes that are changed or lost (default 1)"},
    {"firmware", "FILE", 3, OPTION_PATH,
     OPTION_AT(struct job_options, firmware),
     .help = "Image for the boards (default: beside this program)"},
    {"watchdog", "SECONDS", 3, OPTION_COUNT,
     OPTION_AT(struct job_options, request.watchdog_s),
     .help = "Give up when boards make no progress for this time; with serial "
             "ports, when one batch takes longer (default 120)",
     .least = 1, .most = WATCHDOG_MAX_S,
     .allowed = "must be 1 to 86400 seconds"},
    {"map", "HOW", 3, OPTION_CHOICE, OPTION_AT(struct job_options, request.map),
     .help = "With mpirun, how nodes are shared out to ranks: cores (default), "
             "by the cores of each; even; rows, by cores but whole rows",
     .choices = "cores even rows"},
    {"boot", "fork|exec", 3, OPTION_CHOICE,
     OPTION_AT(struct job_options, request.one_by_one),
     .help = "How boards of mps2-an385 start: as forks of one QEMU (default, "
             "where it can), or each by itself; their times are the same",
     .choices = "fork exec", .text = offsetof(struct job_options, boot_text),
     .of = HAS_STARTER},
    {"verbose", NULL, 3, OPTION_FLAG,
     OPTION_AT(struct job_options, request.verbose),
     .help = "Say on stderr how boards start, and why so; `run' prints all "
             "lines of its summary"},
    {"force", NULL, 3, OPTION_FLAG, OPTION_AT(struct job_options, force),
     .help = "Start the nodes also if they need more memory than there is"}};

const struct option_table job_option_table = {OPTION_ROWS(job_rows),
                                              .kinds = kinds, .has = has};
const struct option_table job_mesh_option_table = {
    OPTION_ROWS(mesh_rows), .done = complete, .kinds = kinds, .has = has};

static void take_default_profile(struct profile *profile)
{
    if (profile_set(profile, "--profile", PROFILE_DEFAULT) != 0) {
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
    options->request.survive = UINT32_MAX;
    options->request.noise = noise_none();
    take_default_profile(&options->request.profile);
}

/* ---- the options together ---- */

static int check_ranks(const struct request *request)
{
    if (ranks_count() > 1 && (!request->mesh->has_fabric || request->gdb)) {
        return usage_error(
            "%s: must not be given on several ranks: start it without mpirun",
            request->gdb ? "--gdb" : "--board " BOARD_SERIAL_NAMES ", --port");
    }
    return 0;
}

static int check_mesh(const struct job_options *options)
{
    const struct request *request = &options->request;

    if (!request->mesh->has_fabric && request->originators == 1 &&
        request->schedule.kind != SCHEDULE_PETERS_SYSKA &&
        request->schedule.kind != SCHEDULE_FARM) {
        return usage_error("--schedule %s: must be peters-syska or farm with "
                           "--board " BOARD_SERIAL_NAMES,
                           schedule_name(request->schedule.kind));
    }
    if (request->port != NULL && request->board->circuits != BOARD_SERIAL) {
        return usage_error("--port: its boards are of " BOARD_SERIAL_NAMES
                           ", not --board %s",
                           options->board_text);
    }
    if (options->port.count > 1 &&
        options->port.count != request->originators) {
        return usage_error(
            "--port '%s': is number %u; must be given once, or "
            "once for each of several originators",
            quote_shown(options->port.text[options->port.count - 1u]),
            options->port.count);
    }
    if (options->boot_text != NULL && !request->one_by_one && request->gdb) {
        return usage_error("--boot fork: must not be given with --gdb: such "
                           "boards start one by one");
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
    if (request->size.width > side_max || request->size.height > side_max) {
        return parse_report(
            "--mesh", options->mesh_text,
            side_max < SCHEDULE_SIDE_MAX
                ? "must be 1x1 to 31x31 on boards with serial ports"
                : "must be 1x1 to 125x125");
    }
    if (options->phases_text != NULL && torus_phases(request->size) >= 0 &&
        request->schedule.phases > torus_phases(request->size)) {
        return usage_error(
            "--phases %u: at most %d phases are feasible on a %ux%u torus",
            request->schedule.phases, torus_phases(request->size),
            request->size.width, request->size.height);
    }
    return 0;
}

/* Refuses --levels 2 if the farm cannot have masters, and --rounds for a
   farm. */
static int check_farm(const struct job_options *options)
{
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);
    bool farm = request->schedule.kind == SCHEDULE_FARM;

    if (request->schedule.levels == 2 && !job_policy_has_masters(&task)) {
        return usage_error("--levels 2: must be 1 or auto with several "
                           "--originator, --board " BOARD_SERIAL_NAMES
                           " or --port");
    }
    if (farm && request->schedule.rounds != 1 &&
        request->schedule.rounds != WIRE_BEST) {
        return usage_error("--rounds %u: must be 1 or auto with --schedule "
                           "farm, whose workers ask; see --installment",
                           request->schedule.rounds);
    }
    return 0;
}

static int check_reserve(const struct job_options *options)
{
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);

    if (!job_policy_has(&task)) {
        return usage_error(
            "--schedule hybrid: is for a torus of 5^k x 5^k with four ports, "
            "circuits and no --slow; else take farm");
    }
    return 0;
}

/* Refuses --phases and --rounds if the schedule has none. */
static int check_policy(const struct job_options *options)
{
    const struct request *request = &options->request;
    const struct job_task task = job_task_of(request);

    if (options->phases_text != NULL && !job_policy(&task)->counts_phases) {
        return usage_error("--phases %u: is for peters-syska on a torus of 5^k "
                           "x 5^k with four ports, circuits, no --slow and "
                           "nothing dead",
                           request->schedule.phases);
    }
    if (request->schedule.rounds != 1 &&
        request->schedule.rounds != WIRE_BEST &&
        schedule_is_equal(request->schedule.kind)) {
        return usage_error("--rounds %u: must be 1 or auto with --schedule %s, "
                           "whose shares are equal",
                           request->schedule.rounds,
                           schedule_name(request->schedule.kind));
    }
    return check_farm(options) == 0 ? check_reserve(options) : EXIT_USAGE;
}

static int set_slow_shifts(struct job_options *options)
{
    static const char factors[] = "1248";
    struct torus_size size = options->request.size;

    if (options->slow.count == 0) {
        return 0;
    }
    options->slow_shift = memory_or_exit(calloc(torus_nodes(size), 1));
    for (uint32_t i = 0; i < options->slow.count; ++i) {
        const struct option_place *slow = &options->slow.place[i];
        const char *factor = strchr(factors, slow->more[0]);

        if (factor == NULL || slow->more[1] != '\0') {
            return parse_report("--slow", slow->text, SLOW_ALLOWED);
        }
        options->slow_shift[torus_index(size, slow->at)] =
            (uint8_t)(factor - factors);
    }
    options->request.slow_shift = options->slow_shift;
    return 0;
}

/* Refuses a second INPUT. If the first one does not exist, asks whether it is
   the value of --arg. */
static int refuse_second(const struct job_options *options)
{
    const char *first = options->input.text[0];

    fprintf(stderr, "quincunx: '%s': kernel %s takes one INPUT",
            quote_shown(options->input.text[1]), options->request.kernel->name);
    if (options->arg_bytes == 0 && access(first, F_OK) != 0) {
        fprintf(stderr, "; '%s' is no file: is --arg '%s' meant?",
                quote_shown(first), quote_shown(first));
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
}

/* Checks that the kernel takes several INPUTs, and joins their names for
   messages. */
static int check_several(struct job_options *options)
{
    unsigned standard = 0;

    if (options->input.count < 2) {
        return 0;
    }
    if (format_of(options->request.kernel->name)->read_several == NULL) {
        return refuse_second(options);
    }
    if (options->arg_bytes == 0 && access(options->input.text[0], F_OK) != 0) {
        const char *first = quote_shown(options->input.text[0]);

        return usage_error("'%s': is no file; is --arg '%s' meant?", first,
                           first); /* the user may have forgotten --arg */
    }
    for (uint32_t i = 0; i < options->input.count; ++i) {
        standard += strcmp(options->input.text[i], "-") == 0;
    }
    if (standard > 1) {
        return usage_error("'-': standard input can be one INPUT only");
    }
    if (options->unit_bytes > 1) {
        return usage_error(
            "--unit %u: must be 1 with several INPUTs, which may end anywhere",
            options->unit_bytes);
    }
    memory_or_exit(asprintf(&options->input_names, "%s and %" PRIu32 " more",
                            strcmp(options->input.text[0], "-") == 0
                                ? file_name(options->input.text[0])
                                : options->input.text[0],
                            options->input.count - 1) < 0
                       ? NULL
                       : options->input_names);
    options->one.input_name = options->input_names;
    return 0;
}

/* Checks whether the job has the INPUTs, or files of originators, that the
   kernel and the mesh need. */
static int check_input(struct job_options *options)
{
    struct request *request = &options->request;

    if (originators_set(&options->several, &options->originator, request) !=
        0) {
        return EXIT_USAGE;
    }
    if (request->originator[0].input_name != NULL &&
        options->one.load.numbers > 0) {
        return usage_error("'%s': must not be given with --load",
                           quote_shown(request->originator[0].input_name));
    }
    if (request->originator[0].input_name != NULL &&
        format_of(request->kernel->name)->input == NULL) {
        return usage_error(
            "%s: '%s': kernel %s takes no INPUT; its argument says all",
            options->command, quote_shown(request->originator[0].input_name),
            request->kernel->name);
    }
    return check_several(options);
}

/* Makes the first of the nodes that --originator names, or the nearest to it,
   the originator: of those that are not dead before the job. */
static int set_preferred(struct job_options *options)
{
    struct request *request = &options->request;

    options->preferred = originators_preferred(
        &options->originator, options->one.at, &request->preferences);
    request->preferred = options->preferred;
    return request->holes == NULL || request->originators > 1 ||
                   schedule_holes_originator(request->holes, request->preferred,
                                             request->preferences,
                                             &options->one.at)
               ? 0
               : usage_error("--inject: must leave a node that lives");
}

int job_options_check(struct job_options *options)
{
    const struct request *request = &options->request;
    int status = check_input(options);

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
    if (status == 0) {
        options->holes = inject_options_holes(&options->inject, request->size);
        options->request.holes = options->holes;
        status = set_preferred(options);
    }
    return status == 0 ? check_policy(options) : status;
}

void job_options_free(struct job_options *options)
{
    free(options->slow_shift);
    schedule_holes_free(options->holes);
    free(options->preferred);
    free(options->input_names);
    format_free(&options->one.load);
    format_notes_free(&options->notes);
    for (uint32_t i = 0;
         options->several != NULL && i < options->request.originators; ++i) {
        format_free(&options->several[i].load);
    }
    free(options->several);
}
