/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/figures/figures.h"

#include "qemu/report/summary.h"
#include "qemu/support/file.h"
#include "qemu/support/gnuplot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WIDTH_PIXELS 900
#define HEIGHT_PIXELS 520
#define MEASURED_KINDS 2u

/* From the palette of Okabe and Ito, which the colour-blind can tell apart. */
static const char *const colour[FIGURES_SERIES_MAX] = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
};

static const char *const title[] = {
    "makespan over load",
    "makespan over load",
    "makespan over load",
    "makespan over load, Cray T3D",
    "speedup over nodes",
    "speedup over nodes, of the scatter and sending to nearest idle nodes",
    "One round and the best of up to 16, over the lower bound, Cray T3D",
};

/* "startup 4.850 us, transfer 3.300 ns and compute 1 us a unit". */
static void print_parameters(FILE *out, const struct figures_figure *figure)
{
    char startup[SUMMARY_TIME_BYTES];
    char transfer[SUMMARY_TIME_BYTES];

    summary_time(startup, figure->startup_ps);
    summary_time(transfer, figure->transfer_ps);
    fprintf(out, "startup %s, transfer %s and compute 1 us a unit", startup,
            transfer);
    if (figure->assumption[0] != '\0') {
        fprintf(out, " (%s)", figure->assumption);
    }
}

static const char *assumed_layers(const struct figures_figure *figure)
{
    return figure->number == 8
               ? "nearest idle nodes: layer i has 4 i equal nodes, each served "
                 "over one link"
               : "";
}

static void print_rows(FILE *out, const struct figures_figure *figure)
{
    for (unsigned k = 0; k < figure->count; ++k) {
        const struct figures_series *series = &figure->series[k];

        for (unsigned i = 0; i < series->rows; ++i) {
            const struct figures_row *row = &series->row[i];

            fprintf(out,
                    "\"%s\",%" PRIu64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%.9g,",
                    series->name, row->nodes, row->phases, row->rounds,
                    row->load_units, row->makespan_ps,
                    (double)row->load_units * FIGURES_COMPUTE_PS /
                        (double)row->makespan_ps);
            if (row->bound_ps > 0) {
                fprintf(out, "%" PRIu64, row->bound_ps);
            }
            fputc('\n', out);
        }
    }
}

int figures_csv_write(const struct figures_figure *figure, const char *path)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    fprintf(file.stream, "# %s: ", title[figure->number - FIGURES_FIRST]);
    print_parameters(file.stream, figure);
    if (figure->number == 8) {
        fprintf(file.stream, "\n# %s; they are counted as its phases",
                assumed_layers(figure));
    }
    fputs("\nseries,nodes,phases,rounds,load_units,makespan_ps,speedup,"
          "bound_ps\n",
          file.stream);
    print_rows(file.stream, figure);
    return file_output_close(&file, true);
}

static bool over_load(const struct figures_figure *figure)
{
    return figure->number <= 6 || figure->number == 9;
}

/* Prints a point of the data: x, y, and the colour, "#rrggbb" as a number. */
static void print_point(FILE *script, const struct figures_figure *figure,
                        const struct figures_row *row, const char *rgb)
{
    fprintf(script, "%" PRIu64 " %.9g 0x%s\n",
            over_load(figure) ? row->load_units : row->nodes,
            figures_value(figure, row), rgb + 1);
}

/* In figure 9 a measured point has the colour of its series: where software
   counts, it lies far from it. */
static const char *colour_of(const struct figures_figure *figure,
                             const struct figures_point *point)
{
    unsigned series = (point->nodes > 25 ? 2u : 0u) + (point->rounds > 1);

    return figure->number == 9 ? colour[series] : "#000000";
}

static void print_series(FILE *script, const struct figures_figure *figure)
{
    for (unsigned k = 0; k < figure->count; ++k) {
        fprintf(script, "$s%u << EOD\n", k);
        for (unsigned i = 0; i < figure->series[k].rows; ++i) {
            print_point(script, figure, &figure->series[k].row[i], colour[k]);
        }
        fputs("EOD\n", script);
    }
}

/* Measured points of a figure; figure 9 tells several rounds from one. */
static bool is_of(const struct figures_point *point,
                  const struct figures_figure *figure, unsigned kind)
{
    unsigned own = figure->number == 9 && point->rounds > 1;

    return point->figure == figure->number && own == kind;
}

/* Data block $m0 or $m1; returns whether it has points. */
static bool print_points(FILE *script, const struct figures_figure *figure,
                         const struct figures_points *measured, unsigned kind)
{
    bool any = false;

    fprintf(script, "$m%u << EOD\n", kind);
    for (size_t i = 0; i < measured->count; ++i) {
        if (is_of(&measured->point[i], figure, kind)) {
            struct figures_row row =
                figures_row_of(figure, &measured->point[i]);

            print_point(script, figure, &row,
                        colour_of(figure, &measured->point[i]));
            any = true;
        }
    }
    fputs("EOD\n", script);
    return any;
}

/* "; circles and squares: measured on QEMU boards", or nothing. */
static void print_where(FILE *script, const struct figures_figure *figure,
                        const struct figures_points *measured)
{
    bool on[2] = {false, false};

    for (size_t i = 0; i < measured->count; ++i) {
        if (measured->point[i].figure == figure->number) {
            on[strcmp(measured->point[i].on, "native") == 0] = true;
        }
    }
    if (on[0] || on[1]) {
        fprintf(script, "; measured on %s%s%s", on[0] ? "QEMU boards" : "",
                on[0] && on[1] ? " and " : "", on[1] ? "native nodes" : "");
    }
}

static void print_axes(FILE *script, const struct figures_figure *figure)
{
    if (over_load(figure)) {
        fputs("set xlabel \"load, units\"\nset xrange [1e3:1e9]\n"
              "set xtics (\"1k\" 1e3, \"10k\" 1e4, \"100k\" 1e5, \"1M\" 1e6, "
              "\"10M\" 1e7, \"100M\" 1e8, \"1G\" 1e9)\n",
              script);
    } else {
        fprintf(script,
                "set xlabel \"nodes\"\nset xrange [1:%s]\n"
                "set format x \"%%.0f\"\nset xtics %s\nunset mxtics\n",
                figure->number == 7 ? "9765625" : "390625",
                figure->number == 7 ? "1,25,9765625" : "1,5,390625");
    }
    switch (figure->number) {
    case 7:
        fputs("set logscale xy\nset ylabel \"speedup\"\n"
              "set yrange [1:100]\n",
              script);
        break;
    case 8:
        fputs("set logscale x\nset ylabel \"speedup\"\nset yrange "
              "[0:450]\n",
              script);
        break;
    case 9:
        fputs("set logscale x\nset ylabel \"makespan / lower bound\"\n"
              "set yrange [0.9:*]\nset offsets 0, 0, graph 0.05, 0\n",
              script);
        break;
    default:
        fputs("set logscale xy\nset ylabel \"makespan, s\"\n"
              "set format y \"10^{%T}\"\nset mytics 10\n",
              script);
        break;
    }
}

static void print_titles(FILE *script, const struct figures_figure *figure,
                         const struct figures_points *measured)
{
    fputs("set label \"", script);
    if (figure->number < FIGURES_LAST) {
        fprintf(script, "Fig. %u of the paper: ", figure->number);
    }
    fprintf(script,
            "%s\" at screen 0.015, screen 0.955 left font "
            "\"sans-serif,17\"\nset label \"",
            title[figure->number - FIGURES_FIRST]);
    print_parameters(script, figure);
    print_where(script, figure, measured);
    if (figure->number == 8) {
        fprintf(script, "\\n%s", assumed_layers(figure));
    }
    fputs("\" at screen 0.015, screen 0.905 left textcolor rgb \"#404040\"\n",
          script);
}

/* Series that meet are told apart by points of falling size. */
static void print_plot(FILE *script, const struct figures_figure *figure,
                       const bool measured[MEASURED_KINDS])
{
    static const unsigned point[FIGURES_SERIES_MAX] = {7, 5, 9, 13, 11, 3};

    fputs("plot ", script);
    for (unsigned k = 0; k < figure->count; ++k) {
        fprintf(script,
                "%s$s%u using 1:2 with linespoints lw 2 pt %u ps %.2f "
                "lc rgb '%s' title \"%s\"",
                k == 0 ? "" : ", ", k, point[k], 1.0 - 0.17 * k, colour[k],
                figure->series[k].name);
    }
    if (figure->number == 9) {
        fputs(", 1 with lines lw 1.5 dt 2 lc rgb '#000000' title "
              "\"lower bound\"",
              script);
    }
    for (unsigned kind = 0; kind < MEASURED_KINDS; ++kind) {
        if (measured[kind]) {
            fprintf(script,
                    ", $m%u using 1:2:3 with points pt %u ps 1.4 lw 2 lc rgb "
                    "variable notitle, keyentry with points pt %u ps 1.4 lw 2 "
                    "lc rgb '#000000' title \"%s\"",
                    kind, kind == 0 ? 6 : 4, kind == 0 ? 6 : 4,
                    figure->number != 9 ? "measured"
                    : kind == 0         ? "one round, measured"
                                        : "best rounds, measured");
        }
    }
    fputc('\n', script);
}

static void print_script(FILE *script, const struct figures_figure *figure,
                         const struct figures_points *measured)
{
    bool any[MEASURED_KINDS];

    fprintf(script,
            "set terminal svg size %d,%d enhanced font \"sans-serif,13\" "
            "background \"#ffffff\"\n"
            "set border 3 lc rgb '#606060'\nset tics nomirror out\n"
            "set grid xtics ytics lc rgb '#d8d8d8' lw 0.5 dt solid\n"
            "set tmargin at screen 0.83\nset bmargin at screen 0.13\n"
            "set lmargin at screen 0.1\nset rmargin at screen 0.73\n"
            "set key at screen 0.75, 0.55 left center Left reverse samplen 2\n",
            WIDTH_PIXELS, HEIGHT_PIXELS);
    print_titles(script, figure, measured);
    print_axes(script, figure);
    print_series(script, figure);
    for (unsigned kind = 0; kind < MEASURED_KINDS; ++kind) {
        any[kind] = print_points(script, figure, measured, kind);
    }
    print_plot(script, figure, any);
}

int figures_svg_write(const struct figures_figure *figure,
                      const struct figures_points *measured, const char *path)
{
    FILE *script = tmpfile();
    int result = -1;

    if (script == NULL) {
        file_error(path, "%s", strerror(errno));
        return -1;
    }
    print_script(script, figure, measured);
    if (fflush(script) != 0) {
        file_error(path, "%s", strerror(errno));
    } else {
        result = gnuplot_write(script, path);
    }
    fclose(script);
    return result;
}
