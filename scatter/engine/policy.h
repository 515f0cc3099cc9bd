/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a policy: how the load moves. Every node of a mesh begins a
 * job with the policy of its identity. A node that is not the originator calls
 *
 *   prepare    before each job      sets its layer and who sends to it
 *   place      when announced       reads its own place
 *   announce   then                 passes the announcement on
 *   expect     then                 prepares for the first message
 *   receive    in each round        waits for its range, queues what it passes
 *                                   on
 *   compute    then                 computes its share
 *   gather     after all rounds     receives its children's results
 *              then it returns its own (scatter/engine/gather.h)
 *
 * and the originator `prepare` before the order, `announce` behind it, and
 *
 *   lead       then                 measures the kernel, plans, sends, computes
 *                                   its share and gathers
 *
 * Sends are queued with the switch, which works through them while the node
 * computes (hal/circuit.h): no policy waits for the end of one.
 */
#ifndef SCATTER_ENGINE_POLICY_H
#define SCATTER_ENGINE_POLICY_H

#include "scatter/engine/originator.h"

/* Rows of the table besides those that orders name (enum wire_policy): one of
   these takes the pattern's place for the rest of a job whose plan says so. */
enum policy_row {
    POLICY_MEANWHILE = WIRE_FARM + 1, /* scatter/engine/meanwhile.h */
    POLICY_TAIL,                      /* scatter/engine/tail.h */
    POLICY_ROWS
};

/* A row of the table. Each function's result: 0 or the error. */
struct policy {
    /* Sets `layer`, 0 of the originator, and whatever is known before there is
       a job. ERR_RANGE if this policy has no place for a node of such a
       torus. */
    int (*prepare)(struct scatter *scatter);

    /* Reads the head of an announcement that came, and sets *head_bytes to its
       length. ERR_PLACE if it is another node's, ERR_LENGTH, ERR_PLAN. */
    int (*place)(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes);

    /* Queues the announcement of a job to all that this node sends to: for each
       a head, then the same bytes, `shared` and `arg`
       (scatter/engine/announce.h). The originator, whose state is NULL on all
       other nodes, first reads from the order where the others are. */
    int (*announce)(struct scatter *scatter, struct originator *originator,
                    struct circuit_segment shared, struct circuit_segment arg);

    /* Prepares for the first message of an announced job, when the kernel's
       terms are known. No function: there is nothing to prepare. */
    void (*expect)(struct scatter *scatter);

    /* Waits for the message of this round, serves probes meanwhile
       (await_message()), and reads it: the job, this node's range and what goes
       on. Queues the sends that follow from it, or posts the next message if
       the switch sends on by itself, and sets split.share_units. */
    int (*receive)(struct scatter *scatter);

    /* Computes split.share_units of the range that `receive` has set. */
    int (*compute)(struct scatter *scatter);

    /* Receives and merges the results of all that `receive` sent to. */
    int (*gather)(struct scatter *scatter);

    /* Carries out an announced order, or one that is the originator's alone:
       measures the kernel, plans, and writes the job; from time zero on
       (originator_begin()) sends, computes and gathers. */
    int (*lead)(struct scatter *scatter, struct originator *originator);

    /* Whether nodes ask for more until they are told that there is none: the
       job then ends for them with worker.ended and not with its last round, and
       how fast they are shows while it is carried out. */
    bool asks;
};

/* The row that carries out a job of these flags: enum wire_policy or
   policy_row; POLICY_ROWS if no row does. */
static inline unsigned policy_row(uint8_t flags)
{
    unsigned policy = WIRE_POLICY(flags);
    unsigned variant = flags & (WIRE_TAIL | WIRE_MEANWHILE);

    if (variant == 0) {
        return policy;
    }
    if (policy != WIRE_PATTERN || variant == (WIRE_TAIL | WIRE_MEANWHILE)) {
        return POLICY_ROWS;
    }
    return variant == WIRE_TAIL ? POLICY_TAIL : POLICY_MEANWHILE;
}

/* Makes another row of the table this node's policy for the rest of the job. */
static inline void policy_become(struct scatter *scatter, unsigned row)
{
    scatter->policy = &scatter->policies[row];
}

#endif
