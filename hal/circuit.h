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
#define CIRCUIT_KIND_MAX 253u /* switches use kinds 254 and 255 themselves */

/* Added to a receive's port mask: limits the receive to messages of `kind`. The
   kind 0 limits nothing. */
#define CIRCUIT_ONLY(kind) ((unsigned)(kind) << 8)

/* Added to the port mask of circuit_receive(): lets it return once the first
   `bytes` bytes of a message (65535 at most), header included, have arrived.
   circuit_complete() waits for the other bytes. */
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
    uint8_t *aside;        /* second memory for messages, 8-byte aligned; NULL:
                              none, and aside_bytes is 0 */
    uint32_t aside_bytes;  /* a multiple of 8 */
    uint32_t mesh;         /* identity of the mesh, as in each header */
    uint16_t job;  /* the only job whose messages are received; CIRCUIT_ANY_JOB:
                      messages of all jobs are received */
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
    struct torus_path path; /* path of port 0's message. path.port is ignored;
                               the host's port ignores the whole path */
    uint8_t kind;
    uint32_t gap_ps;   /* least time from the end of the port's previous message
                          to this message's start; ignored by a switch in
                          software */
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

/* Fills *circuit in for this board's switch, and starts the clock at 0. `board`
   is the board's struct window (hal/window/window.h) or struct serial_circuit
   (hal/serial/state.h), and outlives the circuit. Result: 0; if `board` is a
   window also ERR_VERSION: wrong magic number or version; ERR_MEMORY: wrong
   size. */
NODISCARD int circuit_open(struct circuit *circuit, void *board,
                           struct clock *clock);

/*
 * Queues the message on every port of the mask `ports`: bits 0 to 3, or bit
 * CIRCUIT_HOST alone. Result: 0; ERR_NO_ROUTE: a straight part of the path has
 * no hops, or more than circuit->side; ERR_PORT_BUSY: the queue is full. Cost:
 * about 100 instructions for four ports. A switch in hardware checks segments
 * when it sends them, and stops the mesh if one lies outside the circuit's
 * memory. A switch in software waits while a torus port's queue is full. It
 * checks the path when it sends: circuit_drain() then returns ERR_NO_ROUTE.
 */
NODISCARD int circuit_send(struct circuit *circuit, unsigned ports,
                           const struct circuit_message *message);

/*
 * Waits, without a time limit, for a message on any port of the mask `ports`,
 * and moves mesh time forward to the message's arrival. With CIRCUIT_ONLY()
 * messages of other kinds stay for later receives. The buffer lies in the
 * circuit's memory, and takes header and payload. Result: 0 and *delivery;
 * ERR_BUFFER: the message did not fit and is lost, and delivery->bytes is its
 * payload's size; ERR_CORRUPT: its CRC is wrong; ERR_FOREIGN: its version,
 * mesh, job or length is wrong. The launcher ends a run that waits forever.
 */
NODISCARD int circuit_receive(struct circuit *circuit,
                              struct circuit_delivery *delivery, unsigned ports,
                              uint8_t *buffer, uint32_t capacity_bytes);

/*
 * Receives as circuit_receive() does, but waits until mesh time deadline_ps at
 * most: a message whose last byte arrives later stays for a later receive. With
 * a deadline in the past, such as 0, the call returns at once. Precondition: no
 * CIRCUIT_HEAD(). Result: as circuit_receive(), or ERR_TIMEOUT: no message
 * came, and mesh time has reached deadline_ps. A switch in software takes a
 * message in only while it has a buffer for the message: with a deadline in the
 * past the call finds only messages in buffers of circuit_receive_ahead().
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
 * until a receive delivers the message or takes the buffer back. A receive
 *
 *   with the same mask   delivers a message that was received ahead, or waits
 *                        for one; delivery->payload lies in a buffer of
 *                        circuit_receive_ahead(), not in the receive's own
 *   with another mask    takes back the buffers that hold no complete message,
 *                        as circuit_close() does, and uses its own buffer
 *
 * A switch in hardware keeps messages until they are received: it ignores this
 * call, and uses the buffer of the later receive. Precondition: no
 * CIRCUIT_HEAD(), and not the host's port. Result: 0; ERR_BUFFER: the buffer is
 * not in the circuit's memory; ERR_PORT_BUSY: CIRCUIT_AHEAD_MAX buffers are in
 * use.
 */
NODISCARD int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                                    uint8_t *buffer, uint32_t capacity_bytes);

/* Waits for the last byte of a message whose head circuit_receive() delivered;
   returns at once if that message was delivered whole. Until this call the
   caller reads the head only, and neither sends nor receives. Result: 0, or
   ERR_CORRUPT: the CRC is wrong, and the head must not be used. */
NODISCARD int circuit_complete(struct circuit *circuit);

/* Waits until every queued send has ended. Result: 0, or the error of the first
   failed send. */
NODISCARD int circuit_drain(struct circuit *circuit);

/* Waits until all nodes have released the circuits of earlier messages, so that
   no earlier circuit delays the next message. Result: 0, or an error of
   circuit_receive(). */
NODISCARD int circuit_settle(struct circuit *circuit);

/* Waits until no send needs this node's processor, so that sends do not slow
   down work that is measured next: returns at once if the switch is hardware,
   else once every queued send has ended. Result: as circuit_drain(). */
NODISCARD int circuit_quiet(struct circuit *circuit);

/* Returns the processor time that interrupts of the ports have taken from this
   node's program since its start, us, modulo 2^32; 0 if the switch is hardware.
   Cost: about 10 instructions. */
uint32_t circuit_ports_us(const struct circuit *circuit);

/* Ends this node's use of the circuit. A switch in software takes back the
   buffers of circuit_receive_ahead(), and waits for queued sends. */
void circuit_close(struct circuit *circuit);

/* ---- for the implementations ---- */

/* Whether the header of a whole message of `bytes` bytes, header included, has
   CIRCUIT_VERSION, the mesh and job of *circuit, and the right length. */
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

#endif
