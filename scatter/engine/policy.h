/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a policy: how the load moves. Every node of a mesh has the
 * same one. A node that is not the originator does, in this order,
 *
 *   prepare    before each job      sets its layer and who sends to it
 *   place      when announced       reads its own place
 *   announce   then                 passes the announcement on
 *   receive    in each round        waits for its range, queues what it passes
 *                                   on
 *              then it computes (scatter/engine/compute.h)
 *   gather     after all rounds     receives its children's results
 *              then it returns its own (scatter/engine/gather.h)
 *
 * and the originator, after `prepare`:
 *
 *   order      after the order      reads what it says of the nodes
 *   announce   then                 queues the announcement; of few units only
 *                                   when it is known that they do not stay
 *   advance    then                 queues a part of the load, if that pays
 *   plan       then                 plans the units of all, writes the job
 *   send       at time zero         queues what it passes on
 *              then it computes and gathers as the others do
 *
 * Sends are queued with the switch, which works through them while the node
 * computes (hal/circuit.h): no policy yet waits for the end of one.
 */
#ifndef SCATTER_ENGINE_POLICY_H
#define SCATTER_ENGINE_POLICY_H

#include "scatter/engine/originator.h"

/* A row of the table. Each function's result: 0 or the error. */
struct policy {
    /*
     * Sets `layer`, 0 of the originator, and whatever is known before there is
     * a job. ERR_RANGE if this policy has no place for a node of such a torus.
     */
    int (*prepare)(struct scatter *scatter);

    /*
     * Waits for the message of this round, serves probes meanwhile
     * (await_message()), and reads it: the job, this node's range and what goes
     * on. Queues the sends that follow from it, or posts the next message if
     * the switch sends on by itself, and sets split.share_units.
     */
    int (*receive)(struct scatter *scatter);

    /* Receives and merges the results of all that `receive` or `send` sent
       to. */
    int (*gather)(struct scatter *scatter);

    /* Of the originator, before it announces: reads from the order where the
       other nodes are. No function: the order does not say. */
    int (*order)(struct scatter *scatter, struct originator *originator);

    /* Queues the announcement of a job to all that this node sends to: for each
       a head, then the same bytes, `shared` and `arg`
       (scatter/engine/announce.h). */
    int (*announce)(struct scatter *scatter, struct circuit_segment shared,
                    struct circuit_segment arg);

    /* Reads the head of an announcement that came: *head_bytes of all those.
       ERR_PLACE if it is another node's, ERR_LENGTH, ERR_PLAN. */
    int (*place)(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes);

    /* When the job was announced, and its kernel's terms are known: prepares
       for its first message. No function: there is nothing to prepare. */
    void (*expect)(struct scatter *scatter);

    /* Of the originator, before it measures the kernel and plans: queues an
       advance, if that pays. No function: it never does. */
    int (*advance)(struct scatter *scatter, struct originator *originator);

    /* Plans the order and writes the job; report and plan are filled in. */
    int (*plan)(struct scatter *scatter, struct originator *originator);

    /* Planning's time, roughly: where the originator alone would have the
       answer before a plan is made and carried out, `plan` leaves the whole
       load to it. No function: it never does. */
    uint64_t (*plan_ps)(const struct scatter *scatter,
                        const struct originator *originator);

    /* What takes this one's place for the rest of a job that the originator
       does alone. NULL: none does. */
    const struct policy *alone;

    /* What takes this one's place for the rest of a job whose outputs return
       meanwhile, as soon as that is known. NULL: none does. */
    const struct policy *meanwhile;

    /* What takes this one's place for the rest of a job that becomes a farm
       once its load was sampled. NULL: none does. */
    const struct policy *farm;

    /* Whether nodes' speeds show while it is carried out: a short piece of the
       load tells the first guess. */
    bool learns;

    /* Queues the sends; the scatter starts at start_ps, or did so with the
       advance. */
    int (*send)(struct scatter *scatter, struct originator *originator,
                uint64_t start_ps);

    /* Of the originator, when the first sends are queued: computes, sends and
       gathers till all is done. No function: it computes its share, then
       gathers. */
    int (*lead)(struct scatter *scatter, struct originator *originator);
};

#endif
