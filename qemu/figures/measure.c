/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points of the figures from meshes that run. `spin 32` takes 32 instructions
 * of 32 ns a unit, 1.024 us where the figures have 1 us, so every cost of a
 * figure is multiplied by 1.024 too: on the mesh time runs slower by that much.
 * A startup of 0 is one of 1 ps there, and software takes what it takes.
 */
#include "qemu/figures/figures.h"

#include "qemu/board/emulator.h"
#include "qemu/job/job.h"
#include "qemu/job/memory_need.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/options/job.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/limits.h"
#include "qemu/support/memory.h"
#include "qemu/support/memory_limit.h"
#include "qemu/support/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPIN "32"
#define SLOWER(ps) (((ps)*1024u + 500u) / 1000u)

/* One run: a point in every figure named; costs are the first's. */
struct measurement {
    unsigned side;
    unsigned phases; /* or WIRE_BEST */
    unsigned rounds; /* or WIRE_BEST */
    uint32_t load_units;
    unsigned figure[2]; /* 0: none */
};

/* As few of 625 boards as tell something; of 15,625 nodes last. */
static const struct measurement measurements[] = {
    {5, WIRE_BEST, 1, 10000, {3, 0}},
    {5, WIRE_BEST, 1, 100000, {3, 0}},
    {5, WIRE_BEST, 1, 1000000, {3, 0}},
    {5, WIRE_BEST, 1, 10000, {4, 0}},
    {5, WIRE_BEST, 1, 1000000, {4, 0}},
    {5, WIRE_BEST, 1, 10000, {5, 0}},
    {5, WIRE_BEST, 1, 1000000, {5, 0}},
    {5, WIRE_BEST, 1, 1000, {6, 9}},
    {5, WIRE_BEST, 1, 10000, {6, 9}},
    {5, WIRE_BEST, 1, 100000, {6, 9}},
    {5, WIRE_BEST, 1, 1000000, {6, 9}},
    {5, WIRE_BEST, 1, 10000000, {6, 9}},
    {5, WIRE_BEST, 1, 100000, {7, 0}},
    {5, WIRE_BEST, 1, 10000000, {7, 0}},
    {5, WIRE_BEST, WIRE_BEST, 100000, {9, 0}},
    {5, WIRE_BEST, WIRE_BEST, 1000000, {9, 0}},
    {5, WIRE_BEST, WIRE_BEST, 10000000, {9, 0}},
    {25, 3, 1, 1000000, {6, 0}},
    {25, WIRE_BEST, 1, 100000, {6, 9}},
    {25, WIRE_BEST, 1, 1000000, {6, 9}},
    {25, WIRE_BEST, 1, 10000000, {6, 9}},
    {25, WIRE_BEST, 1, 10000000, {7, 0}},
    {25, WIRE_BEST, WIRE_BEST, 100000, {9, 0}},
    {25, WIRE_BEST, WIRE_BEST, 1000000, {9, 0}},
    {25, WIRE_BEST, WIRE_BEST, 10000000, {9, 0}},
    {125, WIRE_BEST, 1, 1000000, {3, 0}},
    {125, WIRE_BEST, 1, 1000000, {4, 0}},
    {125, WIRE_BEST, 1, 10000000, {4, 0}},
};

#define MEASUREMENTS (sizeof measurements / sizeof *measurements)

static const struct kernel *spin(void)
{
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, "spin") == 0) {
            return kernel_table[i];
        }
    }
    return NULL;
}

static void set_config(struct job_config *config,
                       const struct measurement *measurement)
{
    const struct figures_figure *figure =
        figures_parameters(measurement->figure[0]);
    uint64_t startup_ps = SLOWER(figure->startup_ps);

    config->size = (struct torus_size){(uint16_t)measurement->side,
                                       (uint16_t)measurement->side};
    config->phases = (uint8_t)measurement->phases;
    config->rounds = (uint8_t)measurement->rounds;
    config->load.units = measurement->load_units;
    config->profile.startup_ps = startup_ps > 0 ? startup_ps : 1;
    config->profile.transfer_ps = SLOWER(figure->transfer_ps);
    config->profile.hop_delay_ps = 0;
}

/* 5^phases, of those that the run may use. */
static uint64_t nodes_of(const struct measurement *measurement)
{
    return measurement->phases == 3
               ? 125
               : (uint64_t)measurement->side * measurement->side;
}

static void add_points(struct figures_points *measured,
                       const struct measurement *measurement,
                       const struct outcome *outcome, const char *on)
{
    struct figures_point point = {.nodes = nodes_of(measurement),
                                  .load_units = outcome->load_units,
                                  .makespan_ps = outcome_makespan_ps(outcome),
                                  .rounds = outcome->plan.rounds,
                                  .compute_ps = outcome->plan.compute_ps,
                                  .on = on};

    for (unsigned i = 0; i < 2 && measurement->figure[i] != 0; ++i) {
        point.figure = measurement->figure[i];
        figures_points_add(measured, &point);
    }
}

static int measure_one(struct figures_points *measured,
                       struct job_config *config,
                       const struct measurement *measurement)
{
    struct outcome outcome;
    int status;

    progress_within(0, "figure %u, %u x %u (run %zu of %zu)",
                    measurement->figure[0], measurement->side,
                    measurement->side, (size_t)(measurement - measurements) + 1,
                    MEASUREMENTS);
    status = job_execute(&outcome, config);
    if (status == 0) {
        add_points(measured, measurement, &outcome, config->mesh->on);
        outcome_free(&outcome);
    }
    return status;
}

/* Whether this host carries its mesh; if not, says so on stderr. */
static bool fits(const struct job_config *config,
                 const struct measurement *measurement)
{
    uint32_t nodes = torus_nodes(config->size);
    struct memory_limit limit;
    bool memory;

    memory_limit_read(&limit, "");
    memory = memory_need(config) <= limit.bytes;
    if (memory &&
        (!config->mesh->has_images ||
         limits_allow_threads(EMULATOR_THREADS * nodes, nodes) == 0)) {
        return true;
    }
    fprintf(stderr,
            "quincunx: figure %u: left out: %" PRIu32 " units on %" PRIu32
            " %s, for which this system has too %s\n",
            measurement->figure[0], measurement->load_units, nodes,
            config->mesh->nodes, memory ? "few threads" : "little memory");
    return false;
}

static int measure_all(struct figures_points *measured,
                       struct job_config *config)
{
    uint32_t most = 0;
    struct format_load *load = &config->load;
    int status = 0;

    for (size_t i = 0; i < MEASUREMENTS; ++i) {
        most = measurements[i].load_units > most ? measurements[i].load_units
                                                 : most;
    }
    load->data = memory_or_exit(calloc(most, 1));
    load->unit_bytes = 1;
    format_copy_arg(load, SPIN, sizeof SPIN - 1);
    for (size_t i = 0; status == 0 && i < MEASUREMENTS; ++i) {
        set_config(config, &measurements[i]);
        if (fits(config, &measurements[i])) {
            status = measure_one(measured, config, &measurements[i]);
        }
    }
    format_free(load);
    return status;
}

int figures_measure(struct figures_points *measured, const char *on)
{
    struct job_options options;
    int status;

    job_options_init(&options, "figures");
    options.config.kernel = spin();
    options.config.input_name = "zeros";
    if (options.config.kernel == NULL) {
        fprintf(stderr, "quincunx: figures: no kernel spin to measure with\n");
        return EXIT_FAILED;
    }
    status = job_options_set_on(&options, on);
    status = status == 0 ? job_options_find_boards(&options) : status;
    if (status == 0) {
        status = measure_all(measured, &options.config);
    }
    if (status != 0) {
        figures_points_free(measured);
    }
    return status;
}
