/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/run.h"

#include "kernels/kernel.h"
#include "qemu/format/table.h"
#include "qemu/job/choose.h"
#include "qemu/job/job.h"
#include "qemu/job/rates.h"
#include "qemu/options/job.h"
#include "qemu/report/gantt.h"
#include "qemu/report/json.h"
#include "qemu/report/summary.h"
#include "qemu/report/trace.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

enum key {
    KEY_REPORT = 0x200,
    KEY_TRACE,
    KEY_GANTT,
    KEY_JSON,
    KEY_SCHEDULE,
    KEY_RATES
};

static const struct argp_option descriptions[] = {
    {"schedule", KEY_SCHEDULE, "NAME", 0,
     "How the load goes out: peters-syska (default), or to compare with: "
     "equal, binomial, nearest, star; farm: to whoever asks; hybrid: the "
     "rest to whoever asks; auto: what is expected to have the answer first",
     1},
    {"rates", KEY_RATES, "FILE", 0,
     "The kernel's rate, as an earlier run left it in FILE, is not measured "
     "again; what this run shows is written there",
     1},
    {"report", KEY_REPORT, "FILE", 0, "Write the report as JSON", 2},
    {"trace", KEY_TRACE, "FILE", 0, "Write a trace for Perfetto", 2},
    {"gantt", KEY_GANTT, "FILE.svg", 0, "Draw what every node did when", 2},
    {"json", KEY_JSON, NULL, 0, "Print the report instead of a summary", 2},
    {"output", 'o', "OUTPUT", 0,
     "File for the output, of a kernel that has one", 2},
    {0}};

struct own_options {
    struct job_options job;
    const char *report;
    const char *trace;
    const char *gantt;
    const char *output;
    const char *rates_path;
    struct rates *rates; /* or NULL */
    bool json;
    bool choose; /* --schedule auto */
};

static int set_schedule(struct own_options *options, const char *text)
{
    options->choose = strcmp(text, "auto") == 0;
    if (options->choose) {
        return 0;
    }
    options->job.schedule_given = true;
    return parse_report("--schedule", text,
                        schedule_of(&options->job.config.schedule, text) == 0
                            ? NULL
                            : "must be peters-syska, equal, binomial, nearest, "
                              "star, farm, hybrid or auto");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct own_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->job;
        return 0;
    case KEY_SCHEDULE:
        return set_schedule(options, text);
    case KEY_REPORT:
        options->report = text;
        return 0;
    case KEY_TRACE:
        options->trace = text;
        return 0;
    case KEY_RATES:
        options->rates_path = text;
        return 0;
    case KEY_GANTT:
        options->gantt = text;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Checks that no file is given twice: else a run that took hours would end by
   overwriting its input, or one result with another. */
static int check_files(const struct own_options *options)
{
    const struct {
        const char *option;
        const char *path; /* NULL: not given */
    } files[] = {{"INPUT", options->job.config.input_name},
                 {"--firmware", options->job.firmware},
                 {"-o", options->output},
                 {"--report", options->report},
                 {"--trace", options->trace},
                 {"--gantt", options->gantt},
                 {"--rates", options->rates_path}};
    const size_t read_only = 2; /* the first so many are only read */

    for (size_t i = read_only; i < sizeof files / sizeof *files; ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (files[i].path != NULL && files[j].path != NULL &&
                file_same(files[i].path, files[j].path)) {
                fprintf(stderr,
                        "quincunx: %s '%s': is the file of %s '%s', too; must "
                        "be a file of its own\n",
                        files[i].option, files[i].path, files[j].option,
                        files[j].path);
                return EXIT_USAGE;
            }
        }
    }
    return 0;
}

/* Refuses to choose what is given. */
static int check_choice(const struct own_options *options)
{
    const struct job_config *config = &options->job.config;

    if (options->choose &&
        (config->rounds != WIRE_BEST || options->job.phases_given)) {
        fprintf(stderr,
                "quincunx: --schedule auto: chooses rounds and phases, too; "
                "must not be given with --%s\n",
                options->job.phases_given ? "phases" : "rounds");
        return EXIT_USAGE;
    }
    return 0;
}

/* Checks -o once the load is known: whether there will be an output, and
   whether its format suits the file's name. */
static int check_output(const struct own_options *options)
{
    const struct job_config *config = &options->job.config;
    const struct format *format = format_of(config->kernel->name);

    if (options->output != NULL && config->terms.output_denominator == 0) {
        fprintf(stderr,
                "quincunx: -o '%s': kernel %s has no output with this "
                "argument; its result is in --report and --json\n",
                options->output, config->kernel->name);
        return EXIT_USAGE;
    }
    return options->output != NULL && format->check != NULL &&
                   format->check(&config->load, options->output) != 0
               ? EXIT_USAGE
               : 0;
}

static int write_output(const struct own_options *options,
                        const struct kernel_result *result)
{
    const struct job_config *config = &options->job.config;
    const struct format *format = format_of(config->kernel->name);

    return format->write == NULL
               ? file_write(options->output, result->output,
                            result->output_bytes)
               : format->write(&config->load, options->output, result->output,
                               result->output_bytes);
}

static int write_all(const struct own_options *options,
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
    if (options->output != NULL) {
        failed |= write_output(options, &outcome->result);
    }
    if (options->rates != NULL) {
        failed |= rates_update(options->rates, &options->job.config, outcome);
    }
    if (options->json) {
        failed |= report_print(outcome);
    } else {
        summary_print(stdout, outcome);
    }
    return failed == 0 ? 0 : EXIT_FAILED;
}

static void tell_choices(struct outcome *outcome, const struct choices *choices)
{
    outcome->choices = choices->count;
    for (unsigned i = 0; i < choices->count; ++i) {
        const struct choice *choice = &choices->choice[i];

        outcome->choice[i] = (struct outcome_choice){
            schedule_name(choice->schedule), (uint64_t)choice->answer_ps};
    }
}

static int run(struct own_options *options)
{
    struct choices choices = {.count = 0};
    struct outcome outcome;
    int status;

    options->job.config.load.wants_output = options->output != NULL;
    status = job_options_open(&options->job);

    status = status == 0 ? check_output(options) : status;
    if (status == 0 && options->rates_path != NULL) {
        status = rates_read(&options->rates, options->rates_path);
        options->job.config.rates = options->rates;
    }
    if (status == 0 && options->choose) {
        choices = choose_schedule(&options->job.config);
    }
    if (status == 0) {
        status = job_execute(&outcome, &options->job.config);
    }
    if (status == 0) {
        tell_choices(&outcome, &choices);
        status = write_all(options, &outcome);
        outcome_free(&outcome);
    }
    return status;
}

int run_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&job_options_argp, 0, NULL, 0}, {0}};
    static const char description[] =
        "Scatters INPUT over a mesh, computes, gathers, and reports what was "
        "planned and what was measured.";
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    struct own_options options = {.report = NULL};
    int status;

    job_options_init(&options.job, "run");
    options.job.originators.allowed = true;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    status = job_options_check(&options.job);
    status = status == 0 ? check_files(&options) : status;
    status = status == 0 ? check_choice(&options) : status;
    status = status == 0 ? run(&options) : status;
    rates_free(options.rates);
    job_options_free(&options.job);
    return status;
}

int run_kernels_command(int argc, char **argv)
{
    static const char description[] = "Lists the kernels and what they take.";
    struct argp argp = {NULL, NULL, NULL, description, NULL, NULL, NULL};

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0) {
        return EXIT_USAGE;
    }
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        const struct kernel *kernel = kernel_table[i];
        const struct format *format = format_of(kernel->name);

        printf("%-12s %s\n%-12s --arg: %s\n", kernel->name, kernel->summary, "",
               format->argument != NULL ? format->argument : kernel->argument);
        printf("%-12s INPUT: %s", "",
               format->input != NULL ? format->input : "none");
        if (format->output != NULL) {
            printf("; -o: %s", format->output);
        }
        putchar('\n');
    }
    return 0;
}
