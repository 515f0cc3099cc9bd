/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/comparison.h"
#include "qemu/command/given_files.h"
#include "qemu/command/job_options.h"
#include "qemu/report/page.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdbool.h>
#include <stdlib.h>

struct own_options {
    struct job_options job;
    bool json;
    const char *html;
    const char *command; /* this one, for a shell */
};

static const struct option_row rows[] = {
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct own_options, json),
     .help = "Print one JSON object instead of a table"},
    {"html", "FILE", 2, OPTION_TEXT, OPTION_AT(struct own_options, html),
     .help = "Write a page for a browser: all schedules side by side, and the "
             "first one's mesh as it moves"}};

static void print(const struct compare *compare, bool as_json)
{
    json_t *json;

    if (!as_json) {
        compare_print(stdout, compare);
        return;
    }
    json = compare_json(compare);
    /* A write that fails leaves its mark on stdout, which main() looks at. */
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(json);
}

static int write_page(const struct own_options *options,
                      const struct compare *compare)
{
    json_t *report;
    int failed;

    if (options->html == NULL) {
        return 0;
    }
    report = compare_report(compare);
    json_object_set_new(report, "command", json_string(options->command));
    failed = page_write(report, options->html);
    json_decref(report);
    return failed == 0 ? 0 : EXIT_FAILED;
}

/* Whether the page can be written, and is no input: before hours of runs. */
static int check_page(const struct own_options *options)
{
    const struct request *request = &options->job.request;
    const struct given_file page = {"--html", options->html, "html htm xhtml"};
    const char *input = request->originator[0].input_name;
    bool same = options->html != NULL && input != NULL &&
                file_same(options->html, input);

    for (uint32_t i = 0; options->html != NULL && i < request->originators;
         ++i) {
        input = request->originator[i].input_name;
        same = same || file_same(options->html, input);
    }
    if (given_file_check_name(&page) != 0) {
        return EXIT_USAGE;
    }
    if (same) {
        return usage_error(
            "--html '%s': is an input, too; must be a file of its own",
            options->html);
    }
    return options->html != NULL &&
                   file_output_check(options->html, "--html") != 0
               ? EXIT_FAILED
               : 0;
}

static int run(struct own_options *options)
{
    struct compare compare;
    int status;

    for (uint32_t i = 0; i < options->job.notes.count; ++i) {
        fprintf(stderr, "quincunx: %s\n", options->job.notes.text[i]);
    }
    status = compare_run(&compare, &options->job.request);

    if (status == 0) {
        status = write_page(options, &compare);
        print(&compare, options->json);
        compare_free(&compare);
    }
    return status;
}

static const struct option_command options_of_compare = {
    .name = "compare",
    .heading = JOB_OPTION_HEADINGS,
    .words = "INPUT...",
    .part = {{OPTION_TABLE(rows), 0},
             {&job_option_table, offsetof(struct own_options, job)},
             {&job_mesh_option_table, offsetof(struct own_options, job)},
             {&progress_option_table,
              offsetof(struct own_options, job.progress)}},
    .word = job_options_add_input,
    .lacks = job_options_lacks_input,
    .missing = "INPUT",
    .text = "Runs INPUT with every schedule, one after the other: peters-syska "
            "with the best rounds (or --rounds) and with one, equal, binomial, "
            "nearest, star with the best rounds (or --rounds) and with one, "
            "farm, and hybrid, on 5^k x 5^k; of several originators star and "
            "farm. All must have the same result. Boards with serial ports "
            "know peters-syska alone."
            "\vExample:\n"
            "  quincunx compare --mesh 5x5 --kernel spin --arg 32 FILE"};

int compare_command(int argc, char **argv)
{
    char *command = quote_command(argc, argv);
    struct own_options options = {.command = command};
    int status;

    job_options_init(&options.job, "compare");
    options.job.all_schedules = true;
    options.job.originators.allowed = true;
    status = option_parse(&options_of_compare, argc, argv, &options) == 0
                 ? job_options_check(&options.job)
                 : EXIT_USAGE;
    if (status == 0 && !options.job.request.mesh->has_fabric) {
        fputs("quincunx: --board " BOARD_SERIAL_NAMES
              ": must not be given to compare: "
              "these boards carry out peters-syska alone\n",
              stderr);
        status = EXIT_USAGE;
    }
    status = status == 0 ? check_page(&options) : status;
    status = status == 0 ? job_options_open(&options.job) : status;
    status = status == 0 ? run(&options) : status;
    free(command);
    job_options_free(&options.job);
    return status;
}
