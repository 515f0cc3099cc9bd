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
 * job or length is wrong is reported, never delivered.
 *
 * Not reentrant and not for interrupt handlers: one circuit per node, used by
 * the node's one thread of control. A queued message's bytes belong to the
 * switch until circuit_drain() returns; then to the caller again.
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
#define CIRCUIT_ANY_JOB 0u
#define CIRCUIT_KIND_MAX 253u /* of messages; 254 and 255 are a switch's */

/* For circuit_receive(): only messages of this kind, with the port mask. */
#define CIRCUIT_ONLY(kind) ((unsigned)(kind) << 8)

/* The same: the head of a message, `bytes` of it with its header, is enough;
   up to 65535. See circuit_complete(). */
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
    uint8_t *memory; /* for messages: nothing else can be sent or received */
    uint32_t memory_bytes; /* a multiple of 8, as the address is */
    uint8_t *aside;        /* memory that may be sent from and received to as
                              well; NULL if aside_bytes is 0 */
    uint32_t aside_bytes;  /* likewise aligned */
    uint32_t mesh;
    uint16_t job;  /* messages of another job are refused; or ANY_JOB */
    uint16_t side; /* the longest leg of a path, in hops */
};

/* A piece of a message, in the circuit's memory; bytes may be 0. */
struct circuit_segment {
    const uint8_t *data;
    uint32_t bytes;
};

/*
 * Up to four messages, one a port: the path is turned to each of them. The
 * message of port p is head p, the shared segment, and body[p].
 */
struct circuit_message {
    struct torus_path path; /* its port is ignored, all of it on the host's */
    uint8_t kind;
    uint32_t gap_ps;   /* start no earlier than this after the port's last */
    uint64_t ready_ps; /* nor before this mesh time; 0: at once */
    struct circuit_segment head; /* of port 0; .. */
    uint32_t head_stride; /* .. that of port p lies p * head_stride after it */
    struct circuit_segment shared;
    struct circuit_segment body[TORUS_PORTS]; /* the host's: body[0] */
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
 * The same, but waits no longer than until deadline_ps: a message whose last
 * byte is there by then, the deadline included, is delivered. With a deadline
 * that has passed, such as 0, it says whether one is there now. A message that
 * comes later, or of which only a part is there, stays for a later receive.
 * Precondition: no CIRCUIT_HEAD(). Result: as circuit_receive(); or
 * ERR_TIMEOUT, and mesh time is deadline_ps, or what it was if that is later. A
 * switch that is software takes no message while nobody receives: there a
 * deadline that has passed finds only what was received ahead.
 */
NODISCARD int circuit_receive_until(struct circuit *circuit,
                                    struct circuit_delivery *delivery,
                                    unsigned ports, uint8_t *buffer,
                                    uint32_t capacity_bytes,
                                    uint64_t deadline_ps);

/* Receives that may be ahead at once. */
#define CIRCUIT_AHEAD_MAX 8u

/*
 * Receives ahead: a message on any port of the mask comes to the buffer, which
 * is the switch's from now on, while this node computes. The next circuit_
 * receive() or circuit_receive_until() with the same mask delivers one that has
 * come, or waits for one of those ahead; delivery->payload says whose buffer it
 * is in, and that is the caller's again. Their own buffer is used if none is
 * ahead. One with another mask takes back what has not come yet, as does
 * circuit_close(). A switch that keeps messages until they are received needs
 * none of this: there nothing happens, and a message comes to the buffer of the
 * later call. Precondition: no CIRCUIT_HEAD(), and not the host's port. Result:
 * 0; ERR_BUFFER, if that is none; ERR_PORT_BUSY: CIRCUIT_AHEAD_MAX are ahead.
 */
NODISCARD int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                                    uint8_t *buffer, uint32_t capacity_bytes);

/*
 * Waits until the message of which circuit_receive() has delivered the head is
 * there to its last byte; a message that was delivered whole is. Until then
 * only its head may be read, nothing sent, and no other message received.
 * Result: 0 or ERR_CORRUPT, and then nothing that its head said holds.
 */
NODISCARD int circuit_complete(struct circuit *circuit);

/* Waits until every queued send has ended. Result: 0 or the first error. */
NODISCARD int circuit_drain(struct circuit *circuit);

/*
 * Waits until nothing is left on the way of what messages need besides their
 * bytes, such as the release of a circuit, so that the next message takes what
 * it takes alone. Result: 0 or an error, as when waiting for a message.
 */
NODISCARD int circuit_settle(struct circuit *circuit);

/*
 * Waits until no send takes this node's processor any time, so that what it
 * computes next takes what it takes alone: not at all where the switch sends by
 * itself, else until every queued send has ended. Result: as circuit_drain().
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

/* Whether a header, of a message of so many bytes with it that arrived whole,
   belongs to this mesh and this job. */
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
