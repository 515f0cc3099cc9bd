/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures 3 to 8 of Blazewicz, Drozdowski, Guinand, Trystram 1999, section 4,
 * from the model, and a figure 9 of our own: one round and the best number of
 * rounds against a lower bound. sigma = 1e6 units/s throughout: compute time
 * 1 us a unit.
 *
 *   3 to 6   makespan over load, up to 25 .. 3125 nodes, and to 15,625
 *   7        speedup over nodes, for several loads
 *   8        speedup over nodes: this scatter, and nearest idle nodes
 *   9        makespan over load, divided by the lower bound
 */
#ifndef QEMU_FIGURES_FIGURES_H
#define QEMU_FIGURES_FIGURES_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIGURES_FIRST 3u
#define FIGURES_LAST 9u
#define FIGURES_COMPUTE_PS 1000000u /* per unit */
#define FIGURES_SERIES_MAX 6u
#define FIGURES_ROWS_MAX 20u

struct figures_row {
    uint64_t nodes;  /* that take part */
    unsigned phases; /* for the nearest idle nodes, layers */
    unsigned rounds;
    uint64_t load_units;
    uint64_t makespan_ps;
    uint64_t bound_ps; /* the lower bound in figure 9, else 0 */
};

struct figures_series {
    char name[40];
    struct figures_row row[FIGURES_ROWS_MAX];
    unsigned rows;
};

struct figures_figure {
    unsigned number; /* FIGURES_FIRST .. FIGURES_LAST */
    uint64_t startup_ps;
    uint64_t transfer_ps;   /* per unit */
    const char *assumption; /* "": the scan is legible */
    struct figures_series series[FIGURES_SERIES_MAX];
    unsigned count;
};

/*
 * A point that was measured on a mesh. A unit of its load took compute_ps, not
 * quite FIGURES_COMPUTE_PS, and all costs were larger in proportion: the figure
 * shows makespan_ps * FIGURES_COMPUTE_PS / compute_ps, which has the speedup
 * that was measured, load_units * compute_ps / makespan_ps.
 */
struct figures_point {
    unsigned figure;
    uint64_t nodes; /* of the mesh that may take part, 5^n */
    uint64_t load_units;
    uint64_t makespan_ps;
    unsigned rounds;
    uint64_t compute_ps; /* per unit */
    const char *on;      /* figures_on() */
};

/* Zeros: nothing measured. */
struct figures_points {
    struct figures_point *point; /* figures_points_free() */
    size_t count;
};

/* Computes one figure. Result: 0, or an error of qemu/model/model.h. */
NODISCARD int figures_compute(struct figures_figure *figure, unsigned number);

/*
 * The value on the vertical axis: seconds (3 to 6), speedup (7 and 8), makespan
 * over lower bound (9, where 5^phases nodes count).
 */
double figures_value(const struct figures_figure *figure,
                     const struct figures_row *row);

/* A measured point as a row of the figure, for figures_value(). */
struct figures_row figures_row_of(const struct figures_figure *figure,
                                  const struct figures_point *point);

/* A figure without series: its costs. */
const struct figures_figure *figures_parameters(unsigned number);

/*
 * Measured points in a file: a first line "figure,nodes,load_units,makespan_ps,
 * rounds,compute_ps,on", then such lines, the last column being qemu or native;
 * `#` begins a comment line. Result: 0, or -1 after a message on stderr.
 */
NODISCARD int figures_points_read(struct figures_points *measured,
                                  const char *path);
NODISCARD int figures_points_write(const struct figures_points *measured,
                                   const char *path);

/* "qemu" or "native", if that is the name, as of `run --on`; else NULL. */
const char *figures_on(const char *name);

/* Appends a point. */
void figures_points_add(struct figures_points *measured,
                        const struct figures_point *point);

/*
 * Runs meshes of 25, 625 and 15,625 boards or native nodes for the figures that
 * they can carry out: 3 to 7 and 9, loads of up to 10 million units. A mesh
 * that this host has no memory or threads for is left out, with a message.
 * Result: 0, or an exit status after a message, and then no points. Progress on
 * stderr if it is a terminal. Takes minutes with boards.
 */
NODISCARD int figures_measure(struct figures_points *measured, const char *on);
void figures_points_free(struct figures_points *measured);

/* Write a figure to a file; in the CSV there is a bound_ps in figure 9 only.
   Result: 0, or -1 after a message on stderr. */
NODISCARD int figures_csv_write(const struct figures_figure *figure,
                                const char *path);
NODISCARD int figures_svg_write(const struct figures_figure *figure,
                                const struct figures_points *measured,
                                const char *path);

#endif
