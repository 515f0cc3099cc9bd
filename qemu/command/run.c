/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "kernels/kernel.h"
#include "qemu/format/table.h"
#include "qemu/job/choose.h"
#include "qemu/job/empty.h"
#include "qemu/job/job.h"
#include "qemu/job/trial.h"
#include "qemu/job/rates.h"
#include "qemu/job/smaller.h"
#include "qemu/job/verify.h"
#include "qemu/report/run_page.h"
#include "qemu/command/job_options.h"
#include "qemu/report/page.h"
#include "qemu/ranks/ranks.h"
#include "qemu/report/gantt.h"
#include "qemu/report/json.h"
#include "qemu/report/summary.h"
#include "qemu/report/trace.h"
#include "qemu/report/verdict.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct own_options {
    struct job_options job;
    const char *report;
    const char *trace;
    const char *gantt;
    const char *html;
    const char *serve;     /* the value of --serve; NULL: no page is served */
    uint16_t serve_port;   /* 0: any free port */
    struct run_page *live; /* page of the running job; or NULL */
    const char *command;
    /* one file for the whole load, or one for each originator */
    struct option_texts output;
    const char *rates_path;
    struct rates *rates; /* or NULL */
    bool verify;
    const char *checkpoint_path;
    struct checkpoint *checkpoint; /* or NULL */
    bool json;
    FILE *people; /* stream for human-readable output */
    bool choose;  /* true: --schedule auto */
};

static const char *schedule_known(size_t index)
{
    return index < SCHEDULES ? schedule_name((enum schedule)index) : NULL;
}

/* Stores the schedule that `text` names; for "auto" sets .choose. */
static int set_schedule(void *own, const char *option, const char *text)
{
    struct own_options *options = own;
    struct job_schedule *schedule = &options->job.request.schedule;

    (void)option;
    options->choose = strcmp(text, "auto") == 0;
    options->job.schedule_given = !options->choose;
    return options->choose ? 0 : schedule_of(&schedule->kind, text);
}

static const char *output_suffixes(const void *own)
{
    const struct own_options *options = own;

    return options->job.one.load.image.width > 0
               ? NULL
               : format_of(options->job.request.kernel->name)->suffixes;
}

/* Stores "WxH" in a struct format_size. */
static int set_size(void *field, const char *option, const char *text)
{
    struct format_size *size = field;

    return parse_report(option, text,
                        parse_image(text, &size->width, &size->height));
}

static const struct option_row rows[] = {
    {"schedule", "NAME", 1, OPTION_CHOICE, OPTION_ALL,
     .help = "How the load goes out: peters-syska (default), or to compare "
             "with: equal, binomial, nearest, star; farm: to whoever asks; "
             "hybrid: the rest to whoever asks; auto: what is expected to have "
             "the answer first",
     .choice = schedule_known, .word = "auto", .set = set_schedule},
    {"rates", "FILE", 1, OPTION_UPDATE,
     OPTION_AT(struct own_options, rates_path),
     .help = "The kernel's rate, as an earlier run left it in FILE, is not "
             "measured again; what this run shows is written there",
     .suffixes = "json"},
    {"verify", NULL, 1, OPTION_FLAG, OPTION_AT(struct own_options, verify),
     .help = "Compute each batch a second time, from another originator, and "
             "compare results and outputs",
     .without = "checkpoint"},
    {"checkpoint", "FILE", 1, OPTION_UPDATE,
     OPTION_AT(struct own_options, checkpoint_path),
     .help = "Keep in FILE what finished batches have brought, at most once a "
             "second: the same command goes on from there after Ctrl-C or a "
             "power cut; removed when the job is done"},
    {"report", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct own_options, report),
     .help = "Write the report as JSON", .suffixes = "json"},
    {"trace", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct own_options, trace),
     .help = "Write a trace for Perfetto", .suffixes = "json"},
    {"gantt", "FILE.svg", 2, OPTION_OUTPUT,
     OPTION_AT(struct own_options, gantt),
     .help = "Draw what every node did when", .suffixes = "svg"},
    {"html", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct own_options, html),
     .help =
         "Write a page for a browser: the mesh and its circuits as they move",
     .suffixes = "html htm xhtml"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct own_options, json),
     .help = "Print the report instead of a summary", .prints = true},
    {"output", "OUTPUT", 2, OPTION_OUTPUTS,
     OPTION_AT(struct own_options, output),
     .help = "File for the output, of a kernel that has one; of several "
             "originators once, for all outputs one behind the other, or once "
             "for each. Of -o, --gantt, --html, --report and --trace one may "
             "be -, standard output: then the summary goes to standard error",
     .letter = 'o', .suffixes_of = output_suffixes},
    {"size", "WxH", 2, OPTION_SET,
     OPTION_AT(struct own_options, job.one.load.image),
     .help = "The output is an image of W x H pixels, a byte each or three "
             "(RGB), in a file of the kind that OUTPUT's suffix says: for "
             "kernels without a format",
     .set = set_size, .needs = "output"},
    {"serve", "PORT", 2, OPTION_COUNT,
     OPTION_AT(struct own_options, serve_port),
     .help =
         "Show that page while the job runs: at 127.0.0.1, on this port "
         "(default: one that is free), until Ctrl-C; the address is printed",
     .optional = true, .text = offsetof(struct own_options, serve),
     OPTION_TCP_PORT},
};

static int check_output_count(const struct own_options *options)
{
    uint32_t originators = options->job.request.originators;

    if (options->output.count <= 1 || options->output.count == originators) {
        return 0;
    }
    fprintf(stderr, "quincunx: -o '%s': is number %" PRIu32 "; must be 1",
            quote_shown(options->output.text[options->output.count - 1]),
            options->output.count);
    if (originators > 1) {
        fprintf(stderr, ", or %" PRIu32 ", one for each originator",
                originators);
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int check_choice(const struct own_options *options)
{
    const struct request *request = &options->job.request;

    if (options->choose && (request->schedule.rounds != WIRE_BEST ||
                            options->job.phases_text != NULL)) {
        return usage_error("--schedule auto: chooses rounds and phases, too; "
                           "must not be given with --%s",
                           options->job.phases_text != NULL ? "phases"
                                                            : "rounds");
    }
    return 0;
}

static int check_verify(const struct own_options *options)
{
    const struct request *request = &options->job.request;

    if (options->verify && (request->port != NULL || !verify_can(request))) {
        return usage_error("--verify: must be given with one --originator, on "
                           "an emulated mesh where another node lives");
    }
    return 0;
}

static int check_checkpoint(const struct own_options *options)
{
    if (options->checkpoint_path != NULL &&
        options->job.request.originators > 1) {
        return usage_error("--checkpoint: must be given with one --originator: "
                           "loads of several go at once, not in batches");
    }
    return 0;
}

/* Checks -o when the load is read: the kernel must have an output, whose format
   must suit the file's name. */
static int check_output(const struct own_options *options)
{
    const struct request *request = &options->job.request;
    const struct format *format = format_of(request->kernel->name);

    if (request->originators > 1 && request->originator[0].load.candidates) {
        return usage_error("--originator: one only with this --arg, whose "
                           "results the host completes");
    }
    if (options->output.count == 0) {
        return 0;
    }
    if (request->originator[0].terms.output_denominator == 0) {
        /* whether `spin` has an output depends on its argument */
        bool never = format->kernel != NULL && format->output == NULL;

        return usage_error("-o '%s': kernel %s has no output%s; its result is "
                           "in --report and --json",
                           file_is_standard_output(options->output.text[0])
                               ? "-"
                               : quote_shown(options->output.text[0]),
                           request->kernel->name,
                           never ? "" : " with this argument");
    }
    if (options->job.one.load.image.width > 0 && format != &format_raw) {
        return usage_error("--size: is for kernels without a format; kernel %s "
                           "writes %s",
                           request->kernel->name, format->output);
    }
    for (uint32_t i = 0; format->check != NULL && i < request->originators;
         ++i) {
        const char *path =
            options->output.text[options->output.count > 1 ? i : 0];

        if (format->check(&request->originator[i].load, path) != 0) {
            return EXIT_USAGE;
        }
    }
    return 0;
}

static void warn_of_no_output(const struct own_options *options)
{
    const struct request *request = &options->job.request;
    const struct format *format = format_of(request->kernel->name);

    if (!options->json && options->output.count == 0 &&
        format->output != NULL && !request->originator[0].load.candidates &&
        request->originator[0].terms.output_denominator > 0) {
        fprintf(stderr,
                "quincunx: kernel %s makes an output (%s), which is not kept: "
                "-o FILE keeps it\n",
                request->kernel->name, format->output);
    }
}

/* Writes the output of one originator's load, in the kernel's format. */
static int write_output(FILE *out, const char *path,
                        const struct outcome *outcome, uint32_t index)
{
    const struct request *request = outcome->request;
    const struct format *format = format_of(request->kernel->name);
    const struct kernel_result *result =
        outcome->originators > 1 ? &outcome->originator[index].result
                                 : &outcome->result;

    if (format->write != NULL) {
        return format->write(out, &request->originator[index].load, path,
                             result->output, result->output_bytes);
    }
    fwrite(result->output, 1, result->output_bytes, out);
    return 0;
}

static int write_output_file(const char *path, const struct outcome *outcome,
                             uint32_t first, uint32_t count)
{
    struct file_output file;
    int status = 0;

    if (file_output_open(&file, path) != 0) {
        return 1;
    }
    for (uint32_t i = first; status == 0 && i < first + count; ++i) {
        status = write_output(file.stream, path, outcome, i);
    }
    return file_output_close(&file, status == 0) == 0 ? 0 : 1;
}

static int write_outputs(const struct own_options *options,
                         const struct outcome *outcome)
{
    int failed = 0;

    if (options->output.count == 1) {
        return write_output_file(options->output.text[0], outcome, 0,
                                 outcome->originators);
    }
    for (uint32_t i = 0; i < options->output.count; ++i) {
        failed |= write_output_file(options->output.text[i], outcome, i, 1);
    }
    return failed;
}

static int write_report(const struct own_options *options,
                        const struct outcome *outcome)
{
    json_t *report;
    int failed = 0;

    if (options->report == NULL && options->html == NULL && !options->json &&
        options->live == NULL) {
        return 0;
    }
    report = report_json(outcome);
    if (options->report != NULL) {
        failed |= report_write(report, options->report);
    }
    if (options->html != NULL) {
        failed |= page_write(report, options->html);
    }
    if (options->json) {
        report_print(report);
    }
    if (options->live != NULL) {
        run_page_finish(options->live, report);
    }
    json_decref(report);
    return failed;
}

static void print_file(FILE *out, const char *what, const char *path,
                       const char *use)
{
    if (path != NULL && !file_is_standard_output(path)) {
        fprintf(out, "%-9s %s%s\n", what, file_name(path), use);
    }
}

static void print_output(FILE *out, const char *path)
{
    struct stat status;
    char bytes[40] = "";

    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        snprintf(bytes, sizeof bytes, ", %jd byte%s", (intmax_t)status.st_size,
                 status.st_size == 1 ? "" : "s");
    }
    print_file(out, "output", path, bytes);
}

static void print_files(FILE *out, const struct own_options *options)
{
    const struct {
        const char *what;
        const char *path;
        const char *use;
    } files[] = {{"report", options->report, ""},
                 {"page", options->html, " (for a browser)"},
                 {"gantt", options->gantt, ""},
                 {"trace", options->trace, " (for ui.perfetto.dev)"}};

    if (options->output.count > 0 || options->report != NULL ||
        options->html != NULL || options->gantt != NULL ||
        options->trace != NULL) {
        fputc('\n', out);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        print_file(out, files[i].what, files[i].path, files[i].use);
    }
    for (uint32_t i = 0; i < options->output.count; ++i) {
        print_output(out, options->output.text[i]);
    }
}

static int write_all(const struct own_options *options,
                     const struct outcome *outcome)
{
    FILE *out = options->people;
    int failed = write_report(options, outcome);

    if (options->trace != NULL) {
        failed |= trace_write(outcome, options->trace);
    }
    if (options->gantt != NULL) {
        failed |= gantt_write(outcome, options->gantt);
    }
    failed |= write_outputs(options, outcome);
    if (options->rates != NULL) {
        struct job_task first = job_task_of(&options->job.request);

        /* of several originators, only the first one's rates are kept */
        failed |= rates_update(&first, outcome);
    }
    if (!options->json) {
        verdict_print(out, outcome);
        summary_print(out, outcome, options->job.request.verbose);
        print_files(out, options);
    }
    return failed == 0 ? 0 : EXIT_FAILED;
}

/* ---- the live page ---- */

static int start_page(struct own_options *options)
{
    if (options->serve == NULL) {
        return 0;
    }
    options->live = run_page_start(&options->job.request, options->command,
                                   options->serve_port);
    return options->live != NULL ? 0 : EXIT_FAILED;
}

/* Flushes stdout, then serves the page until the user ends it. */
static void stay_with_page(const struct own_options *options)
{
    const char *input = options->job.request.originator[0].input_name;

    if (options->live != NULL && fflush(stdout) == 0) {
        /* under mpirun, standard input may end at once */
        run_page_stay(options->live,
                      ranks_count() > 1 ||
                          (input != NULL && strcmp(input, "-") == 0));
    }
}

/* Repeats the job on smaller meshes, for comparison. Frees the outcome if
   interrupted. */
static int compare_sizes(struct outcome *outcome, const struct request *request)
{
    int status = smaller_one_board(outcome, request);

    status = status == 0 ? smaller_few_boards(outcome, request) : status;
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}

static int prepare(struct own_options *options)
{
    int status = job_options_check(&options->job);

    status = status == 0 ? check_output_count(options) : status;
    status = status == 0 ? check_choice(options) : status;
    status = status == 0 ? check_checkpoint(options) : status;
    status = status == 0 ? check_verify(options) : status;
    options->job.one.load.wants_output = options->output.count > 0;
    status = status == 0 ? job_options_open(&options->job) : status;
    status = status == 0 ? job_options_check_read(&options->job, &run_command)
                         : status;
    status = status == 0 ? check_output(options) : status;
    if (status == 0) {
        warn_of_no_output(options);
    }
    if (status == 0 && options->rates_path != NULL) {
        status = rates_read(&options->rates, options->rates_path);
        options->job.request.rates = options->rates;
    }
    if (status == 0 && options->checkpoint_path != NULL) {
        status = checkpoint_open(&options->checkpoint, options->checkpoint_path,
                                 &options->job.request);
    }
    return status;
}

static int compute(struct outcome *outcome, const struct own_options *options,
                   const struct job_schedule *schedule)
{
    const struct request *request = &options->job.request;
    const struct format_load *load = &request->originator[0].load;
    int status;

    if (job_is_empty(request)) {
        status = job_empty(outcome, request, schedule);
    } else {
        status =
            job_run(outcome, request, schedule, run_page_watch(options->live),
                    trial_farm_ps, options->checkpoint);
        if (status == 0 && options->verify) {
            status = verify_job(outcome, request, schedule, trial_farm_ps);
            if (status != 0) {
                outcome_free(outcome);
            }
        }
        status = status == 0 ? compare_sizes(outcome, request) : status;
    }
    if (status == 0 && load->candidates) {
        format_of(request->kernel->name)->finish(load, &outcome->result);
    }
    return status;
}

static int run(void *own)
{
    struct own_options *options = own;
    const struct request *request = &options->job.request;
    struct choices choices = {.count = 0};
    struct outcome outcome;
    int status = prepare(options);
    bool ran;

    choices.schedule = request->schedule;
    if (status == 0 && options->choose && request->originators == 1 &&
        !job_is_empty(request)) {
        choices = choose_schedule(request);
    }
    status = status == 0 ? start_page(options) : status;
    if (status == 0) {
        status = compute(&outcome, options, &choices.schedule);
    }
    ran = status == 0;
    if (ran) {
        outcome.choices = choices.count > 0 ? &choices : NULL;
        outcome.command = options->command;
        outcome.load = &request->originator[0].load;
        status = write_all(options, &outcome);
        outcome_free(&outcome);
    }
    checkpoint_close(options->checkpoint, status == 0);
    if (ran) {
        stay_with_page(options);
    }
    run_page_stop(options->live);
    return status;
}

static void begin(void *own, const char *line)
{
    struct own_options *options = own;

    job_options_init(&options->job, "run");
    options->command = line;
}

static void end(void *own)
{
    struct own_options *options = own;

    rates_free(options->rates);
    job_options_free(&options->job);
}

const struct option_command run_command = {
    .name = "run",
    .summary = "one job on a mesh of emulated boards or native nodes",
    .heading = JOB_OPTION_HEADINGS,
    .words = "INPUT...",
    .part = {{OPTION_TABLE(rows), 0},
             {&job_option_table, offsetof(struct own_options, job)},
             {&job_mesh_option_table, offsetof(struct own_options, job)},
             {&progress_option_table,
              offsetof(struct own_options, job.progress)}},
    .word = &job_option_input,
    .lacks = job_options_lacks_input,
    .text =
        "Scatters INPUT over a mesh, computes, gathers, and reports what was "
        "planned and what was measured. INPUT is a file, or - for standard "
        "input; some kernels take several, or none: see `quincunx kernels'."
        "\vExamples:\n"
        "  quincunx run --mesh 5x5 --kernel search --arg needle FILE\n"
        "  quincunx run --mesh 5x5 --kernel conv --arg filter=sobel \\\n"
        "      -o edges.png FILE.png\n"
        "  quincunx run --mesh 25x25 --on native --kernel spin --arg 32 \\\n"
        "      FILE",
    .people = offsetof(struct own_options, people),
    .bytes = sizeof(struct own_options),
    .begin = begin,
    .run = run,
    .end = end};

static void print_kernel(const struct kernel *kernel)
{
    const struct format *format = format_of(kernel->name);

    printf("%-12s %s\n%-12s --arg: %s\n", kernel->name, kernel->summary, "",
           format->argument != NULL ? format->argument : kernel->argument);
    if (format->example != NULL) {
        printf("%-12s such as --arg %s\n", "", format->example);
    }
    printf("%-12s INPUT: %s", "",
           format->input != NULL ? format->input : "none");
    if (format->output != NULL) {
        printf("; -o: %s", format->output);
    }
    putchar('\n');
}

static int choose_kernel(void *own, const char *option, const char *text)
{
    uint64_t *chosen = own;

    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, text) == 0) {
            *chosen |= UINT64_C(1) << i;
            return 0;
        }
    }
    return parse_report(option, text,
                        "is no kernel; `quincunx kernels' lists them");
}

static int list_kernels(void *own)
{
    const uint64_t *chosen = own;

    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (*chosen == 0 || (*chosen >> i & 1u) != 0) {
            print_kernel(kernel_table[i]);
        }
    }
    return 0;
}

const struct option_command kernels_command = {
    .name = "kernels",
    .summary = "the kernels and their arguments",
    .words = "[KERNEL...]",
    .word = &(const struct option_row){"KERNEL", .type = OPTION_SET, OPTION_ALL,
                                       .set = choose_kernel},
    .text = "Lists the kernels and what they take: all, or those named.",
    .bytes = sizeof(uint64_t),
    .run = list_kernels};
