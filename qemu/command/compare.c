/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/compare.h"

#include "qemu/compare/compare.h"
#include "qemu/options/job.h"
#include "qemu/support/exit_status.h"

#include <argp.h>
#include <stdbool.h>

#define KEY_JSON 0x200

struct own_options {
    struct job_options job;
    bool json;
};

static const struct argp_option descriptions[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object instead of a table", 2},
    {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct own_options *options = state->input;

    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->job;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct compare *compare, bool as_json)
{
    json_t *json;

    if (!as_json) {
        compare_print(stdout, compare);
        return 0;
    }
    json = compare_json(compare);
    if (json == NULL) {
        return EXIT_FAILED;
    }
    /* A write that fails leaves its mark on stdout, which main() looks at. */
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(json);
    return 0;
}

int compare_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&job_options_argp, 0, NULL, 0}, {0}};
    static const char description[] =
        "Runs INPUT with every schedule, one after the other: peters-syska "
        "with the best rounds (or --rounds) and with one, equal, binomial, "
        "nearest, star, farm; of several originators star and farm. All must "
        "have the same result. Boards with serial ports know peters-syska "
        "alone."
        "\vExample:\n"
        "  quincunx compare --mesh 5x5 --kernel spin --arg 32 FILE";
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    struct own_options options = {.json = false};
    struct compare compare;
    int status;

    job_options_init(&options.job, "compare");
    options.job.all_schedules = true;
    options.job.originators.allowed = true;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    status = job_options_check(&options.job);
    if (status == 0 && !options.job.config.mesh->has_fabric) {
        fputs("quincunx: --board stm32f405: must not be given to compare: "
              "these boards carry out peters-syska alone\n",
              stderr);
        status = EXIT_USAGE;
    }
    status = status == 0 ? job_options_open(&options.job) : status;
    if (status == 0) {
        status = compare_run(&compare, &options.job.config);
        if (status == 0) {
            status = print(&compare, options.json);
            compare_free(&compare);
        }
    }
    job_options_free(&options.job);
    return status;
}
