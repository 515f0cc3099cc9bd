/* SPDX-License-Identifier: Apache-2.0 */
/* State that the originator's files share: the order at hand and its plan. */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "scatter/engine/core.h"
#include "scatter/plan/advance.h"

/* One order that is carried out. */
struct originator {
    /* From here to report.startup_ps all is 0 when the order comes. */
    bool alone;    /* computing alone is faster than any scatter */
    bool has_tail; /* a reserve of the load is given to nodes that ask */
    bool known;    /* the kernel's rate is known without measuring */
    bool unlikely; /* few units were measured, and the kernel's own estimate is
                      far off their time */
    uint64_t varies_ps; /* highest less lowest unit time of the samples */
    struct advance advance;
    uint64_t announced_ps; /* when the announcement began to be queued */
    struct wire_report report;
    struct wire_order order;
    struct plan_job input; /* of the pattern; its startups are those of the last
                              trial, and when all are done of the plan */
    uint8_t *job;   /* as stored; the tables of later rounds lie behind it */
    uint32_t nodes; /* of the mesh, on the pattern */
    uint32_t advance_units[TORUS_PHASES_MAX + 1]; /* its volumes */
    struct rounds_plan plan; /* the best so far; tables beyond its rounds and
                                phases are not set */
    uint32_t *tree_tables; /* of a tree: of all rounds, if there are several */
    struct farm_state *farm;             /* scatter/engine/farm.c */
    uint64_t round_begin_ps[ROUNDS_MAX]; /* of a tree, from time zero; set like
                                            those */
};

static inline uint64_t originator_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Time in ps in which a switch sends a message of `bytes` behind its header. */
static inline uint64_t order_message_ps(const struct wire_order *order,
                                        uint64_t bytes)
{
    return order->startup_ps +
           order->transfer_ps * (CIRCUIT_HEADER_BYTES + bytes);
}

/* Time in ps of a circuit over so many hops with such a message. Switches that
   store and forward send it once for each hop. */
static inline uint64_t order_circuit_ps(const struct wire_order *order,
                                        uint64_t message_ps, uint32_t hops)
{
    if ((order->flags & WIRE_STORE_AND_FORWARD) != 0) {
        message_ps *= hops;
    }
    return message_ps + order->hop_delay_ps * hops;
}

/* Hops of a circuit of this phase of the pattern. */
static inline uint32_t originator_phase_hops(const struct scatter *scatter,
                                             unsigned phase)
{
    return torus_path_hops(scatter->message[phase].path);
}

/* The timed part of the job begins: time zero is just before the first send is
   queued. */
void originator_start(struct scatter *scatter, struct originator *originator);

/* Begins to carry out what is planned: sets the node's state, and starts the
   timed part unless an advance has. */
void originator_begin(struct scatter *scatter, struct originator *originator);

/*
 * Units that the originator would compute in the time that its ports take of
 * its processor to send the others theirs; 0 where ports work by themselves,
 * shares are equal, or several rounds are ordered. At most as many as each node
 * would get of `scatter->units` if all got the same.
 * A plan of so many units more, which are then taken off the originator's
 * share, has all nodes end together all the same.
 */
uint32_t originator_ports_units(const struct scatter *scatter,
                                const struct originator *originator);

/* Makes the whole load of the order the originator's range. */
void originator_set_range(struct scatter *scatter,
                          const struct wire_order *order);

/* Takes the first units, which are computed or sent, off the order and the
   range. */
void originator_take_off(struct scatter *scatter, struct originator *originator,
                         uint32_t units);

/* Takes memory at free_from, rounded up to 8 bytes; NULL if there is not as
   much. */
uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes);

#endif
