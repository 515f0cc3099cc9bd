/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/figures.h"

#include "qemu/figures/figures.h"
#include "qemu/options/guess.h"
#include "qemu/options/progress.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum key {
    KEY_MEASURE = 0x100,
    KEY_MEASURED
};

struct options {
    const char *folder;
    const char *measured; /* a file to read */
    bool measure;
    const char *on; /* where to measure */
};

static const struct argp_option descriptions[] = {
    {"output", 'o', "DIR", 0,
     "Folder for the files; made if it is not there (required)", 0},
    {"measure", KEY_MEASURE, "qemu|native", 0,
     "Run meshes of 25, 625 and, if they fit, 15,625 boards or native nodes, "
     "write DIR/measured.csv, and draw its points too",
     0},
    {"measured", KEY_MEASURED, "FILE", 0,
     "Draw the points of such a file instead", 0},
    {0},
};

static const char description[] =
    "Figures 3 to 8 of the paper from the model, and a figure 9: one round and "
    "the best number of rounds against a lower bound. Writes figure-N.csv and "
    "figure-N.svg."
    "\vExample:\n"
    "  quincunx figures -o figures";

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'o':
        options->folder = text;
        return parse_report("-o", text,
                            *text == '\0' ? "must be a folder" : NULL);
    case KEY_MEASURE:
        options->measure = true;
        options->on = figures_on(text);
        return parse_report("--measure", text,
                            options->on != NULL ? NULL
                                                : "must be qemu or native");
    case KEY_MEASURED:
        options->measured = text;
        return 0;
    case ARGP_KEY_ARG:
        return parse_report("argument", text, "figures takes only options");
    case ARGP_KEY_END:
        if (options->folder == NULL) {
            fputs("quincunx: figures needs -o DIR\n", stderr);
            return EINVAL;
        }
        if (options->measure && options->measured != NULL) {
            return parse_report("--measured", options->measured,
                                "must not be given with --measure");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "DIR/name", to be freed; NULL after a message. */
static char *path_of(const struct options *options, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", options->folder, name) < 0) {
        fprintf(stderr, "quincunx: %s: %s\n", name, strerror(ENOMEM));
        return NULL;
    }
    return path;
}

/* One of a figure's two files. Result: 0 or -1. */
static int write_one(const struct figures_figure *figure,
                     const struct figures_points *measured,
                     const struct options *options, bool picture)
{
    char name[32];
    char *path;
    int result;

    snprintf(name, sizeof name, "figure-%u.%s", figure->number,
             picture ? "svg" : "csv");
    path = path_of(options, name);
    if (path == NULL) {
        return -1;
    }
    result = picture ? figures_svg_write(figure, measured, path)
                     : figures_csv_write(figure, path);
    if (result == 0) {
        puts(path);
    }
    free(path);
    return result;
}

static int write_all(const struct figures_points *measured,
                     const struct options *options)
{
    for (unsigned number = FIGURES_FIRST; number <= FIGURES_LAST; ++number) {
        struct figures_figure figure;

        if (figures_compute(&figure, number) != 0) {
            fprintf(stderr, "quincunx: no memory for figure %u\n", number);
            return EXIT_FAILED;
        }
        if (write_one(&figure, measured, options, false) != 0 ||
            write_one(&figure, measured, options, true) != 0) {
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* Measures, and writes the points down. Result: 0 or an exit status. */
static int measure(struct figures_points *measured,
                   const struct options *options)
{
    char *path = path_of(options, "measured.csv");
    int status = EXIT_FAILED;

    if (path != NULL) {
        status = figures_measure(measured, options->on);
    }
    if (status == 0) {
        status = figures_points_write(measured, path) == 0 ? 0 : EXIT_FAILED;
    }
    if (status == 0) {
        puts(path);
    }
    free(path);
    return status;
}

int figures_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&progress_options_argp, 0, NULL, 0}, {0}};
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    struct options options = {.folder = NULL};
    struct figures_points measured = {.point = NULL};
    int status;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    if (mkdir(options.folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "quincunx: -o '%s': %s\n", quote_shown(options.folder),
                errno == ENOENT ? "the folder that it is to lie in is not there"
                                : strerror(errno));
        return EXIT_FAILED;
    }
    if (options.measured != NULL &&
        figures_points_read(&measured, options.measured) != 0) {
        return EXIT_FAILED;
    }
    status = options.measure ? measure(&measured, &options) : 0;
    status = status == 0 ? write_all(&measured, &options) : status;
    figures_points_free(&measured);
    return status;
}
