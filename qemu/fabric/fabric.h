/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fabric: a discrete-event model of the mesh's switches and links. It does
 * no I/O, knows no board, and takes time as an argument.
 *
 * A circuit holds all links of its path, in both directions. It lasts startup +
 * hops * hop_delay + bytes * transfer. A request that finds a link held waits
 * (a conflict, counted). The oldest waiting request is granted first when its
 * links are free. Requests at equal times go by node, then port. A deadline
 * comes after them, and what its node then sends comes last.
 *
 * With store and forward, each switch receives a whole message before it sends
 * it on: a message takes hops * (startup + hop_delay + bytes * transfer). The
 * model holds the whole path all that time. It is exact where no two messages
 * meet, and pessimistic where they do.
 *
 * Each port has a queue of its own. Where a node may use fewer than four ports
 * at once, its sends share one queue in the order of fabric_send(). The first
 * send asks for its circuit when its port is free and the node holds fewer
 * circuits than allowed. A send that waits for a link, its ready time or its
 * gap delays all sends behind it.
 *
 * Requests are taken in the order of mesh time: an event is processed only when
 * every running node has passed its time. (A running node requests nothing
 * before the time at which it was resumed.) The result does not depend on which
 * board the host runs first.
 *
 * A message for a node that waits on one port is handed over when its circuit
 * is granted, since nothing can arrive there before. A message for a node that
 * waits on several ports is handed over when mesh time reaches the arrival.
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

/* Parameters of the fabric; profile.startup_ps is at least 1. Times above 2^64
   - 2 ps (213 days) are cut to that. */
struct fabric_config {
    struct torus_size size;
    struct profile profile;
    uint32_t dead_link; /* a broken link, torus_link() + 1; 0: none */
    /* Number of the circuit whose message is damaged, from 1; 0: none. */
    uint32_t corrupt_message;
    uint8_t ports_at_once;  /* torus ports in use at once: 1, 2 or 4; 0: 4 */
    bool store_and_forward; /* switches pass whole messages on */
};

/* A message to send. The fabric never reads `cookie`. */
struct fabric_message {
    uint64_t ready_ps; /* earliest time to request its circuit */
    uint64_t gap_ps;   /* least time since the port's last send ended */
    void *cookie;
    struct torus_path path; /* unused for the host port */
    uint32_t bytes;
    uint8_t tag;  /* receivers can ask for messages of one tag */
    uint8_t kind; /* message kind, for the record of circuits */
    uint8_t phase;
};

enum fabric_step {
    FABRIC_WAIT,      /* a node runs: the caller reports its next request */
    FABRIC_STUCK,     /* no event is left */
    FABRIC_DELIVER,   /* give the message to the node, which runs again */
    FABRIC_DRAINED,   /* all sends of the node ended; it runs again */
    FABRIC_TIMED_OUT, /* no message came by the deadline; the node runs */
    FABRIC_TO_HOST,
    FABRIC_FAILED
};

struct fabric_action {
    uint64_t time_ps;     /* mesh time at which the node goes on */
    uint64_t complete_ps; /* mesh time when the whole message is there; after
                             time_ps if the node goes on with the head alone */
    uint64_t arrival_ps; /* mesh time when the last byte arrived; before time_ps
                            if the message had to wait */
    void *cookie;
    uint32_t node;
    uint32_t source;
    uint32_t bytes;
    int32_t status; /* enum err */
    uint8_t port;
    bool damaged;
};

/* Returns a new fabric, in which all nodes run since time 0. */
struct fabric *fabric_new(const struct fabric_config *config);
void fabric_free(struct fabric *fabric);

/* Queues a message on a port of `node`; NODE_PORT_HOST sends it to the host. */
void fabric_send(struct fabric *fabric, uint32_t node, unsigned port,
                 const struct fabric_message *message);

/* Delivers a message from the host to `node`, with arrival at `time_ps`. */
void fabric_from_host(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                      uint32_t bytes, void *cookie);

/*
 * A running node stops at `time_ps`: to receive a message, to wait until its
 * sends have ended, or for good. `ports`: bits 0 to 7 are the ports to receive
 * from; bits 8 to 15 the only tag accepted (0: any); bits 16 to 31 the number
 * of bytes after whose arrival the node goes on (0: all). A node that waits on
 * several ports always gets whole messages. A node that has a message's head
 * must not send before the message is complete. If no message is complete by
 * deadline_ps, the node goes on then, or at once if deadline_ps is before
 * time_ps.
 */
void fabric_receive(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                    unsigned ports, uint64_t deadline_ps);
void fabric_drain(struct fabric *fabric, uint32_t node, uint64_t time_ps);
void fabric_end(struct fabric *fabric, uint32_t node, uint64_t time_ps);

/* Processes events until the caller must act; *action says how. The caller acts
   and calls again. */
enum fabric_step fabric_next(struct fabric *fabric,
                             struct fabric_action *action);

/* Returns the mesh time of the last event; no later event has an earlier
   time. */
uint64_t fabric_time_ps(const struct fabric *fabric);

bool fabric_is_running(const struct fabric *fabric, uint32_t node);
bool fabric_has_ended(const struct fabric *fabric, uint32_t node);

/* Returns all circuits so far, in the order of their grants. The array is valid
   until the next fabric_next(). */
const struct circuit_record *fabric_circuits(const struct fabric *fabric,
                                             uint32_t *count);
uint64_t fabric_conflicts(const struct fabric *fabric);
/* Counts a message that reached the node but was not accepted. */
void fabric_count_error(struct fabric *fabric, uint32_t node, unsigned port);

const struct node_counters *fabric_counters(const struct fabric *fabric,
                                            uint32_t node, unsigned port);

#endif
