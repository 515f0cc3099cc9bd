/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mesh's switches and links as a discrete-event model. Pure: it does no
 * I/O, knows no board, and takes time as an argument.
 *
 * A circuit holds all links of its path, in both directions, from its grant
 * for startup + hops * hop delay + bytes * transfer; a request that finds a
 * link held waits (a conflict, counted) and is granted, oldest first, when the
 * links are free. Ties are settled by node, then port; a deadline comes last of
 * all that happens at its time, so what its node sends then does, too.
 *
 * Switches that store and forward pass a whole message on from node to node:
 * it takes hops * (startup + hop delay + bytes * transfer). Here it holds the
 * whole path all that time, where it would hold one link after the other: this
 * is exact where no two messages meet, and too careful where they do.
 *
 * Each port works off its own queue. Where a node may use fewer than its four
 * ports at once, its sends go in the order of their fabric_send(): one asks
 * for its circuit when all earlier ones have theirs (or were lost), its port
 * is free, and the node holds fewer circuits than it may. So a send that waits
 * for a link, for its ready time or for its gap holds up all behind it.
 *
 * Requests are taken in the order of their mesh times: an event is processed
 * only when every node that is still running has passed it (a running node's
 * next request cannot be earlier than the time at which it was last resumed).
 * So the result does not depend on which board the host happens to run first.
 *
 * A message for a node that waits on one port is handed over when its circuit
 * is granted, since nothing can arrive there before it; one for a node that
 * waits on several, when mesh time has reached the arrival.
 */
#ifndef QEMU_FABRIC_FABRIC_H
#define QEMU_FABRIC_FABRIC_H

#include "hal/err.h"
#include "hal/window/window.h"
#include "qemu/fabric/circuit_record.h"
#include "qemu/base/profile.h"
#include "torus/torus.h"

struct fabric;

#define FABRIC_NEVER_PS UINT64_MAX /* no deadline */

/* Every circuit takes time: profile.startup_ps is at least 1. Times that would
   exceed 2^64 - 2 ps (213 days) are cut to that. */
struct fabric_config {
    struct torus_size size;
    struct profile profile; /* costs of circuits */
    uint32_t dead_link;     /* torus_link() + 1 of a link that is down, or 0 */
    uint32_t corrupt_message; /* ordinal of a circuit that damages it, or 0 */
    uint8_t ports_at_once;    /* torus ports of a node: 1, 2 or 4; 0: 4 */
    bool store_and_forward;   /* no circuits: see above */
};

/* A message on its way. The fabric never looks at `cookie`. */
struct fabric_message {
    uint64_t ready_ps; /* request no earlier */
    uint64_t gap_ps;   /* nor earlier than this after the port's last one */
    void *cookie;
    struct torus_path path; /* not for the host port */
    uint32_t bytes;
    uint8_t tag;  /* what a receive can ask for */
    uint8_t kind; /* labels, for the record of circuits */
    uint8_t phase;
};

enum fabric_step {
    FABRIC_WAIT,      /* some node runs: feed what it does next */
    FABRIC_STUCK,     /* no node runs and nothing can happen any more */
    FABRIC_DELIVER,   /* hand the message to the node: it runs again */
    FABRIC_DRAINED,   /* tell the node: it runs again */
    FABRIC_TIMED_OUT, /* likewise: no message came by its deadline */
    FABRIC_TO_HOST,   /* the message left the mesh through the host port */
    FABRIC_FAILED     /* the message is lost; `status` says why */
};

struct fabric_action {
    uint64_t time_ps;     /* mesh time from which the node goes on */
    uint64_t complete_ps; /* mesh time from which the node has the whole
                             message; before it has the head alone */
    uint64_t arrival_ps;  /* mesh time when the message's last byte came; long
                             before time_ps if the message had to wait */
    void *cookie;         /* the message's, or NULL */
    uint32_t node;
    uint32_t source; /* node that sent the message */
    uint32_t bytes;
    int32_t status; /* enum err */
    uint8_t port;
    bool damaged;
};

/* Result: a new fabric, all nodes running since time 0. */
struct fabric *fabric_new(const struct fabric_config *config);
void fabric_free(struct fabric *fabric);

/* Queues a message on a port (NODE_PORT_HOST: to the host) of `node`. */
void fabric_send(struct fabric *fabric, uint32_t node, unsigned port,
                 const struct fabric_message *message);

/* Puts a message from the host before `node`, arrived at `time_ps`. */
void fabric_from_host(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                      uint32_t bytes, void *cookie);

/* A running node stops at `time_ps`: to receive a message, to wait until its
   sends have ended, or for good. `ports` is a mask of the ports that it
   receives from; bits 8 to 15 are the only tag that it takes, or 0: any. Bits
   16 to 31: the node goes on when so many of the message's bytes are there, or
   0: all. It gets no head ahead of the rest if it waits on several ports. What
   it sends before the message is complete must not be ready earlier. If no
   message has arrived whole by deadline_ps, the node goes on at that time, or
   at once if it has passed. */
void fabric_receive(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                    unsigned ports, uint64_t deadline_ps);
void fabric_drain(struct fabric *fabric, uint32_t node, uint64_t time_ps);
void fabric_end(struct fabric *fabric, uint32_t node, uint64_t time_ps);

/* Processes events until the caller has something to do, which *action
   describes. The caller does it and calls again. */
enum fabric_step fabric_next(struct fabric *fabric,
                             struct fabric_action *action);

/* The mesh time of the last event; nothing earlier can happen any more. */
uint64_t fabric_time_ps(const struct fabric *fabric);

bool fabric_is_running(const struct fabric *fabric, uint32_t node);
bool fabric_has_ended(const struct fabric *fabric, uint32_t node);

/* The circuits so far, in the order of their grants. They belong to the fabric
   and are valid until the next fabric_next(). */
const struct circuit_record *fabric_circuits(const struct fabric *fabric,
                                             uint32_t *count);
uint64_t fabric_conflicts(const struct fabric *fabric);
/* Counts a message that reached the node but could not be delivered. */
void fabric_count_error(struct fabric *fabric, uint32_t node, unsigned port);

const struct node_counters *fabric_counters(const struct fabric *fabric,
                                            uint32_t node, unsigned port);

#endif
