/* SPDX-License-Identifier: Apache-2.0 */
/* State of the originator, and functions that several of its steps call. */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "scatter/engine/core.h"
#include "scatter/plan/advance.h"

/* State from an order's receipt to the report. At the receipt all fields before
   `report` are 0. */
struct originator {
    bool alone;         /* the originator computes the whole load */
    bool known;         /* the time of a unit is known without measuring */
    bool unlikely;      /* measured units do not tell other units' time */
    uint64_t varies_ps; /* spread of a unit's time in samples, ps; 0: none */
    struct advance advance;    /* units that an advance sends to each node */
    uint64_t announced_ps;     /* mesh time, ps, when the announcement begins */
    struct wire_range ordered; /* the order's units */
    uint32_t lost_units;       /* number of units in the report's ranges */
    struct wire_report report;
    struct wire_order order;
    struct plan_job input; /* the planners' input */
    uint8_t *job;          /* the stored job */
    /* [i]: an advance's units for a node of layer i and its descendants. */
    uint32_t advance_units[TORUS_PHASES_MAX + 1];
    uint64_t best_ps; /* time of `plan`, ps; UINT64_MAX if there is none */
    struct rounds_plan plan; /* pattern: the best plan so far */
    uint32_t *tree_tables;   /* tree: tables of all rounds; NULL: one round */
    struct farm_state *farm; /* state of a farm or of a tail (tail.h) */
    uint64_t round_begin_ps[ROUNDS_MAX]; /* tree: planned start of each round,
                                            ps after scatter_start_ps */
};

static inline uint64_t originator_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Returns startup plus transfer time, ps, of a payload of `bytes` bytes. */
static inline uint64_t order_message_ps(const struct wire_order *order,
                                        uint64_t bytes)
{
    return order->startup_ps +
           order->transfer_ps * (CIRCUIT_HEADER_BYTES + bytes);
}

/* Returns the time, ps, of a message over `hops` hops. `message_ps`: time, ps,
   to send it once. */
static inline uint64_t order_circuit_ps(const struct wire_order *order,
                                        uint64_t message_ps, uint32_t hops)
{
    if ((order->flags & WIRE_STORE_AND_FORWARD) != 0) {
        message_ps *= hops;
    }
    return message_ps + order->hop_delay_ps * hops;
}

static inline uint32_t originator_phase_hops(const struct scatter *scatter,
                                             unsigned phase)
{
    return torus_path_hops(scatter->message[phase].path);
}

/* Sets time zero, report.scatter_start_ps, just before the first send. */
void originator_start(struct scatter *scatter, struct originator *originator);

/* Enters NODE_STATE_SCATTERING. Starts the scatter unless an advance has. */
void originator_begin(struct scatter *scatter, struct originator *originator);

/* Returns how many units the originator could compute in the processor time
   that its ports take. Result: at most the mean share of a node; 0 if ports
   take none, shares are equal, or several rounds are ordered. */
uint32_t originator_ports_units(const struct scatter *scatter,
                                const struct originator *originator);

/* Sets the range to the order's load: to all units not taken off so far. */
void originator_set_range(struct scatter *scatter,
                          const struct wire_order *order);

/* Takes the first `units` units, computed or sent, off order and range. */
void originator_take_off(struct scatter *scatter, struct originator *originator,
                         uint32_t units);

/* Returns `bytes` bytes, rounded up to a multiple of 8, at free_from, and moves
   free_from behind them. NULL: no room. */
uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes);

#endif
