/* SPDX-License-Identifier: Apache-2.0 */
/* State of the originator, and functions that several of its steps call. */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "scatter/engine/core.h"
#include "scatter/plan/advance.h"

/* State from an order's receipt to the report. When the order comes, all fields
   up to `report` are 0, and so is `report` but for its four arrays. */
struct originator {
    bool alone;    /* the originator computes the whole load */
    bool known;    /* the time of a unit is known without measuring */
    bool unlikely; /* measured units do not tell other units' time: they are few
                      and far off an estimate, or samples differ */
    uint64_t varies_ps; /* longest less shortest time of a unit in samples */
    struct advance advance; /* how many units the advance sends to each node */
    uint64_t announced_ps;  /* mesh time, ps, when the announcement begins */
    struct wire_report report;
    struct wire_order order;
    struct plan_job input; /* what planners read; its startup_ps[] belong to the
                              plan tried last, the report's to `plan` */
    uint8_t *job; /* the stored job; tables of later rounds lie behind it */
    /* advance_units[i]: units for a node of layer i and its descendants. */
    uint32_t advance_units[TORUS_PHASES_MAX + 1];
    uint64_t best_ps; /* pattern: time, ps, by which `plan` is compared with
                         other plans; UINT64_MAX: no plan yet */
    struct rounds_plan plan; /* the best plan so far; elements of its arrays for
                                further rounds and phases are not set */
    uint32_t *tree_tables;   /* tree: tables of all rounds, in a row */
    struct farm_state *farm; /* state of a farm or of a tail (tail.h) */
    uint64_t round_begin_ps[ROUNDS_MAX]; /* tree: planned start of each round,
                                            ps from time zero */
};

static inline uint64_t originator_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Returns startup plus transfer time, ps, for a payload of `bytes` bytes. */
static inline uint64_t order_message_ps(const struct wire_order *order,
                                        uint64_t bytes)
{
    return order->startup_ps +
           order->transfer_ps * (CIRCUIT_HEADER_BYTES + bytes);
}

/* Returns the time, ps, of a message that takes message_ps to send, over `hops`
   hops: switches that store and forward send the message once for each hop. */
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

/* Sets the node's state to NODE_STATE_SCATTERING, and time zero unless an
   advance has set time zero. */
void originator_begin(struct scatter *scatter, struct originator *originator);

/* Returns how many units the originator could compute in the processor time
   that its ports take to send the other nodes' units. If the load is planned
   larger by these units, and the originator's share is then cut by them, all
   nodes still end together. 0 if ports take no processor time, shares are
   equal, or several rounds are ordered; at most the mean share of a node. */
uint32_t originator_ports_units(const struct scatter *scatter,
                                const struct originator *originator);

/* Makes the units of the order's load the originator's range. */
void originator_set_range(struct scatter *scatter,
                          const struct wire_order *order);

/* Takes `units` units, computed or sent, off the front of load and range. */
void originator_take_off(struct scatter *scatter, struct originator *originator,
                         uint32_t units);

/* Allocates `bytes` bytes, rounded up to a multiple of 8, at free_from, which
   moves behind them. Returns their address; NULL if fewer bytes are free. */
uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes);

#endif
