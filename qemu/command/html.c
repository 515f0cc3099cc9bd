/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/html.h"

#include "qemu/options/given_files.h"
#include "qemu/options/guess.h"
#include "qemu/page/page.h"
#include "qemu/report/json.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/quote.h"
#include "qemu/support/text.h"

#include <argp.h>
#include <stdlib.h>

struct own_options {
    const char *report;
    const char *page;
};

static const struct argp_option descriptions[] = {
    {"output", 'o', "PAGE.html", 0,
     "File for the page (required); - for standard output", 0},
    {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct own_options *options = state->input;

    switch (key) {
    case 'o':
        options->page = file_output_name(text);
        return 0;
    case ARGP_KEY_ARG:
        if (options->report != NULL) {
            argp_error(state, "'%s': one REPORT.json only", quote_shown(text));
            return EXIT_USAGE;
        }
        options->report = text;
        return 0;
    case ARGP_KEY_END:
        if (options->report == NULL || options->page == NULL) {
            argp_error(state, "REPORT.json and -o PAGE.html must be given");
            return EXIT_USAGE;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The value in a file; NULL after a message. */
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

static int make_page(const struct own_options *options)
{
    const struct given_file page = {"-o", options->page, "html htm xhtml"};
    json_t *report;
    const char *refusal;
    int status = given_file_check_name(&page);

    if (status != 0) {
        return status;
    }
    if (file_same(options->report, options->page)) {
        file_error(options->page, "is the report, too; must be a file of its "
                                  "own");
        return EXIT_USAGE;
    }
    if (file_output_check(options->page, "-o") != 0) {
        return EXIT_FAILED;
    }
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

int html_command(int argc, char **argv)
{
    static const char description[] =
        "Makes a page of a report that `quincunx run --report` wrote: one file "
        "for a browser, which shows the mesh and its circuits as they move."
        "\vExample:\n"
        "  quincunx html report.json -o page.html";
    struct argp argp = {descriptions, parse_option, "REPORT.json", description,
                        NULL,         NULL,         NULL};
    struct own_options options = {.report = NULL};

    if (guess_parse(&argp, 0, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    return make_page(&options);
}
