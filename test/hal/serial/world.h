/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serial_circuit: circuits over serial lines as TAP (unit_host()).
 *
 * What is around circuits over serial lines (hal/serial/serial_circuit.c): the
 * switch below, the board and its timer are made up here; the clock is that of
 * the boards that have such lines. Time goes on by 100 us whenever the node
 * idles.
 */
#ifndef TEST_HAL_SERIAL_WORLD_H
#define TEST_HAL_SERIAL_WORLD_H

#include "hal/serial/state.h"
#include "test/unit/unit.h"

#define PS_PER_US 1000000ull
#define IDLE_US 100u
#define MEMORY_BYTES 4096u
#define ASIDE_BYTES 256u
#define BYTE_NS 5000u
#define MESH 0x12345678u
#define SENT_MAX 64u
#define NEVER UINT32_MAX
#define TO_HOST (1u << CIRCUIT_HOST)

/* A message of the host's. */
struct given {
    const uint8_t *data;
    uint32_t bytes;
    uint8_t kind;
    uint32_t ends_us; /* its last byte comes then, or at once */
};

/* The surroundings of the circuit, and the calls of the switch. */
struct world {
    struct switch_core core;
    struct mailbox mailbox;
    struct node node;
    struct node_log log;
    struct clock clock;
    uint64_t ticks; /* of the timer */
    struct serial_circuit serial;
    struct circuit circuit;
    _Alignas(8) uint8_t memory[MEMORY_BYTES];
    _Alignas(8) uint8_t aside[ASIDE_BYTES];
    unsigned locked;
    unsigned unlocked_calls; /* of the switch: must stay 0 */
    unsigned cancels;
    unsigned resets;
    unsigned idles;
    unsigned idles_max; /* the one after these fails */
    struct switch_message *sent[SENT_MAX];
    uint64_t sent_ps[SENT_MAX];
    int8_t error[SENT_MAX]; /* with which the n-th send ends */
    unsigned sends;
    unsigned ended;
    bool has_ways;    /* what goes by the other way arrives */
    bool holds_sends; /* none of them ends */
    struct switch_receive *receive;
    uint32_t arrives_us; /* what is below; NEVER: nothing does */
    bool interrupts;     /* it arrives only when the switch is locked */
    uint8_t message[96];
    uint32_t message_bytes;
    uint32_t host_takes_us; /* what is offered; NEVER: nothing */
    /* What it gives behind each other, and the last that it got. */
    const struct given *gives;
    unsigned gives_count;
    bool gets;
    uint8_t got[96];
    int got_bytes;
    uint8_t got_kind;
    unsigned gots;
    bool opened;
    struct circuit_delivery delivery; /* of the last receive */
};

extern struct world world;

uint64_t now_ps(void);
uint32_t now_us(void);

/* When the clock was last started. */
uint32_t started_us(void);

/* A new world, whose circuit is open. */
void start(void);

/* What is below arrives, if it is time and somebody waits for it. */
void deliver(void);

/* A message of `payload` bytes, sent when it was `time_us`, which arrives at
   `arrives_us`. */
void expect(uint32_t payload, uint32_t time_us, uint32_t arrives_us);

/* Sends 8 bytes to the east. */
int send_at(uint64_t ready_us);

int receive(void);
int receive_until(uint32_t deadline_us);
int receive_host(void);

/* No lock was left, and the switch never called without. */
void check_locks(struct unit *unit);

/* Runs a test in a new world; in the end no lock is left. */
void world_run(struct unit *unit, void (*test)(struct unit *unit),
               const char *name);

#define RUN(name) world_run(unit, (name), #name)

void test_sends(struct unit *unit);
void test_receives(struct unit *unit);
void test_errands(struct unit *unit);

#endif
