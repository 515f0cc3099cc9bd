/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Circuits (hal/circuit.h) over serial lines: of a board whose switch is
 * software (hal/switch/switch.h) and whose host is at the other end of a
 * console (hal/serial/mailbox.h). circuit_open() takes a struct serial_circuit.
 *
 * A message is put together from its segments as it goes out; nothing is
 * copied. Its header has no CRC of its own, since every frame has one, which
 * covers whose it is and its place in the message, too; in its place is the
 * sender's mesh time:
 *
 *   12  u32  mesh time when the message was queued, us, modulo 2^32
 *
 * A node sets its clock by the first message of a job: to that time and the
 * time that the bytes took, good to some tenths of a millisecond, enough for
 * the slots of the gather. Measuring needs the exchange of
 * scatter/engine/probe.h. A node that is given an order, by its console or over
 * the mesh, keeps its clock for the job: the others set theirs by it.
 */
#ifndef HAL_SERIAL_STATE_H
#define HAL_SERIAL_STATE_H

#include "hal/rows.h"
#include "hal/serial/errand.h"
#include "hal/serial/mailbox.h"
#include "hal/switch/switch.h"

/* Sends that may be queued at once; one more waits until one of them ends. */
#define SERIAL_CIRCUIT_SENDS 24u

/* One queued send. */
struct serial_circuit_send {
    struct switch_message message;
    uint8_t header[CIRCUIT_HEADER_BYTES];
    uint8_t row[CIRCUIT_ROW_BYTES]; /* the first bytes of a row's message */
    uint64_t ready_ps; /* mesh time at which the switch gets the message */
    bool waiting;      /* the switch has not got it yet */
    bool used;
};

/* Who brings the order of a node that is not the mesh's originator: another
   node, or its own host (hal/serial/errand.h). */
enum serial_ordered {
    SERIAL_NOT_ORDERED,
    SERIAL_ORDERED_BY_MESH,
    SERIAL_ORDERED_BY_HOST
};

/*
 * The board's functions, and the state of the implementation. The caller fills
 * the first part, and keeps the struct while the circuit is open.
 */
struct serial_circuit {
    struct switch_core *core;
    struct mailbox *mailbox;
    struct node *node;
    struct node_log *log;
    uint8_t *memory; /* 8-byte aligned */
    uint32_t memory_bytes;
    uint8_t *aside; /* as in struct circuit */
    uint32_t aside_bytes;
    uint32_t byte_ns; /* time of a byte on the line */
    /*
     * Called again and again while a node waits: serves the console and sleeps
     * until an interrupt. Result: 0; an error ends what is being waited for.
     */
    int (*idle)(void *context);
    void *context;

    const struct circuit_message *form[CIRCUIT_FORMS]; /* prepared */
    struct serial_circuit_send send[SERIAL_CIRCUIT_SENDS];
    unsigned sends; /* used ones at the last look, and those added since */
    struct switch_receive receive[CIRCUIT_AHEAD_MAX]; /* IDLE: free */
    struct circuit_cut cut;                           /* of circuit_expect() */
    uint32_t posted; /* label of circuit_post() */
    bool is_posted;  /* no message has taken the post along */
    /* An order for this node came over the mesh, or was told of: the receive
       that found it ended with ERR_KIND. A receive on the host's port delivers
       the order once START has come, and what is sent to the host's port goes
       the way that the order came. The node clears `ordered` before a job. */
    uint8_t ordered; /* enum serial_ordered */
    uint8_t order_kind;
    uint16_t order_job;
    uint32_t order_bytes; /* behind a header, from the memory's first byte on */
    _Alignas(8) uint8_t errand[CIRCUIT_HEADER_BYTES + SERIAL_ERRAND_BYTES];
    uint8_t answer[SERIAL_ANSWER_BYTES];
    bool synchronised;  /* the clock was set since the mesh was told anew */
    uint16_t timed_job; /* the last job for which the clock was set */
    int8_t first_error; /* of the sends that ended since the last drain */
};

#endif
