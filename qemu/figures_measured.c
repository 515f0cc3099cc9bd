/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/figures.h"

#include "qemu/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 5
#define LINE_BYTES 256
#define NODES_MAX 95367431640625u /* 5^20 */

static const char header[] = "figure,nodes,load_units,makespan_ps,rounds";

static bool in_range(const uint64_t value[COLUMNS])
{
    return value[0] >= FIGURES_FIRST && value[0] <= FIGURES_LAST &&
           value[1] > 0 && value[1] <= NODES_MAX && value[2] > 0 &&
           value[3] > 0 && value[4] > 0 && value[4] <= UINT32_MAX;
}

static bool parse_point_line(struct figures_point *point, char *text)
{
    uint64_t value[COLUMNS];
    char *rest = text;

    for (unsigned i = 0; i < COLUMNS; ++i) {
        const char *word = strsep(&rest, ",");

        if (word == NULL || parse_count(word, &value[i]) != NULL) {
            return false;
        }
    }
    *point = (struct figures_point){(unsigned)value[0], value[1], value[2],
                                    value[3], (unsigned)value[4]};
    return rest == NULL && in_range(value);
}

/* Result: 0, or -1 without memory. */
static int append(struct figures_measured *measured,
                  const struct figures_point *point)
{
    struct figures_point *more = (struct figures_point *)realloc(
        measured->point, (measured->count + 1) * sizeof *more);

    if (more == NULL) {
        return -1;
    }
    measured->point = more;
    more[measured->count++] = *point;
    return 0;
}

static int read_lines(struct figures_measured *measured, FILE *file,
                      const char *path)
{
    char text[LINE_BYTES];
    unsigned line = 0;
    bool headed = false;

    while (fgets(text, sizeof text, file) != NULL) {
        struct figures_point point;

        line += 1;
        text[strcspn(text, "\r\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') {
            continue;
        }
        if (!headed ? strcmp(text, header) != 0
                    : !parse_point_line(&point, text)) {
            fprintf(stderr, "quincunx: %s:%u: must be %s%s\n", path, line,
                    headed ? "whole numbers of " : "", header);
            return -1;
        }
        if (headed && append(measured, &point) != 0) {
            fprintf(stderr, "quincunx: %s: %s\n", path, strerror(ENOMEM));
            return -1;
        }
        headed = true;
    }
    if (ferror(file)) {
        fprintf(stderr, "quincunx: %s: %s\n", path, strerror(errno));
        return -1;
    }
    return 0;
}

int figures_measured_read(struct figures_measured *measured, const char *path)
{
    FILE *file = fopen(path, "r");
    int result;

    *measured = (struct figures_measured){.point = NULL};
    if (file == NULL) {
        fprintf(stderr, "quincunx: %s: %s\n", path, strerror(errno));
        return -1;
    }
    result = read_lines(measured, file, path);
    fclose(file);
    if (result != 0) {
        figures_measured_free(measured);
    }
    return result;
}

void figures_measured_free(struct figures_measured *measured)
{
    free(measured->point);
    *measured = (struct figures_measured){.point = NULL};
}
