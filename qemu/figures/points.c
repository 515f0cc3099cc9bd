/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/figures/figures.h"

#include "qemu/support/file.h"
#include "qemu/support/memory.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"
#include "qemu/support/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 6
#define LINE_BYTES 256
#define NODES_MAX 95367431640625u /* 5^20 */

static const char header[] =
    "figure,nodes,load_units,makespan_ps,rounds,compute_ps,on";

const char *figures_on(const char *name)
{
    if (strcmp(name, "qemu") == 0) {
        return "qemu";
    }
    return strcmp(name, "native") == 0 ? "native" : NULL;
}

static bool in_range(const uint64_t value[NUMBERS])
{
    return value[0] >= FIGURES_FIRST && value[0] <= FIGURES_LAST &&
           value[1] > 0 && value[1] <= NODES_MAX && value[2] > 0 &&
           value[3] > 0 && value[4] > 0 && value[4] <= UINT32_MAX &&
           value[5] > 0;
}

static bool parse_point_line(struct figures_point *point, char *text)
{
    uint64_t value[NUMBERS];
    char *rest = text;

    for (unsigned i = 0; i < NUMBERS; ++i) {
        const char *word = strsep(&rest, ",");

        if (word == NULL || parse_count(word, &value[i]) != NULL) {
            return false;
        }
    }
    if (rest == NULL || figures_on(rest) == NULL) {
        return false;
    }
    *point = (struct figures_point){.figure = (unsigned)value[0],
                                    .nodes = value[1],
                                    .load_units = value[2],
                                    .makespan_ps = value[3],
                                    .rounds = (unsigned)value[4],
                                    .compute_ps = value[5],
                                    .on = figures_on(rest)};
    return in_range(value);
}

void figures_points_add(struct figures_points *measured,
                        const struct figures_point *point)
{
    measured->point = memory_or_exit(realloc(
        measured->point, (measured->count + 1) * sizeof *measured->point));
    measured->point[measured->count++] = *point;
}

static int read_lines(struct figures_points *measured, FILE *file,
                      const char *path)
{
    char text[LINE_BYTES];
    unsigned line = 0;
    bool headed = false;

    while (fgets(text, sizeof text, file) != NULL) {
        struct figures_point point;

        line += 1;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') {
            continue;
        }
        if (!headed ? strcmp(text, header) != 0
                    : !parse_point_line(&point, text)) {
            fprintf(stderr, "quincunx: %s:%u: must be %s%s\n",
                    quote_shown(path), line, headed ? "values of " : "",
                    header);
            return -1;
        }
        if (headed) {
            figures_points_add(measured, &point);
        }
        headed = true;
    }
    return 0;
}

int figures_points_read(struct figures_points *measured, const char *path)
{
    FILE *file = text_open(path);
    int result;

    *measured = (struct figures_points){.point = NULL};
    if (file == NULL) {
        return -1;
    }
    result = read_lines(measured, file, path);
    fclose(file);
    if (result != 0) {
        figures_points_free(measured);
    }
    return result;
}

int figures_points_write(const struct figures_points *measured,
                         const char *path)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    fprintf(file.stream,
            "# A unit took compute_ps; startup and transfer time of the "
            "figure were larger\n# in proportion. A speedup is load_units * "
            "compute_ps / makespan_ps.\n%s\n",
            header);
    for (size_t i = 0; i < measured->count; ++i) {
        const struct figures_point *point = &measured->point[i];

        fprintf(file.stream,
                "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%s\n",
                point->figure, point->nodes, point->load_units,
                point->makespan_ps, point->rounds, point->compute_ps,
                point->on);
    }
    return file_output_close(&file, true);
}

void figures_points_free(struct figures_points *measured)
{
    free(measured->point);
    *measured = (struct figures_points){.point = NULL};
}
