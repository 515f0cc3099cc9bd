/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/figures/figures.h"

#include "qemu/model/bound.h"
#include "qemu/model/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COMPUTE ((double)FIGURES_COMPUTE_PS)
#define ROUNDS_MAX 16u
#define DECADES 7u /* 1000 to 1e9 units, and the ends */

/* The values in which the figures differ. */
static const struct figures_figure parameters[] = {
    {3, 0, 2000000, "", {{.rows = 0}}, 0},
    {4, 0, 1, "", {{.rows = 0}}, 0},
    {5, 50000000, 1, "startup assumed", {{.rows = 0}}, 0},
    {6, 4850000, 3300, "", {{.rows = 0}}, 0},
    {7, 10000000, 100000, "startup assumed", {{.rows = 0}}, 0},
    {8, 0, 10000, "transfer time assumed", {{.rows = 0}}, 0},
    {9, 4850000, 3300, "", {{.rows = 0}}, 0},
};

static uint64_t power_of_five(unsigned exponent)
{
    uint64_t power = 1;

    while (exponent-- > 0) {
        power *= 5;
    }
    return power;
}

static struct figures_series *add_series(struct figures_figure *figure,
                                         const char *name)
{
    struct figures_series *series = &figure->series[figure->count++];

    snprintf(series->name, sizeof series->name, "%s", name);
    series->rows = 0;
    return series;
}

static struct model_input input_of(const struct figures_figure *figure,
                                   uint64_t load_units, unsigned phases)
{
    struct model_input input = {.load_units = load_units,
                                .compute_ps = FIGURES_COMPUTE_PS,
                                .transfer_ps = figure->transfer_ps,
                                .phases_max = (uint8_t)phases};

    for (unsigned i = 0; i < phases; ++i) {
        input.startup_ps[i] = figure->startup_ps;
    }
    return input;
}

/* Adds what the model says of at most so many phases; rounds as in
   model_plan_rounds(). */
static int add_plan(struct figures_series *series,
                    const struct figures_figure *figure, uint64_t load_units,
                    unsigned phases, unsigned rounds)
{
    struct model_input input = input_of(figure, load_units, phases);
    struct model_detail detail = {.part = NULL};
    struct model_plan plan;
    int error = rounds == 1 ? model_plan(&plan, &input)
                            : model_plan_rounds(&plan, &detail, &input, rounds);

    model_detail_free(&detail);
    if (error == ERR_OK) {
        series->row[series->rows++] =
            (struct figures_row){.nodes = power_of_five(plan.phases),
                                 .phases = plan.phases,
                                 .rounds = plan.rounds,
                                 .load_units = load_units,
                                 .makespan_ps = plan.makespan_ps};
    }
    return error;
}

/* 1, 2, 5, 10 ... times 1000, up to 1e9. */
static uint64_t load_at(unsigned i)
{
    static const uint64_t steps[3] = {1, 2, 5};
    uint64_t load = 1000 * steps[i % 3];

    for (unsigned decade = 0; decade < i / 3; ++decade) {
        load *= 10;
    }
    return load;
}

#define LOADS (3 * (DECADES - 1) + 1)

static int over_loads(struct figures_figure *figure)
{
    int error = ERR_OK;

    for (unsigned phases = 2; phases <= 6; ++phases) {
        char name[32];
        struct figures_series *series;

        snprintf(name, sizeof name, "%u nodes",
                 (unsigned)power_of_five(phases));
        series = add_series(figure, name);
        for (unsigned i = 0; error == ERR_OK && i < LOADS; ++i) {
            error = add_plan(series, figure, load_at(i), phases, 1);
        }
    }
    return error;
}

static int over_nodes(struct figures_figure *figure)
{
    static const struct {
        uint64_t load_units;
        const char *name;
    } loads[] = {{1000, "1k units"},
                 {100000, "100k units"},
                 {10000000, "10M units"},
                 {1000000000, "1G units"}};
    int error = ERR_OK;

    for (unsigned k = 0; k < sizeof loads / sizeof *loads; ++k) {
        struct figures_series *series = add_series(figure, loads[k].name);

        for (unsigned phases = 0; error == ERR_OK && phases <= 10; ++phases) {
            error = add_plan(series, figure, loads[k].load_units, phases, 1);
            /* The axis is what there is, not what takes part. */
            series->row[series->rows - 1].nodes = power_of_five(phases);
        }
    }
    return error;
}

/*
 * Sending to nearest idle nodes: layer i is the 4 i nodes at distance i. As
 * the paper assumes of the older method, nodes of a layer are equivalent and
 * alpha = 0; each gets its part, U_i / (4 i), over one link, where U_i is what
 * layers i and beyond process. All end together: a_{i-1} = a_i + rho U_i /
 * (4 i), with a_n = 1. Speedup: (a_0 + U_1) / a_0.
 */
static double nearest_speedup(double rho, unsigned layers)
{
    double share = 1;
    double beyond = 0;

    for (unsigned i = layers; i >= 1; --i) {
        beyond += 4.0 * i * share;
        share += rho * beyond / (4.0 * i);
    }
    return (share + beyond) / share;
}

static int over_methods(struct figures_figure *figure)
{
    const uint64_t load = 1000000000;
    struct figures_series *series = add_series(figure, "Peters-Syska scatter");
    double rho = (double)figure->transfer_ps / COMPUTE;
    unsigned layers = 0;
    int error = ERR_OK;

    for (unsigned phases = 0; error == ERR_OK && phases <= 8; ++phases) {
        error = add_plan(series, figure, load, phases, 1);
    }
    series = add_series(figure, "nearest idle nodes");
    for (unsigned phases = 0; phases <= 8; ++phases) {
        double alone = (double)load * COMPUTE;

        while (1 + 2ull * (layers + 1) * (layers + 2) <=
               power_of_five(phases)) {
            layers += 1;
        }
        series->row[series->rows++] =
            (struct figures_row){.nodes = 1 + 2ull * layers * (layers + 1),
                                 .phases = layers,
                                 .rounds = 1,
                                 .load_units = load,
                                 .makespan_ps = (uint64_t)llround(
                                     alone / nearest_speedup(rho, layers))};
    }
    return error;
}

/* The lower bound on the makespan of a load on 5^phases nodes, in ps, rounded
   up. */
static uint64_t lower_bound_ps(const struct figures_figure *figure,
                               uint64_t load_units, unsigned phases)
{
    struct bound_input input = {.load_units = (double)load_units,
                                .compute_ps = COMPUTE,
                                .transfer_ps = (double)figure->transfer_ps,
                                .startup_ps = (double)figure->startup_ps,
                                .speed = (double)power_of_five(phases),
                                .ports = TORUS_PORTS};
    struct bound bound = bound_of(&input);

    return (uint64_t)ceil(bound_ps(&bound));
}

static int over_rounds(struct figures_figure *figure)
{
    int error = ERR_OK;

    for (unsigned k = 0; k < 4; ++k) {
        unsigned phases = k < 2 ? 2 : 4;
        bool best = k % 2 == 1;
        char name[40];
        struct figures_series *series;

        snprintf(name, sizeof name, "%s, %u nodes",
                 best ? "best rounds" : "one round",
                 (unsigned)power_of_five(phases));
        series = add_series(figure, name);
        for (unsigned i = 0; error == ERR_OK && i < LOADS; ++i) {
            error = add_plan(series, figure, load_at(i), phases, best ? 0 : 1);
            series->row[i].bound_ps =
                lower_bound_ps(figure, load_at(i), phases);
        }
    }
    return error;
}

const struct figures_figure *figures_parameters(unsigned number)
{
    return &parameters[number - FIGURES_FIRST];
}

int figures_compute(struct figures_figure *figure, unsigned number)
{
    *figure = *figures_parameters(number);
    switch (number) {
    case 7:
        return over_nodes(figure);
    case 8:
        return over_methods(figure);
    case 9:
        return over_rounds(figure);
    default:
        return over_loads(figure);
    }
}

double figures_value(const struct figures_figure *figure,
                     const struct figures_row *row)
{
    double makespan = (double)row->makespan_ps;

    switch (figure->number) {
    case 7:
    case 8:
        return (double)row->load_units * COMPUTE / makespan;
    case 9:
        return makespan / (double)row->bound_ps;
    default:
        return makespan / 1e12;
    }
}

struct figures_row figures_row_of(const struct figures_figure *figure,
                                  const struct figures_point *point)
{
    struct figures_row row = {
        .nodes = point->nodes,
        .rounds = point->rounds,
        .load_units = point->load_units,
        .makespan_ps = (uint64_t)llround((double)point->makespan_ps * COMPUTE /
                                         (double)point->compute_ps)};

    while (power_of_five(row.phases) < point->nodes) {
        row.phases += 1;
    }
    if (figure->number == 9) {
        row.bound_ps = lower_bound_ps(figure, row.load_units, row.phases);
    }
    return row;
}
