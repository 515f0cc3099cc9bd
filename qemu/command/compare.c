/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/comparison.h"
#include "qemu/command/job_options.h"
#include "qemu/job/empty.h"
#include "qemu/report/json.h"
#include "qemu/report/page.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"

#include <stdbool.h>
#include <stdio.h>

struct own_options {
    struct job_options job;
    bool json;
    const char *html;
    const char *command;
    FILE *people; /* stream for human-readable output */
};

static const struct option_row rows[] = {
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct own_options, json),
     .help = "Print one JSON object instead of a table", .prints = true},
    {"html", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct own_options, html),
     .help = "Write a page for a browser: all schedules side by side, and the "
             "first one's mesh as it moves",
     .suffixes = "html htm xhtml"}};

static void print(const struct own_options *options,
                  const struct compare *compare)
{
    json_t *json;

    if (!options->json) {
        compare_print(options->people, compare);
        return;
    }
    json = compare_json(compare);
    report_print(json);
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

static int run(void *own)
{
    struct own_options *options = own;
    struct job_options *job = &options->job;
    struct compare compare;
    int status = job_options_check(job);

    if (status == 0 && !job->request.mesh->has_fabric) {
        return usage_error("--board " BOARD_SERIAL_NAMES
                           ": must not be given to compare: these boards carry "
                           "out peters-syska alone");
    }
    status = status == 0 ? job_options_open(job) : status;
    status =
        status == 0 ? job_options_check_read(job, &compare_command) : status;
    if (status == 0 && job_is_empty(&job->request)) {
        status = file_error(job->one.input_name,
                            "is empty; schedules need one unit or more");
    }
    if (status != 0) {
        return status;
    }
    for (uint32_t i = 0; i < job->notes.count; ++i) {
        fprintf(stderr, "quincunx: %s\n", job->notes.text[i]);
    }
    status = compare_run(&compare, &job->request);
    if (status == 0) {
        status = write_page(options, &compare);
        print(options, &compare);
        compare_free(&compare);
    }
    return status;
}

static void begin(void *own, const char *line)
{
    struct own_options *options = own;

    job_options_init(&options->job, "compare");
    options->job.all_schedules = true;
    options->command = line;
}

static void end(void *own)
{
    job_options_free(own);
}

const struct option_command compare_command = {
    .name = "compare",
    .summary = "one load with every schedule, side by side",
    .heading = JOB_OPTION_HEADINGS,
    .words = "INPUT...",
    .part = {{OPTION_TABLE(rows), 0},
             {&job_option_table, offsetof(struct own_options, job)},
             {&job_mesh_option_table, offsetof(struct own_options, job)},
             {&progress_option_table,
              offsetof(struct own_options, job.progress)}},
    .lacks = job_options_lacks_input,
    .text = "Runs INPUT with every schedule, one after the other: peters-syska "
            "with the best rounds (or --rounds) and with one, equal, binomial, "
            "nearest, star with the best rounds (or --rounds) and with one, "
            "farm, and hybrid, on 5^k x 5^k; of several originators star and "
            "farm. All must have the same result. Boards with serial ports "
            "know peters-syska alone."
            "\vExample:\n"
            "  quincunx compare --mesh 5x5 --kernel spin --arg 32 FILE",
    .word = &job_option_input,
    .people = offsetof(struct own_options, people),
    .bytes = sizeof(struct own_options),
    .begin = begin,
    .run = run,
    .end = end};
