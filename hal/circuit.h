/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages over circuits: a node queues messages on its ports, each with a path
 * through the torus, and waits for messages of other nodes. The node's switch
 * sends each port's messages in the order of the queue, while the node goes on
 * computing. The four ports work independently and at once. The fifth port,
 * CIRCUIT_HOST, leads to the host, which brings a job and takes its result.
 *
 * Every message begins with a header (little-endian):
 *
 *    0  u8   version
 *    1  u8   kind, which the caller chooses: 0 to CIRCUIT_KIND_MAX
 *    2  u16  job
 *    4  u32  identity of the mesh
 *    8  u32  length of the payload in bytes
 *   12  u32  CRC-32 over bytes 0 to 11 and the payload
 *   16       payload
 *
 * A switch in hardware writes the header in front of the caller's bytes, and
 * writes and checks the CRC as the bytes pass. On serial lines the switch is
 * software, and each frame of a message has a CRC instead (hal/serial/state.h).
 * A message whose CRC, version, mesh, job or length is wrong is not delivered:
 * the receive that takes it returns ERR_CORRUPT or ERR_FOREIGN.
 *
 * Not reentrant and not for interrupt handlers: a node has one circuit, and one
 * thread of control that uses it. circuit_send() copies struct circuit_message,
 * but not the bytes of its segments: the caller leaves these unchanged until
 * circuit_drain() returns. Received bytes belong to the caller at once.
 *
 * Mesh time is the time that a node's clock shows, ps (hal/clock.h). A message
 * that arrives later than this time moves the receiver's clock forward.
 */
#ifndef HAL_CIRCUIT_H
#define HAL_CIRCUIT_H

#include "hal/bytes.h"
#include "hal/clock.h"
#include "hal/err.h"
#include "hal/node.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#define CIRCUIT_VERSION 1u
#define CIRCUIT_HEADER_BYTES 16u
#define CIRCUIT_HOST NODE_PORT_HOST
#define CIRCUIT_ALL_PORTS ((1u << TORUS_PORTS) - 1u) /* without the host's */
#define CIRCUIT_ANY_JOB 0u
#define CIRCUIT_KIND_MAX 251u /* switches use kinds 254 and 255 themselves */

/* The message of circuit_ask(), which no node receives: a receive of this kind
   waits for a call. On a switch in software, which has no calls, it returns
   ERR_KIND. */
#define CIRCUIT_KIND_ASK 253u
/* A call: a receive that does not ask for it by CIRCUIT_ONLY() ends with
   ERR_CALLED, whatever ports it names, while a call waits. */
#define CIRCUIT_KIND_CALL 252u

/* Added to a receive's port mask: limits the receive to messages of `kind`. The
   kind 0 limits nothing. */
#define CIRCUIT_ONLY(kind) ((unsigned)(kind) << 8)

/* Added to the port mask of circuit_receive(): delivers a message once its
   first `bytes` bytes (at most 65535, header included) are here. See
   circuit_complete(). */
#define CIRCUIT_HEAD(bytes) ((unsigned)(bytes) << 16)

/* Offsets of the header's fields, bytes. */
enum circuit_field {
    CIRCUIT_AT_VERSION = 0,
    CIRCUIT_AT_KIND = 1,
    CIRCUIT_AT_JOB = 2,
    CIRCUIT_AT_MESH = 4,
    CIRCUIT_AT_LENGTH = 8,
    CIRCUIT_AT_CRC = 12
};

struct circuit {
    void *board; /* the board's struct window or struct serial_circuit */
    struct node *node;
    struct node_log *log;
    struct clock *clock;
    uint8_t *memory; /* holds messages, sent or received; 8-byte aligned */
    uint32_t memory_bytes; /* a multiple of 8 */
    uint8_t *aside;        /* second memory, 8-byte aligned; NULL if none */
    uint32_t aside_bytes;  /* a multiple of 8 */
    uint32_t mesh;         /* identity of the mesh, as in each header */
    uint16_t job;  /* job whose messages are received, or CIRCUIT_ANY_JOB */
    uint16_t side; /* most hops on a straight part of a path */
};

/* A piece of a message, in the circuit's `memory` or `aside`; may be empty. */
struct circuit_segment {
    const uint8_t *data;
    uint32_t bytes;
};

/* Up to four messages, one for each port. All take the same path, turned so
   that it begins at the message's port. The message of port p consists of the
   head of port p, the shared segment, and body[p]. */
struct circuit_message {
    struct torus_path path; /* path of port 0's message; port is ignored */
    uint8_t kind;
    uint32_t gap_ps;   /* least pause of the port; ignored in software */
    uint64_t ready_ps; /* mesh time of the earliest start; 0: at once */
    struct circuit_segment head; /* head of port 0's message */
    uint32_t head_stride; /* bytes from port p's head to port p + 1's head */
    struct circuit_segment shared;
    struct circuit_segment body[TORUS_PORTS]; /* [port]; [0] for the host */
};

/* A received message, in the caller's buffer. */
struct circuit_delivery {
    uint8_t *payload;
    uint32_t bytes; /* of the payload */
    uint16_t job;
    uint8_t port;
    uint8_t kind;
};

/* Fills *circuit in, and starts the clock at 0. `board`: the board's struct
   window or struct serial_circuit, which outlives the circuit. Result: 0;
   ERR_VERSION, ERR_MEMORY: the window has a wrong magic number, version or
   size. */
NODISCARD int circuit_open(struct circuit *circuit, void *board,
                           struct clock *clock);

/*
 * Queues the message on every port of the mask `ports`: bits 0 to 3, or bit
 * CIRCUIT_HOST alone. Result: 0; ERR_NO_ROUTE: a straight part of the path has
 * no hops, or more than circuit->side; ERR_PORT_BUSY: the queue is full. Cost:
 * about 100 instructions for four ports. A segment outside the circuit's memory
 * stops the mesh if the switch is hardware. A switch in software waits while a
 * torus port's queue is full. Its ERR_NO_ROUTE comes from circuit_drain().
 */
NODISCARD int circuit_send(struct circuit *circuit, unsigned ports,
                           const struct circuit_message *message);

/*
 * Waits, without a time limit, for a message on any port of the mask `ports`,
 * and moves mesh time forward to the message's arrival. The buffer lies in the
 * circuit's memory, and takes header and payload. Result: 0 and *delivery;
 * ERR_BUFFER: the message did not fit and is lost, and delivery->bytes is its
 * payload's size; ERR_CORRUPT: its CRC is wrong; ERR_FOREIGN: its version,
 * mesh, job or length is wrong; ERR_CALLED: a call waits.
 */
NODISCARD int circuit_receive(struct circuit *circuit,
                              struct circuit_delivery *delivery, unsigned ports,
                              uint8_t *buffer, uint32_t capacity_bytes);

/*
 * Receives as circuit_receive() does, but waits until mesh time deadline_ps at
 * most. With a deadline in the past the call returns at once; a switch in
 * software then finds only messages of circuit_receive_ahead(). Precondition:
 * no CIRCUIT_HEAD(). Result: as circuit_receive(); ERR_TIMEOUT: no message.
 */
NODISCARD int circuit_receive_until(struct circuit *circuit,
                                    struct circuit_delivery *delivery,
                                    unsigned ports, uint8_t *buffer,
                                    uint32_t capacity_bytes,
                                    uint64_t deadline_ps);

/* Greatest number of buffers of circuit_receive_ahead() in use at once. */
#define CIRCUIT_AHEAD_MAX 8u

/*
 * Receives ahead: lets the switch put a message that comes in on any port of
 * the mask into the buffer while this node computes. The switch owns the buffer
 * until a later receive. A receive
 *
 *   with the same mask   delivers a message that was received ahead, or waits
 *                        for one; its payload lies in a buffer of this call
 *   with another mask    takes back the buffers that hold no whole message, and
 *                        uses its own buffer
 *
 * A switch in hardware ignores this call. Precondition: no CIRCUIT_HEAD(), and
 * not the host's port. Result: 0; ERR_BUFFER: the buffer is not in the
 * circuit's memory; ERR_PORT_BUSY: CIRCUIT_AHEAD_MAX buffers are in use.
 */
NODISCARD int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                                    uint8_t *buffer, uint32_t capacity_bytes);

/* Waits for the last byte of a message whose head circuit_receive() delivered.
   Before this call the caller neither sends nor receives. Result: 0;
   ERR_CORRUPT: the CRC is wrong, and the head must not be used. */
NODISCARD int circuit_complete(struct circuit *circuit);

/* Waits until every queued send has ended. Result: 0, or the error of the first
   send that has failed since the last drain, told by circuit_failed() or not.
 */
NODISCARD int circuit_drain(struct circuit *circuit);

#define CIRCUIT_HOPS_UNKNOWN 0xffffu /* of a switch on serial lines */

/* A message that was not sent: the set-up of its circuit ended at a link that
   is down, or whose other end is dead. units, first_unit and label are the
   first three words of the payload, 0 behind its end. A row's message begins
   with them (hal/rows.h); other messages have there what the caller wrote. */
struct circuit_failure {
    uint64_t time_ps;       /* mesh time at which the set-up ended */
    struct torus_path path; /* of the message, from the port on which it left */
    uint16_t hops; /* number of the path's links before the dead one, or
                      CIRCUIT_HOPS_UNKNOWN */
    uint16_t job;
    uint8_t kind;
    int8_t error; /* enum err */
    uint32_t units;
    uint32_t first_unit;
    uint32_t label;
};

/*
 * Tells of a message that was not sent; the port's other messages go on. Each
 * is told once, in the order of time_ps. A call finds those that had failed
 *
 *   by the end of circuit_drain()
 *   by the deadline, after a circuit_receive_until() that ended in vain; so one
 *     with a deadline in the past finds all that have failed so far
 *   before the message's circuit was granted, after any other receive. A
 *     receive does not end because a send has failed.
 *
 * Messages of rows that the switch forwarded by itself are told, too. An
 * earlier job's failures are not dropped: their job number tells them apart.
 * Result: true and *failure; false: there is none. Cost, if there is none: at
 * most 10 instructions.
 */
NODISCARD bool circuit_failed(struct circuit *circuit,
                              struct circuit_failure *failure);

/*
 * Asks for the nodes at the ends of paths: that of `path`, turned so that it
 * begins at each port of the mask `ports`. Waits for queued sends, too. Sets
 * *lost to the ports to whose node no circuit can be set up, whose node has
 * stopped, or to whose node a message of this job was not sent, as long as
 * circuit_failed() has not told that. A switch in software cannot tell that a
 * node has stopped whose switch answers. Result: as circuit_send(), but for a
 * full queue.
 */
NODISCARD int circuit_ask(struct circuit *circuit, unsigned ports,
                          struct torus_path path, unsigned *lost);

/* Waits until all nodes have released the circuits of earlier messages. Result:
   0, or an error of circuit_receive(). */
NODISCARD int circuit_settle(struct circuit *circuit);

/* Waits until no send needs this processor. Result: as circuit_drain(), but for
   ERR_DEAD_LINK. */
NODISCARD int circuit_quiet(struct circuit *circuit);

/* Returns the processor time of the ports' interrupts since the start, us,
   modulo 2^32; 0 if the switch is hardware. Cost: about 10 instructions. */
uint32_t circuit_ports_us(const struct circuit *circuit);

/* Ends this node's use of the circuit. A switch in software takes back the
   buffers of circuit_receive_ahead(), and waits for queued sends. */
void circuit_close(struct circuit *circuit);

/* ---- for the implementations ---- */

/* Whether a header fits *circuit and a message of `bytes` bytes in all. */
static inline bool circuit_header_fits(const struct circuit *circuit,
                                       const uint8_t *header, uint32_t bytes)
{
    return header[CIRCUIT_AT_VERSION] == CIRCUIT_VERSION &&
           bytes_load_u32(header + CIRCUIT_AT_MESH) == circuit->mesh &&
           bytes_load_u32(header + CIRCUIT_AT_LENGTH) ==
               bytes - CIRCUIT_HEADER_BYTES &&
           (circuit->job == CIRCUIT_ANY_JOB ||
            bytes_load_u16(header + CIRCUIT_AT_JOB) == circuit->job);
}

/* Whether one path is the other one, turned as a whole. */
static inline bool circuit_is_turned(struct torus_path a, struct torus_path b)
{
    return a.turn == b.turn && a.hops == b.hops &&
           (a.turn == TORUS_STRAIGHT || a.hops_after == b.hops_after);
}

#endif
