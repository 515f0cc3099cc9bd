/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Circuits (hal/circuit.h) over serial lines, on a board whose switch is
 * software (hal/switch/switch.h) and whose host is at the other end of a
 * console (hal/serial/mailbox.h). circuit_open() takes a struct serial_circuit.
 *
 * Every frame has a CRC, so a message has none. The CRC field of the message's
 * header holds the sender's mesh time instead:
 *
 *   12  u32  mesh time when the message was queued, us, modulo 2^32
 *
 * The first message of a job sets the receiver's clock to this mesh time plus
 * the time of the message's bytes on the line. The clock is then right to some
 * tenths of a millisecond. A node that gets an order keeps its clock.
 */
#ifndef HAL_SERIAL_STATE_H
#define HAL_SERIAL_STATE_H

#include "hal/rows.h"
#include "hal/serial/errand.h"
#include "hal/serial/mailbox.h"
#include "hal/switch/switch.h"

/* Largest number of queued sends; a further send waits until a send ends. */
#define SERIAL_CIRCUIT_SENDS 24u

/* Number of failed sends that wait for circuit_failed(); a further one replaces
   the oldest. A power of two. */
#define SERIAL_FAILURES 32u

/* Number of ways that are known as dead; a further one replaces the oldest. */
#define SERIAL_DEAD_WAYS 16u

struct serial_circuit_send {
    struct switch_message message;
    uint8_t header[CIRCUIT_HEADER_BYTES];
    uint8_t row[CIRCUIT_ROW_BYTES]; /* head, if the message belongs to a row */
    uint64_t ready_ps;              /* earliest start, mesh time */
    bool waiting;                   /* the switch has not got the message yet */
    bool turned; /* the first way has failed; it goes by the other one */
    bool used;   /* this entry holds a send that has not ended */
};

/* Effect of the errand ORDER (hal/serial/errand.h). */
enum serial_ordered {
    SERIAL_NOT_ORDERED,     /* no ORDER came */
    SERIAL_ORDERED_BY_MESH, /* ORDER brought the order */
    SERIAL_ORDERED_BY_HOST  /* the order comes from this node's own host */
};

/* The state of serial circuits. The caller fills in the fields down to
   `context`, and keeps the struct while the circuit is open. */
struct serial_circuit {
    struct switch_core *core;
    struct mailbox *mailbox;
    struct node *node;
    struct node_log *log;
    uint8_t *memory; /* 8-byte aligned */
    uint32_t memory_bytes;
    uint8_t *aside; /* a second memory for messages; NULL: none */
    uint32_t aside_bytes;
    uint32_t byte_ns; /* time that a byte takes on the line, ns */
    /* Called while a node waits. Result: 0; an error ends the wait. */
    int (*idle)(void *context);
    void *context;

    const struct circuit_message *form[CIRCUIT_FORMS]; /* NULL: unprepared */
    struct serial_circuit_send send[SERIAL_CIRCUIT_SENDS];
    unsigned sends; /* upper bound of the number of used entries in `send` */
    struct switch_receive receive[CIRCUIT_AHEAD_MAX]; /* SWITCH_IDLE: free */
    struct circuit_cut cut; /* how to cut rows, from circuit_expect() */
    uint32_t posted;        /* label to forward, from circuit_post() */
    bool is_posted;         /* `posted` waits for its message */
    uint8_t ordered;        /* enum serial_ordered; cleared before each job */
    uint8_t order_kind;
    uint16_t order_job;
    uint32_t order_bytes; /* length of the order in `memory` */
    _Alignas(8) uint8_t errand[CIRCUIT_HEADER_BYTES + SERIAL_ERRAND_BYTES];
    uint8_t answer[SERIAL_ANSWER_BYTES];
    struct switch_message question; /* the last one of circuit_ask() */
    uint8_t reply[SWITCH_STATUS_BYTES];
    bool synchronised;  /* the clock was set since the last discovery */
    uint16_t timed_job; /* the last job for which the clock was set */
    int8_t first_error; /* enum err of the first failed send since a drain */
    /* Ways on which messages ended with ERR_DEAD_LINK since circuit_open(). */
    struct torus_path dead_way[SERIAL_DEAD_WAYS];
    uint32_t dead_ways; /* number of them, also of those replaced */
    uint32_t failed;    /* number of failed sends since circuit_open() */
    uint32_t taken;     /* number of them that circuit_failed() is past */
    /* Failure number i, from 0 on, is at index i % SERIAL_FAILURES. */
    struct circuit_failure failure[SERIAL_FAILURES];
};

#endif
