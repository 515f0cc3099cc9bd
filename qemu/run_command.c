/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/run_command.h"

#include "kernels/kernel.h"
#include "qemu/gantt.h"
#include "qemu/parse.h"
#include "qemu/profile.h"
#include "qemu/report.h"
#include "qemu/run.h"
#include "qemu/summary.h"
#include "qemu/trace.h"
#include "scatter/scatter.h"
#include "torus/pattern.h"
#include "torus/tree.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define WATCHDOG_S 120u
#define WATCHDOG_MAX_S 86400u
#define NATIVE_SIDE_MAX 125u

enum key {
    KEY_MESH = 0x100,
    KEY_KERNEL,
    KEY_ARG,
    KEY_ARG_HEX,
    KEY_PROFILE,
    KEY_ORIGINATOR,
    KEY_ROUNDS,
    KEY_PHASES,
    KEY_ON,
    KEY_REPORT,
    KEY_TRACE,
    KEY_GANTT,
    KEY_JSON,
    KEY_FIRMWARE,
    KEY_WATCHDOG,
    KEY_INJECT,
    KEY_SCHEDULE,
    KEY_PORTS,
    KEY_SWITCHING,
    KEY_SLOW
};

static const struct argp_option descriptions[] = {
    {"mesh", KEY_MESH, "WxH", 0,
     "Size of the torus: 1x1, 5x5, 25x25 (native also 125x125)", 1},
    {"kernel", KEY_KERNEL, "NAME", 0, "What to compute; see `quincunx kernels'",
     1},
    {"arg", KEY_ARG, "ARG", 0, "The kernel's argument, as it is", 1},
    {"arg-hex", KEY_ARG_HEX, "HEX", 0,
     "The same in hexadecimal, for bytes that a shell cannot pass", 1},
    {"profile", KEY_PROFILE, "NAME|FILE", 0,
     "What communication costs: t3d, lvds (default), uart, or a file", 1},
    {"originator", KEY_ORIGINATOR, "X,Y", 0,
     "Node that holds the load (default 0,0)", 1},
    {"rounds", KEY_ROUNDS, "R|auto", 0,
     "Installments: 1 to 16, or auto (default): the best", 1},
    {"phases", KEY_PHASES, "N", 0,
     "Use exactly N phases (default: as many as shorten the makespan)", 1},
    {"schedule", KEY_SCHEDULE, "NAME", 0,
     "How the load goes out: peters-syska (default), or to compare with: "
     "equal, binomial, nearest, star",
     1},
    {"ports", KEY_PORTS, "P", 0, "Ports that a node uses at once: 1, 2, 4", 1},
    {"switching", KEY_SWITCHING, "HOW", 0,
     "circuit (default) or store-and-forward", 1},
    {"slow", KEY_SLOW, "X,Y=F", 0,
     "Node X,Y computes F times slower: 2, 4 or 8; may be repeated", 1},
    {"on", KEY_ON, "qemu|native", 0, "Where nodes run (default qemu)", 1},
    {"report", KEY_REPORT, "FILE", 0, "Write the report as JSON", 2},
    {"trace", KEY_TRACE, "FILE", 0, "Write a trace for Perfetto", 2},
    {"gantt", KEY_GANTT, "FILE.svg", 0, "Draw who did what when", 2},
    {"json", KEY_JSON, NULL, 0, "Print the report instead of a summary", 2},
    {"output", 'o', "OUTPUT", 0,
     "Where a kernel whose result is as long as its input writes it", 2},
    {"firmware", KEY_FIRMWARE, "FILE", 0,
     "Image for the boards (default: beside this program)", 3},
    {"watchdog", KEY_WATCHDOG, "SECONDS", 0,
     "Give up when no board speaks for so long (default 120)", 3},
    {"inject", KEY_INJECT, "KIND@X,Y", 0,
     "For tests: fault, hang or die on one board, in the job", 3},
    {0}};

#define SLOW_MAX 1024u

/* A node that computes 2^shift times slower. */
struct slow {
    struct torus_coord at;
    uint8_t shift;
};

struct run_options {
    struct run_config config;
    const char *on;
    const char *report;
    const char *trace;
    const char *gantt;
    const char *output;
    const char *mesh_text;
    const char *injection_text;
    struct slow slow[SLOW_MAX];
    unsigned slow_count;
    uint8_t *slow_shift;
    bool phases_given;
    bool json;
    uint8_t arg[KERNEL_ARG_MAX + 1];
    char firmware[PATH_MAX];
};

/* ---- single options; each returns 0 or EINVAL after a message ---- */

static int set_kernel(struct run_options *options, const char *name)
{
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, name) == 0) {
            options->config.kernel = kernel_table[i];
            return 0;
        }
    }
    fprintf(stderr, "quincunx: --kernel '%s': must be one of:", name);
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        fprintf(stderr, " %s", kernel_table[i]->name);
    }
    fputc('\n', stderr);
    return EINVAL;
}

static int set_arg(struct run_options *options, const char *text)
{
    size_t bytes = strlen(text);

    if (bytes > KERNEL_ARG_MAX) {
        fprintf(stderr, "quincunx: --arg: %zu bytes; at most %u are allowed\n",
                bytes, KERNEL_ARG_MAX);
        return EINVAL;
    }
    memcpy(options->arg, text, bytes);
    options->config.arg_bytes = (uint32_t)bytes;
    return 0;
}

static int set_arg_hex(struct run_options *options, const char *text)
{
    size_t digits = strlen(text);

    if (digits % 2 != 0 || digits / 2 > KERNEL_ARG_MAX ||
        strspn(text, "0123456789abcdefABCDEF") != digits) {
        return parse_report("--arg-hex", text,
                            "must be pairs of hexadecimal digits, at most 255");
    }
    for (size_t i = 0; i < digits / 2; ++i) {
        unsigned byte = 0;

        sscanf(text + 2 * i, "%2x", &byte);
        options->arg[i] = (uint8_t)byte;
    }
    options->config.arg_bytes = (uint32_t)(digits / 2);
    return 0;
}

static int set_profile(struct run_options *options, const char *name)
{
    char message[PROFILE_MESSAGE_BYTES];

    if (profile_load(&options->config.profile, message, name) != 0) {
        fprintf(stderr, "quincunx: --profile: %s\n", message);
        return EINVAL;
    }
    return 0;
}

static int set_rounds(struct run_options *options, const char *text)
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

static int set_phases(struct run_options *options, const char *text)
{
    uint64_t phases = 0;
    const char *allowed = parse_count(text, &phases);

    if (allowed == NULL && phases > TORUS_PHASES_MAX) {
        allowed = "must be 0 to 10";
    }
    options->config.phases = (uint8_t)phases;
    options->phases_given = true;
    return parse_report("--phases", text, allowed);
}

static int set_schedule(struct run_options *options, const char *text)
{
    return parse_report("--schedule", text,
                        schedule_of(&options->config.schedule, text) == 0
                            ? NULL
                            : "must be peters-syska, equal, binomial, nearest "
                              "or star");
}

static int set_ports(struct run_options *options, const char *text)
{
    bool fine =
        text[0] != '\0' && text[1] == '\0' && strchr("124", text[0]) != NULL;

    options->config.ports = (uint8_t)(text[0] - '0');
    return parse_report("--ports", text, fine ? NULL : "must be 1, 2 or 4");
}

static int set_switching(struct run_options *options, const char *text)
{
    bool stored = strcmp(text, "store-and-forward") == 0;

    options->config.store_and_forward = stored;
    return parse_report("--switching", text,
                        stored || strcmp(text, "circuit") == 0
                            ? NULL
                            : "must be circuit or store-and-forward");
}

static int set_slow(struct run_options *options, const char *text)
{
    static const char *const factors[] = {"=1", "=2", "=4", "=8"};
    const char *equals = strchr(text, '=');
    struct slow *slow = &options->slow[options->slow_count];
    char where[32];

    if (options->slow_count == SLOW_MAX) {
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

static int set_on(struct run_options *options, const char *text)
{
    options->config.native = strcmp(text, "native") == 0;
    if (!options->config.native && strcmp(text, "qemu") != 0) {
        return parse_report("--on", text, "must be qemu or native");
    }
    return 0;
}

static int set_watchdog(struct run_options *options, const char *text)
{
    uint64_t seconds = 0;
    const char *allowed = parse_count(text, &seconds);

    if (allowed == NULL && (seconds == 0 || seconds > WATCHDOG_MAX_S)) {
        allowed = "must be 1 to 86400 seconds";
    }
    options->config.watchdog_s = (unsigned)seconds;
    return parse_report("--watchdog", text, allowed);
}

static int set_injection(struct run_options *options, const char *text)
{
    static const struct {
        const char *name;
        enum mesh_injection injection;
    } kinds[] = {{"fault@", MESH_INJECT_FAULT},
                 {"hang@", MESH_INJECT_HANG},
                 {"die@", MESH_INJECT_DIE}};

    options->injection_text = text;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        size_t length = strlen(kinds[i].name);

        if (strncmp(text, kinds[i].name, length) == 0) {
            options->config.injection = kinds[i].injection;
            return parse_report(
                "--inject", text,
                parse_coord(text + length, &options->config.victim));
        }
    }
    return parse_report("--inject", text,
                        "must be fault@X,Y, hang@X,Y or die@X,Y");
}

static error_t parse_file_option(int key, char *text,
                                 struct run_options *options)
{
    switch (key) {
    case KEY_REPORT:
        options->report = text;
        return 0;
    case KEY_TRACE:
        options->trace = text;
        return 0;
    case KEY_GANTT:
        options->gantt = text;
        return 0;
    case KEY_FIRMWARE:
        snprintf(options->firmware, sizeof options->firmware, "%s", text);
        return 0;
    case 'o':
        options->output = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct run_options *options = state->input;
    struct run_config *config = &options->config;

    switch (key) {
    case KEY_MESH:
        options->mesh_text = text;
        return parse_report("--mesh", text, parse_mesh(text, &config->size));
    case KEY_KERNEL:
        return set_kernel(options, text);
    case KEY_ARG:
        return set_arg(options, text);
    case KEY_ARG_HEX:
        return set_arg_hex(options, text);
    case KEY_PROFILE:
        return set_profile(options, text);
    case KEY_ORIGINATOR:
        return parse_report("--originator", text,
                            parse_coord(text, &config->originator));
    case KEY_ROUNDS:
        return set_rounds(options, text);
    case KEY_PHASES:
        return set_phases(options, text);
    case KEY_SCHEDULE:
        return set_schedule(options, text);
    case KEY_PORTS:
        return set_ports(options, text);
    case KEY_SWITCHING:
        return set_switching(options, text);
    case KEY_SLOW:
        return set_slow(options, text);
    case KEY_ON:
        return set_on(options, text);
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_WATCHDOG:
        return set_watchdog(options, text);
    case KEY_INJECT:
        return set_injection(options, text);
    case ARGP_KEY_ARG:
        if (config->input_name != NULL) {
            fprintf(stderr, "quincunx: '%s': only one INPUT is allowed\n",
                    text);
            return EINVAL;
        }
        config->input_name = text;
        return 0;
    default:
        return parse_file_option(key, text, options);
    }
}

/* ---- the options together ---- */

static int missing(const char *what)
{
    fprintf(stderr, "quincunx: run: %s is required; see --help\n", what);
    return EXIT_USAGE;
}

static int check_mesh(const struct run_options *options)
{
    const struct run_config *config = &options->config;
    unsigned side_max = TORUS_TREE_SIDE_MAX;

    if (config->size.width > TORUS_TREE_SIDE_MAX ||
        config->size.height > TORUS_TREE_SIDE_MAX) {
        side_max = config->native && torus_phases(config->size) > 0
                       ? NATIVE_SIDE_MAX
                       : 0;
    }
    if (config->size.width > side_max || config->size.height > side_max) {
        parse_report("--mesh", options->mesh_text,
                     "must be 1x1 to 31x31 (--on native: 125x125 too)");
        return EXIT_USAGE;
    }
    if (config->originator.x >= config->size.width ||
        config->originator.y >= config->size.height) {
        parse_report_outside("--originator", config->originator, config->size);
        return EXIT_USAGE;
    }
    if (config->native && config->injection != MESH_INJECT_NONE) {
        parse_report("--inject", options->injection_text,
                     "must not be given with --on native: it is for boards");
        return EXIT_USAGE;
    }
    if (config->victim.x >= config->size.width ||
        config->victim.y >= config->size.height) {
        parse_report_outside("--inject", config->victim, config->size);
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

/* Where the load goes along a tree: one round, as many phases as it has. */
static int check_tree(const struct run_options *options)
{
    const struct run_config *config = &options->config;

    if (!run_needs_tree(config)) {
        return 0;
    }
    if (options->phases_given) {
        fprintf(stderr,
                "quincunx: --phases %u: is for peters-syska on a torus "
                "of 5^k x 5^k with four ports, circuits and no --slow\n",
                config->phases);
        return EXIT_USAGE;
    }
    if (config->rounds != 1 && config->rounds != WIRE_BEST) {
        fprintf(stderr,
                "quincunx: --rounds %u: must be 1 or auto but for "
                "peters-syska on a torus of 5^k x 5^k with four ports, "
                "circuits and no --slow\n",
                config->rounds);
        return EXIT_USAGE;
    }
    return 0;
}

/* Spreads --slow over the mesh. */
static int set_slow_shifts(struct run_options *options)
{
    struct torus_size size = options->config.size;

    if (options->slow_count == 0) {
        return 0;
    }
    options->slow_shift = calloc((size_t)size.width * size.height, 1);
    if (options->slow_shift == NULL) {
        perror("quincunx");
        return EXIT_FAILED;
    }
    for (unsigned i = 0; i < options->slow_count; ++i) {
        const struct slow *slow = &options->slow[i];

        if (slow->at.x >= size.width || slow->at.y >= size.height) {
            parse_report_outside("--slow", slow->at, size);
            return EXIT_USAGE;
        }
        options->slow_shift[torus_index(size, slow->at)] = slow->shift;
    }
    options->config.slow_shift = options->slow_shift;
    return 0;
}

/* The kernel's own judgement of its argument, before any board starts. */
static int check_arg(const struct run_config *config)
{
    uint32_t work[SCATTER_WORK_MAX / 4];
    struct kernel_terms terms;

    if (config->kernel->work_bytes > sizeof work) {
        fprintf(stderr,
                "quincunx: kernel %s asks for %u bytes of work memory; at "
                "most %zu are allowed\n",
                config->kernel->name, config->kernel->work_bytes, sizeof work);
        return EXIT_FAILED;
    }
    if (config->kernel->begin(work, &terms, config->arg, config->arg_bytes) !=
        KERNEL_OK) {
        fprintf(stderr,
                "quincunx: --arg '%.*s': kernel %s does not accept it; "
                "it takes %s\n",
                (int)config->arg_bytes, (const char *)config->arg,
                config->kernel->name, config->kernel->argument);
        return EXIT_USAGE;
    }
    return 0;
}

static int check_options(struct run_options *options)
{
    const struct run_config *config = &options->config;
    int status;

    if (options->mesh_text == NULL) {
        return missing("--mesh WxH");
    }
    if (config->kernel == NULL) {
        return missing("--kernel NAME");
    }
    if (config->input_name == NULL) {
        return missing("INPUT");
    }
    status = check_mesh(options);
    if (status == 0) {
        status = set_slow_shifts(options);
    }
    if (status == 0) {
        status = check_tree(options);
    }
    if (status == 0) {
        status = check_arg(config);
    }
    if (status == 0 && options->output != NULL) {
        fprintf(stderr,
                "quincunx: -o '%s': kernel %s has no output as long as its "
                "input; its result is in --report and --json\n",
                options->output, config->kernel->name);
        status = EXIT_USAGE;
    }
    return status;
}

/* ---- files ---- */

static int file_error(const char *path, const char *reason)
{
    fprintf(stderr, "quincunx: %s: %s\n", path, reason);
    return EXIT_FAILED;
}

static int check_load(const char *path, const struct stat *is)
{
    uint32_t most = SCATTER_LOAD_MAX(BACKEND_WINDOW_BYTES);

    if (S_ISDIR(is->st_mode)) {
        return file_error(path, strerror(EISDIR));
    }
    if (!S_ISREG(is->st_mode)) {
        return file_error(path, "must be a regular file");
    }
    if (is->st_size == 0) {
        return file_error(path, "is empty; a load has at least one byte");
    }
    if ((uint64_t)is->st_size > most) {
        fprintf(stderr,
                "quincunx: %s: %lld bytes; a node's memory takes a load of "
                "at most %u\n",
                path, (long long)is->st_size, most);
        return EXIT_FAILED;
    }
    return 0;
}

/* Reads the whole input; *load is the caller's to free. */
static int read_load(struct run_config *config, uint8_t **load)
{
    const char *path = config->input_name;
    /* A pipe without a writer must be refused, not waited for. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    struct stat is;
    int status;

    *load = NULL;
    if (file == NULL) {
        return file_error(path, strerror(errno));
    }
    status = fstat(descriptor, &is) == 0 ? check_load(path, &is)
                                         : file_error(path, strerror(errno));
    if (status == 0) {
        config->load_bytes = (uint32_t)is.st_size;
        *load = malloc(config->load_bytes);
        if (*load == NULL ||
            fread(*load, 1, config->load_bytes, file) != config->load_bytes) {
            status = file_error(path, "could not be read to its end");
        }
    }
    fclose(file);
    config->load = *load;
    return status;
}

/* build/quincunx -> build/mps2_an385/firmware.elf */
static int find_firmware(struct run_options *options)
{
    char self[PATH_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (options->firmware[0] == '\0' && length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
        *slash = '\0';
        snprintf(options->firmware, sizeof options->firmware,
                 "%s/mps2_an385/firmware.elf", self);
    }
    options->config.firmware = options->firmware;
    if (access(options->firmware, R_OK) != 0) {
        return file_error(options->firmware,
                          "no firmware image; `make` builds it");
    }
    return 0;
}

/* Whether a program of this name is on the PATH. */
static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static int check_qemu(void)
{
    if (!on_path("qemu-system-arm")) {
        fprintf(stderr, "quincunx: qemu-system-arm is not on the PATH; on "
                        "Debian: apt-get install qemu-system-arm, or use "
                        "--on native\n");
        return EXIT_FAILED;
    }
    return 0;
}

static int write_all(const struct run_options *options,
                     const struct outcome *outcome)
{
    int failed = 0;

    if (options->report != NULL) {
        failed |= report_write(outcome, options->report);
    }
    if (options->trace != NULL) {
        failed |= trace_write(outcome, options->trace);
    }
    if (options->gantt != NULL) {
        failed |= gantt_write(outcome, options->gantt);
    }
    if (options->json) {
        failed |= report_print(outcome);
    } else {
        summary_print(stdout, outcome);
    }
    return failed == 0 ? 0 : EXIT_FAILED;
}

static int run_with(struct run_options *options)
{
    struct run_config *config = &options->config;
    struct outcome outcome;
    uint8_t *load = NULL;
    int status = read_load(config, &load);

    if (status == 0 && !config->native) {
        status = find_firmware(options);
    }
    if (status == 0 && !config->native) {
        status = check_qemu();
    }
    if (status == 0) {
        status = run_job(&outcome, config);
        if (status == 0) {
            status = write_all(options, &outcome);
            run_free(&outcome);
        }
    }
    free(load);
    return status;
}

int run_command(int argc, char **argv)
{
    static struct run_options options;
    static const char description[] =
        "Scatters INPUT over a mesh, computes, gathers, and reports what was "
        "planned and what was measured.";
    struct argp argp = {descriptions, parse_option, "INPUT", description,
                        NULL,         NULL,         NULL};
    int status;

    options.config.arg = options.arg;
    options.config.phases = WIRE_BEST;
    options.config.rounds = WIRE_BEST;
    options.config.ports = TORUS_PORTS;
    options.config.unit_bytes = 1;
    options.config.watchdog_s = WATCHDOG_S;
    options.config.progress = isatty(STDERR_FILENO) == 1;
    set_profile(&options, PROFILE_DEFAULT);
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    status = check_options(&options);
    status = status == 0 ? run_with(&options) : status;
    free(options.slow_shift);
    return status;
}

int run_kernels_command(int argc, char **argv)
{
    static const char description[] = "Lists the kernels and what they take.";
    struct argp argp = {NULL, NULL, NULL, description, NULL, NULL, NULL};

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0) {
        return EXIT_USAGE;
    }
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        printf("%-12s %s\n%-12s --arg: %s\n", kernel_table[i]->name,
               kernel_table[i]->summary, "", kernel_table[i]->argument);
    }
    return 0;
}
