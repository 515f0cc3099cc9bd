/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole scatter, node by node, as an event simulation with integer
 * volumes. It knows the tables of floors and the paths, and nothing of the
 * closed form: when a node receives what follows from the circuits alone.
 *
 * A node that has received its volume splits it with scatter/plan/split.h,
 * queues the sends of all later phases on its ports, and computes its own
 * share. A port works its queue off in order. A circuit holds all links of its
 * path, in both directions, for startup + hops * hop delay + units * transfer.
 * One that finds a link held waits (a conflict, counted) and is granted, oldest
 * first, when all its links are free: the rules of qemu/fabric/fabric.h.
 *
 * Events are worked off in the order of their times. At one time, all circuits
 * that end release their links and deliver first; then those that wait are
 * tried again; then new ones are set up, by node, then port. A circuit that
 * takes no time ends after those that were asked for at its time.
 */
#ifndef QEMU_MODEL_SIMULATE_H
#define QEMU_MODEL_SIMULATE_H

#include "hal/nodiscard.h"
#include "qemu/model/model.h"
#include "scatter/plan/one_round.h"
#include "torus/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* The tables by which nodes split, as planner_plan() fills them. Index:
   layer. */
struct simulate_tables {
    uint32_t volume_units[PLANNER_PHASES_MAX + 1];
    uint32_t share_units[PLANNER_PHASES_MAX + 1];
};

struct simulate_input {
    struct torus_size size; /* 5^k x 5^k */
    struct torus_coord originator;
    uint32_t load_units;
    uint8_t phases;        /* 0 .. torus_phases(size) */
    uint64_t startup_ps;   /* of a circuit without its hops */
    uint64_t hop_delay_ps; /* per hop; with the startup below 2^64 */
    uint64_t transfer_ps;  /* per unit */
    uint64_t compute_ps;   /* per unit */
    struct simulate_tables tables;
    /* Valid paths; entry i - 1: of phase i. */
    struct torus_path path[TORUS_PHASES_MAX][TORUS_PORTS];
};

struct simulate_node {
    uint64_t received_ps;
    uint32_t volume_units; /* what it received */
    uint32_t share_units;  /* what it computes, until received_ps and
                              share_units * compute_ps */
    uint8_t layer;         /* phase that reached it */
    bool reached;
    bool finished;
};

struct simulate_range {
    uint64_t least;
    uint64_t most;
};

/* All of it 0 if no node of the layer was reached. */
struct simulate_layer {
    uint32_t nodes;
    struct simulate_range volume_units;
    struct simulate_range share_units;
    struct simulate_range received_ps;
    struct simulate_range finished_ps;
};

/* A circuit that met another one on a link. */
struct simulate_meeting {
    uint64_t time_ps;
    struct torus_coord source;
    uint32_t link; /* torus_link() */
    uint8_t port;
    uint8_t phase;
    uint8_t other_phase; /* of the circuit that was there before */
};

struct simulate_outcome {
    struct simulate_layer layer[TORUS_PHASES_MAX + 1];
    uint32_t reached;       /* distinct nodes */
    uint32_t reached_again; /* receipts of nodes that had received before */
    uint32_t finished;
    uint32_t misplaced;   /* not in the layer that torus_role_of() says */
    uint32_t refused;     /* whose volume split_volume() does not take */
    uint64_t units_total; /* computed by nodes that finished */
    struct simulate_range finish_ps;
    uint64_t circuits_set_up;
    uint64_t circuits_ended;
    uint64_t conflicts;
    struct simulate_meeting first_conflict;
    uint64_t overlaps; /* links that one phase uses once more */
    struct simulate_meeting first_overlap;
};

/* The paths of this torus's scatter. */
void simulate_set_paths(struct simulate_input *input);

/*
 * nodes[0 .. width * height), row-major, is the caller's. Result: 0;
 * ERR_MEMORY; ERR_RANGE (a time of 2^63 ps or more). Cost: a few hundred
 * nanoseconds and about 50 bytes for each node, nodes[] included.
 */
NODISCARD int simulate_run(struct simulate_outcome *outcome,
                           struct simulate_node nodes[],
                           const struct simulate_input *input);

/* The properties that an outcome must have. */
enum simulate_check {
    SIMULATE_REACHED,  /* every active node receives and finishes once */
    SIMULATE_LAYERS,   /* ... in the layer that torus_role_of() says */
    SIMULATE_TOTAL,    /* the units computed add up to the load */
    SIMULATE_VOLUMES,  /* each is the floor of the exact one or one more */
    SIMULATE_SHARES,   /* so is each share */
    SIMULATE_DISJOINT, /* no link is used twice in one phase */
    SIMULATE_MAKESPAN, /* not before the exact one; late by one unit's
                          transfer a phase and one unit's compute at most */
    SIMULATE_CHECKS
};

/* How much later than the exact makespan whole units may end: N tau + 1/sigma,
   since every volume and every share is at most one unit more. */
uint64_t simulate_bound_ps(const struct simulate_input *input);

/*
 * Compares with the exact model of the same input and phases. Where an exact
 * volume or share is within 2^-18 unit of an integer, either integer may be its
 * floor: scatter/plan/one_round.h promises no more; times may be off by as
 * much.
 */
void simulate_check(bool passed[SIMULATE_CHECKS],
                    const struct simulate_outcome *outcome,
                    const struct simulate_input *input,
                    const struct model_plan *model);

#endif
