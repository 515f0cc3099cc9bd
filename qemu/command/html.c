/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/report/page.h"
#include "qemu/report/json.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/text.h"

#include <stdlib.h>

struct own_options {
    const char *report;
    const char *page;
};

static const struct option_row rows[] = {
    {"output", "PAGE.html", 0, OPTION_OUTPUT,
     OPTION_AT(struct own_options, page),
     .help = "File for the page (required); - for standard output",
     .letter = 'o', .required = true, .suffixes = "html htm xhtml"}};

static json_t *read_report(const char *path)
{
    struct text text;
    json_error_t error;
    json_t *report;

    if (text_read(&text, path) != 0) {
        return NULL;
    }
    report = json_loadb((const char *)text.data, (size_t)text.bytes, 0, &error);
    free(text.data);
    if (report == NULL) {
        file_error(path, "is no report of `quincunx run --report': line %d: %s",
                   error.line, error.text);
    }
    return report;
}

static const char format_key[] = "report_format";

static bool is_of_another_format(const json_t *report)
{
    const json_t *format = json_object_get(report, format_key);

    return json_is_integer(format) &&
           json_integer_value(format) != REPORT_FORMAT_NUMBER;
}

static int run(void *own)
{
    const struct own_options *options = own;
    json_t *report;
    const char *refusal;
    int status = 0;

    report = read_report(options->report);
    if (report == NULL) {
        return EXIT_FAILED;
    }
    refusal = page_refusal(report);
    if (is_of_another_format(report)) {
        file_error(options->report,
                   "report_format %" JSON_INTEGER_FORMAT
                   ": is a report of another format; must be %d",
                   json_integer_value(json_object_get(report, format_key)),
                   REPORT_FORMAT_NUMBER);
        status = EXIT_FAILED;
    } else if (refusal != NULL) {
        file_error(options->report, "%s", refusal);
        status = EXIT_FAILED;
    } else if (page_write(report, options->page) != 0) {
        status = EXIT_FAILED;
    }
    json_decref(report);
    return status;
}

const struct option_command html_command = {
    .name = "html",
    .summary = "the page of a report, for a browser",
    .words = "REPORT.json",
    .part = {{OPTION_TABLE(rows), 0}},
    .text =
        "Makes a page of a report that `quincunx run --report` wrote: one file "
        "for a browser, which shows the mesh and its circuits as they move."
        "\vExample:\n"
        "  quincunx html report.json -o page.html",
    .word = &(const struct option_row){"REPORT.json", .type = OPTION_INPUT,
                                       OPTION_AT(struct own_options, report),
                                       .least = 1, .help = "a REPORT.json"},
    .bytes = sizeof(struct own_options),
    .run = run};
