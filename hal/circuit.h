/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages over circuits: queue a message on a port along a path, wait for a
 * message. The four ports work independently and at once; each has a queue
 * that the switch works off in order while the node goes on computing. The
 * fifth port, CIRCUIT_HOST, leads to whoever brings the job and takes its
 * result.
 *
 * Every message begins with a header (little-endian):
 *
 *    0  u8   version
 *    1  u8   kind, the caller's
 *    2  u16  job
 *    4  u32  mesh
 *    8  u32  length of the payload in bytes
 *   12  u32  CRC-32 over bytes 0 to 11 and the payload
 *   16       payload
 *
 * The switch hardware puts the header before the bytes that it is given, and
 * writes and checks the CRC as they pass. A message whose CRC, version, mesh,
 * job or length is wrong is never delivered: the receive that it came to
 * returns ERR_CORRUPT or ERR_FOREIGN.
 *
 * Not reentrant and not for interrupt handlers: one circuit per node, used by
 * the node's one thread of control. circuit_send() copies struct
 * circuit_message, not the bytes of its segments: these stay as they are, and
 * may be read, until circuit_drain() returns. Received bytes are the caller's
 * at once.
 *
 * Mesh time is the time that messages carry from node to node: the later of
 * what a node's own clock says and of the arrival of what it received.
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
#define CIRCUIT_ALL_PORTS ((1u << TORUS_PORTS) - 1u) /* but the host's */
#define CIRCUIT_ANY_JOB 0u
#define CIRCUIT_KIND_MAX 253u /* of messages; 254 and 255 are a switch's */

/* Added to the port mask of a receive: only messages of this kind. */
#define CIRCUIT_ONLY(kind) ((unsigned)(kind) << 8)

/* Added to the port mask of circuit_receive(): the first `bytes` of a message,
   its header included, are enough; up to 65535. See circuit_complete(). */
#define CIRCUIT_HEAD(bytes) ((unsigned)(bytes) << 16)

/* Offsets in the header. */
enum circuit_field {
    CIRCUIT_AT_VERSION = 0,
    CIRCUIT_AT_KIND = 1,
    CIRCUIT_AT_JOB = 2,
    CIRCUIT_AT_MESH = 4,
    CIRCUIT_AT_LENGTH = 8,
    CIRCUIT_AT_CRC = 12
};

struct circuit {
    void *board; /* the implementation's own */
    struct node *node;
    struct node_log *log;
    struct clock *clock;
    uint8_t *memory; /* messages lie here, sent or received; 8-byte aligned */
    uint32_t memory_bytes; /* a multiple of 8 */
    uint8_t *aside; /* a second memory for messages, 8-byte aligned; NULL if
                       aside_bytes is 0 */
    uint32_t aside_bytes; /* a multiple of 8 */
    uint32_t mesh;
    uint16_t job;  /* messages of another job are refused; or ANY_JOB */
    uint16_t side; /* the longest leg of a path, in hops */
};

/* A piece of a message, in `memory` or `aside` of the circuit; bytes may be 0.
 */
struct circuit_segment {
    const uint8_t *data;
    uint32_t bytes;
};

/*
 * Up to four messages, one a port: the path is turned to each of them. The
 * message of port p is head p, the shared segment, and body[p].
 */
struct circuit_message {
    struct torus_path path; /* of port 0's message, whose port field is not
                               used; to the host nothing of it is */
    uint8_t kind;
    uint32_t gap_ps;   /* start no earlier than this after the end of the port's
                          message before */
    uint64_t ready_ps; /* start no earlier than this mesh time; 0: at once */
    struct circuit_segment head; /* of port 0 */
    uint32_t head_stride; /* from the head of port p to that of port p + 1 */
    struct circuit_segment shared;
    struct circuit_segment body[TORUS_PORTS]; /* to the host: body[0] */
};

/* A received message, in the caller's buffer. */
struct circuit_delivery {
    uint8_t *payload;
    uint32_t bytes; /* of the payload */
    uint16_t job;
    uint8_t port;
    uint8_t kind;
};

/*
 * Attaches to the board's switch; starts the clock at 0. `board` is what the
 * implementation takes: hal/window/window.c a struct window. Result: 0;
 * ERR_VERSION if it is none, or of another version; ERR_MEMORY if its size is
 * wrong.
 */
NODISCARD int circuit_open(struct circuit *circuit, void *board,
                           struct clock *clock);

/*
 * Queues the message on every port of the mask (bits 0 to 3, or the host's
 * alone). Result: 0; ERR_NO_ROUTE (a leg of no hops, or longer than a side),
 * ERR_PORT_BUSY (the ring is full). A segment outside the circuit's memory is
 * found by the switch, which stops the mesh. About 100 instructions for four
 * ports.
 */
NODISCARD int circuit_send(struct circuit *circuit, unsigned ports,
                           const struct circuit_message *message);

/*
 * Waits for a message on any port of the mask, of one kind if CIRCUIT_ONLY()
 * says so (others stay for later receives); mesh time moves on to its
 * arrival. The buffer lies in the circuit's memory and takes header and
 * payload.
 * Result: 0 and *delivery; ERR_BUFFER (delivery->bytes tells the size that
 * was needed; the message is gone), ERR_CORRUPT, ERR_FOREIGN. A message that
 * never comes is found out by the launcher's watchdog: a time limit in
 * virtual time would fire at once.
 */
NODISCARD int circuit_receive(struct circuit *circuit,
                              struct circuit_delivery *delivery, unsigned ports,
                              uint8_t *buffer, uint32_t capacity_bytes);

/*
 * Receives as circuit_receive() does, but waits until deadline_ps at most: a
 * message is delivered if its last byte is there by then. A deadline that has
 * passed, such as 0, asks whether a message is there now. A message that comes
 * later, or in part, stays for a later receive. Precondition: no
 * CIRCUIT_HEAD(). Result: as circuit_receive(), or ERR_TIMEOUT: mesh time is
 * the later of deadline_ps and what it was. A switch that is software takes no
 * message while nobody receives: there a deadline that has passed finds only
 * what was received ahead.
 */
NODISCARD int circuit_receive_until(struct circuit *circuit,
                                    struct circuit_delivery *delivery,
                                    unsigned ports, uint8_t *buffer,
                                    uint32_t capacity_bytes,
                                    uint64_t deadline_ps);

/* Receives that may be ahead at once. */
#define CIRCUIT_AHEAD_MAX 8u

/*
 * Receives ahead: a message on any port of the mask comes to the buffer while
 * this node computes; the buffer is the switch's until it is delivered or taken
 * back. A later receive
 *
 *   of the same mask     delivers a message that has come, or waits for one of
 *                        those ahead; it lies where delivery->payload says
 *   of another mask      takes back those that have not come, as
 *                        circuit_close() does, and uses its own buffer
 *
 * A switch that keeps messages until they are received does nothing here, and
 * uses the buffer of the later call. Precondition: no CIRCUIT_HEAD(), and not
 * the host's port. Result: 0; ERR_BUFFER: the buffer is not in the circuit's
 * memory; ERR_PORT_BUSY: CIRCUIT_AHEAD_MAX are ahead.
 */
NODISCARD int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                                    uint8_t *buffer, uint32_t capacity_bytes);

/*
 * Waits for the last byte of a message whose head circuit_receive() delivered;
 * returns at once for one that was delivered whole. Before this the caller may
 * read the head only, and neither send nor receive. Result: 0, or ERR_CORRUPT:
 * the head was not to be trusted.
 */
NODISCARD int circuit_complete(struct circuit *circuit);

/* Waits until every queued send has ended. Result: 0 or the first error. */
NODISCARD int circuit_drain(struct circuit *circuit);

/*
 * Waits until circuits of earlier messages are released everywhere, so that the
 * next message takes the time that it takes alone. Result: 0, or an error as
 * circuit_receive() has.
 */
NODISCARD int circuit_settle(struct circuit *circuit);

/*
 * Waits until no send needs this node's processor, so that the work measured
 * next takes the time that it takes alone: returns at once where the switch
 * sends by itself, else when every queued send has ended. Result: as
 * circuit_drain().
 */
NODISCARD int circuit_quiet(struct circuit *circuit);

/*
 * Processor time that interrupts of the ports have taken from this node's
 * program, us, modulo 2^32; always 0 where the switch sends by itself. Cost:
 * about 10 instructions.
 */
uint32_t circuit_ports_us(const struct circuit *circuit);

/* Tells the switch that this node asks for nothing more. */
void circuit_close(struct circuit *circuit);

/* ---- for the implementations ---- */

/* Whether a header belongs to this mesh and this job; `bytes`: of its message,
   header included, which arrived whole. */
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
