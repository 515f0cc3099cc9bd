/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the subcommand that is named first on the `quincunx` command line. */
#include "qemu/command/command.h"
#include "qemu/command/job_options.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/worker.h"
#include "qemu/base/edits.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/json.h"
#include "qemu/base/limits.h"
#include "qemu/base/process.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef QUINCUNX_VERSION
#define QUINCUNX_VERSION "unknown"
#endif
#ifndef QUINCUNX_RELEASE
#define QUINCUNX_RELEASE "unknown"
#endif

static const struct option_command *const subcommands[] = {
    &plan_command,        &run_command,     &html_command,
    &boards_command,      &compare_command, &calibrate_command,
    &certificate_command, &model_command,   &flash_command,
    &flash_map_command,   &console_command, &ps_command,
    &mesh_command,        &nodes_command,   &links_command,
    &identify_command,    &reset_command,   &kernels_command};

#define SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static void usage(FILE *out)
{
    fprintf(out, "Usage: quincunx SUBCOMMAND [OPTION...]\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; ++i) {
        fprintf(out, "  %-12s %s\n", subcommands[i]->name,
                subcommands[i]->summary);
    }
    fprintf(out,
            "\n`quincunx help SUBCOMMAND' tells its options, `quincunx -V' the "
            "version.\n\nEmulated boards run in the qemu-system-arm that the "
            "environment variable\nQUINCUNX_QEMU names (a path, or a name on "
            "the PATH); without it in the first one\non the PATH. "
            "QUINCUNX_PROGRESS says `auto', `line', `plain' or `none' where "
            "no\n--progress does.\n");
}

static const struct option_command *subcommand_of(const char *name)
{
    for (size_t i = 0; i < SUBCOMMANDS; ++i) {
        if (strcmp(name, subcommands[i]->name) == 0) {
            return subcommands[i];
        }
    }
    return NULL;
}

/* Refuses an unknown subcommand, and suggests the closest one. */
static int refuse(const char *word)
{
    struct edits_nearest nearest = {.word = word};

    for (size_t i = 0; i < SUBCOMMANDS; ++i) {
        edits_offer(&nearest, subcommands[i]->name);
    }
    fprintf(stderr, "quincunx: '%s': no such subcommand", quote_shown(word));
    if (nearest.name != NULL) {
        fprintf(stderr, "; did you mean '%s'?\n", nearest.name);
    } else {
        fputs("; `quincunx --help' lists them\n", stderr);
    }
    return EXIT_USAGE;
}

/* Returns the exit status, or a failure if output could not be written. A
   reader that closed the pipe, as `head` does, is not reported. */
static int finish(int status)
{
    struct pollfd reader = {.fd = STDOUT_FILENO};
    bool failed = ferror(stdout) != 0; /* a write failed; errno is lost */
    bool written = fflush(stdout) == 0 && !failed;
    int error = errno;

    if (!written &&
        (poll(&reader, 1, 0) != 1 || (reader.revents & POLLERR) == 0)) {
        fprintf(stderr, "quincunx: standard output: %s\n",
                failed ? "not all of it could be written"
                       : limits_file_error(error));
    }
    return written || status != 0 ? status : EXIT_FAILED;
}

/* Runs a subcommand. argv[0] becomes its full name. */
static int run_subcommand(int argc, char **argv)
{
    static char full_name[64];
    const struct option_command *subcommand = subcommand_of(argv[0]);

    if (subcommand == NULL) {
        return refuse(argv[0]);
    }
    snprintf(full_name, sizeof full_name, "quincunx %s", subcommand->name);
    argv[0] = full_name;
    return option_run(subcommand, argc, argv);
}

/* Prints the help of the command, or of the subcommand that is named. */
static int help(int words, char **word)
{
    char option[] = "--help";

    if (words == 0 || strcmp(word[0], "help") == 0) {
        usage(stdout);
        return 0;
    }
    return run_subcommand(2, (char *[]){word[0], option, NULL});
}

static bool is_one_of(const char *word, const char *a, const char *b,
                      const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    process_streams_hold();
    quote_streams();
    process_signals_ignore();
    json_take_memory();
    if (limits_allow_stack() != 0) {
        return EXIT_FAILED;
    }
    ranks_warn();
    if (ranks_launched()) {
        int status =
            ranks_begin(job_options_watchdog(argc, argv) + RANKS_START_S);

        if (status != 0) {
            return status;
        }
        if (ranks_own() > 0) {
            worker_run();
        }
    }
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help", "-h")) {
        return finish(help(argc - 2, argv + 2));
    }
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        printf("quincunx %s (%s)\n", QUINCUNX_RELEASE, QUINCUNX_VERSION);
        return finish(0);
    }
    return finish(run_subcommand(argc - 1, argv + 1));
}
