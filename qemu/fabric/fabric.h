/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fabric: a discrete-event model of the mesh's switches and links. It does
 * no I/O, knows no board, and gets times as arguments.
 *
 * A circuit holds all links of its path, in both directions, for startup + hops
 * * hop_delay + bytes * transfer. A request that finds a link held waits; this
 * is counted as a conflict. When links become free, the oldest waiting request
 * is granted first. Requests at equal times go by node, then port. A deadline
 * comes after them, and what its node then sends comes last.
 *
 * With store and forward, each switch receives a whole message before it sends
 * it on: a message takes hops * (startup + hop_delay + bytes * transfer). The
 * model holds the whole path for all that time. It is exact if no two messages
 * meet, and pessimistic if they do.
 *
 * Each port has a queue of its own. If a node may use fewer than four ports at
 * once, its sends share one queue in the order of fabric_send(). The first send
 * of a queue requests its circuit when its port is free and the node holds
 * fewer circuits than allowed. A send that waits for a link, its ready time or
 * its gap delays all sends behind it.
 *
 * Requests are taken in the order of mesh time: an event is processed only when
 * every running node has passed its time. (A running node requests nothing
 * before the time at which it was resumed.) The result does not depend on which
 * board the host runs first.
 *
 * Links and nodes may die at given mesh times (fabric_cut(), fabric_stop()),
 * before all requests of that time. A circuit that was granted ends whole. One
 * that is asked for later is refused where its path is dead:
 *
 *   request                    FABRIC_FAILED
 *     |- startup -|- hop delay -|- hop delay -|
 *                    live link     dead link
 *
 * A dead node is not given messages, nor answers; its requests and sends of
 * later times are dropped. If only its processor dies, its switch passes on
 * circuits, takes messages, and sends what was queued before.
 *
 * A question (CIRCUIT_KIND_ASK) holds no link, and waits for none: it is
 * refused where its path is dead, and if the node at its end has stopped. A
 * call (CIRCUIT_KIND_CALL) ends any receive that does not ask for calls.
 *
 * A message for a node that waits at one port is handed over when its circuit
 * is granted, since nothing can arrive there before. A message for a node that
 * waits at several ports is handed over when mesh time reaches the arrival.
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

/* Parameters of the fabric. profile.startup_ps is at least 1. Times above 2^64
   - 2 ps (213 days) become that. */
struct fabric_config {
    struct torus_size size;
    struct profile profile;
    /* number, from 1, of the circuit whose message is damaged; 0: none */
    uint32_t corrupt_message;
    uint8_t ports_at_once;  /* torus ports that work at once: 1, 2 or 4; 0: 4 */
    bool store_and_forward; /* true: switches pass on whole messages */
    bool one_way; /* true: what is refused does not try torus_path_other() */
    /* Called by fabric_free() for the cookie of each message that it still
       has; or NULL. */
    void (*drop)(void *cookie);
};

/* A message to send. `cookie` is the caller's; the fabric does not read it. */
struct fabric_message {
    uint64_t ready_ps; /* earliest time at which its circuit is requested */
    uint64_t gap_ps;   /* least time from the end of the port's last send */
    void *cookie;
    struct torus_path path; /* unused if the message goes to the host */
    uint32_t bytes;
    /* If refused, the message tries torus_path_other(). There it waits for
       links that are held, or is refused, too. */
    bool other_way;
    bool waits;
    uint8_t tag;  /* a receiver may ask for messages with one tag */
    uint8_t kind; /* kind of the message, for the record of circuits */
    uint8_t phase;
};

enum fabric_step {
    FABRIC_WAIT,    /* a node runs: the caller must report its next request */
    FABRIC_STUCK,   /* no event is left */
    FABRIC_DELIVER, /* give the message to the node, which runs again */
    FABRIC_DRAINED, /* all sends of the node have ended; the node runs again */
    FABRIC_TIMED_OUT, /* no message came by the deadline; the node runs again */
    FABRIC_TO_HOST,
    FABRIC_FAILED, /* the message is lost, at a dead link or with its node */
    FABRIC_TAKEN /* the receiver's switch took the message: CIRCUIT_KIND_ASK */
};

struct fabric_action {
    uint64_t time_ps; /* mesh time at which the node goes on */
    /* mesh time when the whole message is there; later than time_ps if the node
       goes on when it has the head */
    uint64_t complete_ps;
    /* mesh time when the last byte arrived; earlier than time_ps if the message
       had to wait */
    uint64_t arrival_ps;
    /* the node may be told of its sends that failed before this mesh time:
       these are the same, whichever node the host runs first */
    uint64_t known_ps;
    void *cookie;
    uint32_t node;
    uint32_t source;
    uint32_t bytes;
    int32_t status;         /* enum err */
    struct torus_path path; /* of a send that failed */
    uint16_t hops;          /* links of its path before the dead one */
    uint8_t port;
    bool damaged;
};

/* Returns a new fabric, in which all nodes run since time 0. */
struct fabric *fabric_new(const struct fabric_config *config);
void fabric_free(struct fabric *fabric);

/* When set-ups ended at what is dead: a link, or a node or its links; or when a
   question was refused because a node's processor had stopped. */
struct fabric_found {
    uint64_t first_ps; /* the first time; FABRIC_NEVER_PS: never */
    uint64_t lost_ps;  /* the last time that a message was lost; 0: never */
};

/* Makes a link (torus_link()) dead from a mesh time on that is not over.
   *found, which the caller has set to "never", is kept up to date; NULL: nobody
   wants to know. */
void fabric_cut(struct fabric *fabric, uint32_t link, uint64_t time_ps,
                struct fabric_found *found);

/* Stops a node at a mesh time that is not over: its processor; and if `whole`,
   its switch and so its links. */
void fabric_stop(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                 bool whole, struct fabric_found *found);

/* Stops a node that makes no more requests, as fabric_stop() does: since its
   last request was answered; if it waits, or has stopped before, now at the
   latest. */
void fabric_lose(struct fabric *fabric, uint32_t node, bool whole,
                 struct fabric_found *found);

/* Returns the mesh time at which a node stops, or FABRIC_NEVER_PS. */
uint64_t fabric_stop_ps(const struct fabric *fabric, uint32_t node);

/* Queues a message on a port of `node`; NODE_PORT_HOST sends it to the host. */
void fabric_send(struct fabric *fabric, uint32_t node, unsigned port,
                 const struct fabric_message *message);

/* Delivers a message from the host to `node`; it arrives at `time_ps`. `tag`:
   as struct fabric_message has it. */
void fabric_from_host(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                      uint32_t bytes, uint8_t tag, void *cookie);

/*
 * Each tells that a running node stops at mesh time `time_ps`: to receive a
 * message, to wait until its sends have ended, or for good.
 *
 * Bits 0 to 7 of `ports` are the ports to receive from; bits 8 to 15 are the
 * tag that the message must have (0: any); bits 16 to 31 are the number of
 * bytes after whose arrival the node goes on (0: all). A node that waits at
 * several ports always gets whole messages. A node that goes on before its
 * message is complete must not send before. If no message is complete by
 * deadline_ps, the node goes on then; or at once, if deadline_ps is before
 * time_ps.
 */
void fabric_receive(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                    unsigned ports, uint64_t deadline_ps);
void fabric_drain(struct fabric *fabric, uint32_t node, uint64_t time_ps);
void fabric_end(struct fabric *fabric, uint32_t node, uint64_t time_ps);

/* Processes events until the caller must do something, which *action describes.
   The caller does it and calls again. */
enum fabric_step fabric_next(struct fabric *fabric,
                             struct fabric_action *action);

/* Whether FABRIC_STUCK also means that all nodes wait and only deadlines are
   left: nobody waits for what comes of these. */
void fabric_hurry(struct fabric *fabric, bool hurries);

/* Returns the mesh time of the last event. No later event has an earlier
   time. */
uint64_t fabric_time_ps(const struct fabric *fabric);

bool fabric_is_running(const struct fabric *fabric, uint32_t node);
bool fabric_has_ended(const struct fabric *fabric, uint32_t node);

/* Returns whether fabric_stop() has stopped the node, as far as mesh time has
   come. */
bool fabric_has_stopped(const struct fabric *fabric, uint32_t node);

/* Returns all circuits so far, in the order of their grants. The array is valid
   until the next fabric_next(). */
const struct circuit_record *fabric_circuits(const struct fabric *fabric,
                                             uint32_t *count);
uint64_t fabric_conflicts(const struct fabric *fabric);
/* Counts a message that reached the node, but that the node did not accept. */
void fabric_count_error(struct fabric *fabric, uint32_t node, unsigned port);

const struct node_counters *fabric_counters(const struct fabric *fabric,
                                            uint32_t node, unsigned port);

#endif
