/* SPDX-License-Identifier: Apache-2.0 */
/* The state of discovery (hal/discover/discover.h), its configuration, and its
   faults. */
#ifndef HAL_DISCOVER_STATE_H
#define HAL_DISCOVER_STATE_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define DISCOVER_FRAME_BYTES_MAX 48u
#define DISCOVER_SIDE_MAX 255u
#define DISCOVER_FAULTS_MAX 32u
#define DISCOVER_TESTS 16u

/* `other` is what was found there; `count` as said. */
enum discover_code {
    DISCOVER_MISSING = 1,  /* nobody answers, or no longer */
    DISCOVER_MISWIRED = 2, /* other: the node and port at the other end */
    DISCOVER_DOUBLED = 3,  /* so, and another port leads to the same node or
                              to one that says it is at the same place */
    DISCOVER_NOISY = 4,    /* count: test frames that did not come in here */
    DISCOVER_BUSY = 5,     /* the neighbour refuses: it is at work */
    DISCOVER_STRAP = 6,    /* other: the strap; x, y: where the board sits */
    DISCOVER_SIZE = 7,     /* port east or north: count is the real width or
                              height; x, y: the originator */
    DISCOVER_TWISTED = 8   /* going round leads `count` aside: a side of 2
                              has its cables swapped somewhere */
};

/* Node x, y and its port; TORUS_PORTS: of no port. */
struct discover_fault {
    uint8_t x;
    uint8_t y;
    uint8_t port;
    uint8_t code;
    uint8_t other_x;
    uint8_t other_y;
    uint8_t other_port;
    uint8_t count;
};

struct discover_config {
    uint32_t uid[3]; /* no two nodes have the same */
    bool strapped;   /* the node's coordinates are given: */
    struct torus_coord strap;
    uint8_t lost_max;  /* of the test frames; more is noisy */
    uint16_t epoch;    /* of the first wave from here, less one; best another
                          after every reset, since others remember */
    uint32_t retry_us; /* what is not answered is told again; more than a
                          frame's way there and back */
    /*
     * Takes a frame for the neighbour at the port, at most
     * DISCOVER_FRAME_BYTES_MAX, and copies it. Result: 0, or ERR_PORT_BUSY:
     * later. Called from discover_speak() only.
     */
    int (*tell)(void *context, unsigned port, const uint8_t *data,
                unsigned bytes);
    void *context;
};

/* A port, as far as it is known. */
struct discover_link {
    uint8_t state;   /* discover.c's */
    uint8_t sent;    /* test frames */
    uint8_t taken;   /* frames of the neighbour's echo */
    uint16_t passed; /* bit n: test frame n came in */
    uint32_t tag;    /* of the neighbour; 0: never heard */
    uint32_t heard_us;
    _Alignas(4) uint8_t told[DISCOVER_FRAME_BYTES_MAX]; /* the last STATUS */
};

/* The caller's memory; what has a comment may be read, though `fault` holds
   what this node and those below it found. */
struct discover {
    uint8_t state;
    uint8_t parent;
    uint8_t stale;
    uint8_t refuse;
    bool busy;
    int8_t error;    /* ERR_DEAD_LINK: the time was over */
    uint16_t faults; /* of this node and those below it, listed or not */
    uint16_t nodes;  /* this one and those below it */
    uint16_t width;  /* as measured, here and below; 0: unknown */
    uint16_t height;
    _Alignas(4) uint8_t own[DISCOVER_FRAME_BYTES_MAX]; /* STATUS, but for what
                                                          varies by port */
    int32_t skew;
    uint32_t tag;
    uint32_t now_us;
    uint32_t woken_us;
    uint32_t retried_us;
    uint32_t finished_us;
    uint8_t refused[8];
    struct discover_config config;
    struct discover_link link[TORUS_PORTS];
    struct discover_fault fault[DISCOVER_FAULTS_MAX];
};

#endif
