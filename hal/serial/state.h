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
 * From the first message of a job a node sets its clock by that, and the time
 * that the bytes took: good to some tenths of a millisecond, enough for the
 * slots of the gather. Measuring needs the exchange of scatter/engine/probe.h.
 * Who is given an order, by its console or over the mesh, has the time that the
 * job's other nodes set their clocks by: no result and no demand sets its own.
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
    uint8_t row[CIRCUIT_ROW_BYTES]; /* of a row: what its message begins with */
    uint64_t ready_ps;              /* to be handed to the switch then .. */
    bool waiting;                   /* .. which has not happened yet */
    bool used;
};

/* Whence the order of a node comes that the mesh's originator is not: it came
   over the mesh, or its own host brings it (hal/serial/errand.h). */
enum serial_ordered {
    SERIAL_NOT_ORDERED,
    SERIAL_ORDERED_BY_MESH,
    SERIAL_ORDERED_BY_HOST
};

/*
 * The board's functions, and the state of the implementation. The caller's, who
 * fills the first part and keeps all of it while the circuit is open.
 */
struct serial_circuit {
    struct switch_core *core;
    struct mailbox *mailbox;
    struct node *node;
    struct node_log *log;
    uint8_t *memory; /* 8-byte aligned */
    uint32_t memory_bytes;
    uint8_t *aside; /* see struct circuit */
    uint32_t aside_bytes;
    uint32_t byte_ns; /* on the line */
    /*
     * Called again and again while a node waits: serves the console and sleeps
     * until an interrupt. Result: 0; an error ends what is being waited for.
     */
    int (*idle)(void *context);
    void *context;

    const struct circuit_message *form[CIRCUIT_FORMS]; /* prepared */
    struct serial_circuit_send send[SERIAL_CIRCUIT_SENDS];
    unsigned sends; /* at least as many as are used */
    struct switch_receive receive[CIRCUIT_AHEAD_MAX]; /* IDLE: free */
    struct circuit_cut cut;                           /* circuit_expect() */
    uint32_t posted;                                  /* the label, .. */
    bool is_posted;                                   /* .. if there is one */
    /* A receive on ports of the mesh found this node's order, and ended with
       ERR_KIND. That on the host's port gives it out once it is to begin, and
       what is sent there takes the same way back. Cleared by who opened. */
    uint8_t ordered; /* enum serial_ordered */
    uint8_t order_kind;
    uint16_t order_job;
    uint32_t order_bytes; /* behind a header, from the memory's begin on */
    _Alignas(8) uint8_t errand[CIRCUIT_HEADER_BYTES + SERIAL_ERRAND_BYTES];
    uint8_t answer[SERIAL_ANSWER_BYTES];
    bool synchronised;  /* the clock is set: since the mesh was told anew, .. */
    uint16_t timed_job; /* .. and for this job, the last one whose was */
    int8_t first_error; /* of sends that ended since the last drain */
};

#endif
