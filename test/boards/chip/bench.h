/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench of modelled boards (chip.h): up to BENCH_BOARDS chips with one image,
 * cables between their pins, and whoever types at their consoles.
 *
 * All boards share one time. They live one after the other for a slice that is
 * shorter than any byte takes on a line, so that what one sends is known before
 * another can hear it: the same bench does the same in every run.
 */
#ifndef TEST_BOARDS_CHIP_BENCH_H
#define TEST_BOARDS_CHIP_BENCH_H

#include "test/boards/chip/chip.h"

#define BENCH_BOARDS 64u
#define BENCH_PINS (GPIO_COUNT * 16u)
#define BENCH_PORTS 5u /* as enum torus_port, then the console */
#define BENCH_CONSOLE 4u

/* One direction of a cable. Probabilities are in parts of 2^32. */
struct bench_wire {
    bool joined;
    bool cut;
    uint8_t to_board;
    uint8_t to_pin;
    uint32_t damage; /* of a byte: one bit is changed */
    uint32_t lose;   /* of a byte: it does not arrive */
    uint32_t random;
};

/* A text that grows at its end and is taken from its beginning. */
struct bench_text {
    uint32_t bytes;
    uint8_t data[65536];
};

struct bench_board {
    struct bench *bench;
    unsigned index;
    struct chip chip;
    struct bench_wire wire[BENCH_PINS];
    struct bench_text typed; /* for the console's RX */
    struct bench_text heard; /* from its TX; what finds no room is lost */
    uint64_t typing_fs;      /* when the next byte may begin */
    uint64_t wakes_fs;       /* when anything happens next on the chip */
    uint64_t slice_fs;       /* a little less than its fastest byte takes */
    uint64_t misread;        /* bytes whose baud is not the console's */
    /* A host program's (host.c): */
    int listener;      /* -1: none, as the next */
    int host;          /* who is connected */
    bool asked;        /* and waits: */
    uint64_t until_ns; /* for that time, */
    uint32_t most;     /* or, if not 0, for so many bytes at most */
    uint64_t heard_fs; /* then what was heard is handed over */
};

/* A byte on a line. */
struct bench_byte {
    uint64_t start_fs;
    unsigned board;
    unsigned pin;
    unsigned byte;
};

/* A marked function was called, or returned. */
struct bench_passed {
    uint64_t at_fs;
    unsigned board;
    uint32_t call; /* the function's address */
    bool returned;
};

struct bench {
    unsigned count;
    uint64_t now_fs;
    uint8_t port_tx[BENCH_PORTS]; /* pins, gpio_pin() */
    uint8_t port_rx[BENCH_PORTS];
    struct bench_board *board;
    bool watching;
    struct bench_byte *seen;
    uint32_t seen_count;
    uint32_t seen_capacity;
    struct core_marks marks;
    struct bench_passed *passed;
    uint32_t passed_count;
    uint32_t passed_capacity;
};

/* No boards, the wiring of a bare chip (hal/stm32f405/serial.h). */
void bench_init(struct bench *bench);

/* So many boards of one image (CHIP_FLASH_BYTES), off, each with a number of
   its own. False: no memory, or more than BENCH_BOARDS. */
bool bench_make(struct bench *bench, unsigned count, const uint8_t *image);

/* Joins two ports by a cable, in place of what was there. */
void bench_join(struct bench *bench, unsigned a, unsigned a_port, unsigned b,
                unsigned b_port);

/* Takes a cable away at one end, which is both. */
void bench_unplug(struct bench *bench, unsigned board, unsigned port);

/* The cables of a torus: board x + y * width at x, y. */
void bench_torus(struct bench *bench, unsigned width, unsigned height);

/* What leaves the port goes through this wire. */
struct bench_wire *bench_wire(struct bench *bench, unsigned board,
                              unsigned port);

/* Lives on by so much; ends earlier when the console of `board` has said
   `text`; "": anything. NULL: does not end earlier. Result: whether it has. */
bool bench_run(struct bench *bench, uint64_t fs, unsigned board,
               const char *text);

/* Types at a console. False: too much at once. */
bool bench_type(struct bench *bench, unsigned board, const uint8_t *data,
                uint32_t bytes);

/* Removes the first bytes of a text. */
void bench_take(struct bench_text *text, uint32_t bytes);

/* ---- host programs at consoles, in the boards' own time ---- */

/* Listens for a host at a board's console (qemu/serial/model_port.h). False:
   that socket cannot be. */
bool host_listen(struct bench_board *board, const char *path);

/*
 * Lives by what the hosts ask for, until that time: only while one waits for a
 * board. Hosts at several consoles are one program, which waits for one at a
 * time. Result: whether the time has come; false: no host has asked for
 * anything for HOST_LOOK_MS of real time, since there is none, or it is busy.
 */
#define HOST_LOOK_MS 50
bool host_serve(struct bench *bench, uint64_t until_fs);

#endif
