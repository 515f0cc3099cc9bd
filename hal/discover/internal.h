/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, bits, and functions that only the files of discovery
 * (hal/discover/discover.h) use. Each file calls only the files above it:
 *
 *   positions.c  the position of this node, from its neighbours' claims
 *   judge.c      faults of this node's links; the measured size of the mesh
 *   wave.c       the wave: progress, frames out, frames in
 */
#ifndef HAL_DISCOVER_INTERNAL_H
#define HAL_DISCOVER_INTERNAL_H

#include "hal/bytes.h"
#include "hal/discover/discover.h"

#include <assert.h>

enum discover_kind {
    DISCOVER_STATUS = 0x11,
    DISCOVER_TEST = 0x12,
    DISCOVER_ECHO = 0x13,
    DISCOVER_REFUSE = 0x14
};

enum discover_field {
    DISCOVER_AT_KIND = 0,
    DISCOVER_AT_PORT = 1,
    DISCOVER_AT_EPOCH = 2,
    DISCOVER_AT_ORIGIN_TAG = 4,
    DISCOVER_HEAD_BYTES = 8,
    DISCOVER_AT_WIDTH = 8,
    DISCOVER_AT_HEIGHT = 9,
    DISCOVER_AT_ORIGIN_X = 10,
    DISCOVER_AT_ORIGIN_Y = 11,
    DISCOVER_AT_FLAGS = 12,
    DISCOVER_AT_BITS = 13,
    DISCOVER_AT_TAKEN = 14,
    DISCOVER_AT_FACING = 15,
    DISCOVER_AT_UID = 16,
    DISCOVER_AT_TAGS = 28,
    DISCOVER_AT_X = 44,
    DISCOVER_AT_Y = 46,
    DISCOVER_STATUS_BYTES = 48,
    DISCOVER_AT_NUMBER = 8,
    DISCOVER_AT_PATTERN = 9,
    DISCOVER_PATTERN_BYTES = 32,
    DISCOVER_TEST_BYTES = 41,
    DISCOVER_AT_LAST = 9,
    DISCOVER_AT_NODES = 10,
    DISCOVER_AT_FAULTS = 12,
    DISCOVER_AT_REAL_WIDTH = 14,
    DISCOVER_AT_REAL_HEIGHT = 16,
    DISCOVER_AT_SKEW = 18,
    DISCOVER_AT_FAULT = 22,
    DISCOVER_ECHO_BYTES = 30
};

static_assert(sizeof(struct discover) <= 1024, "it is one of many on a board");

/* Bits of a STATUS. */
enum discover_bit {
    DISCOVER_PLACED = 1, /* the sender's x and y are valid */
    DISCOVER_PARENT = 2, /* the receiver is the sender's parent */
    DISCOVER_TESTED = 4, /* the sender has sent all its test frames */
    DISCOVER_KNOWN = 8,  /* the STATUS's tags and mask of ports are final */
    DISCOVER_FINISHED = 16,
    DISCOVER_FAULTY = 32, /* the wave has found a fault, or has failed */
    DISCOVER_FAILED = 64  /* the wave's time limit passed at the sender */
};

/* Bits of its own STATUS that a node keeps when the wave ends. */
#define DISCOVER_KEPT ((unsigned)(DISCOVER_PLACED | DISCOVER_KNOWN))

/* Bits that a neighbour's STATUS must have before its link is judged. */
#define DISCOVER_COMPLETE (DISCOVER_PLACED | DISCOVER_TESTED | DISCOVER_KNOWN)

enum discover_link_state {
    DISCOVER_SETTLED = 1, /* the link can be judged */
    DISCOVER_SILENT = 2,
    DISCOVER_REFUSED = 4, /* the neighbour is busy */
    DISCOVER_ECHOED = 8   /* the child at this port has sent its whole echo */
};

enum discover_node_state {
    DISCOVER_ORIGIN = 1,  /* this node started the wave */
    DISCOVER_JUDGED = 2,  /* all links are judged */
    DISCOVER_ECHOING = 4, /* all children have sent their echoes */
    DISCOVER_ECHO_DUE = 8 /* the next frame of the echo is to go out */
};

/* Silence after which a neighbour is missing, in multiples of retry_us. */
#define DISCOVER_PATIENCE 24u

#define DISCOVER_ALL_PORTS 15u

/* Returns value modulo side: 0 to side - 1, also if value is negative. */
static inline unsigned discover_wrap(int value, int side)
{
    int rest = value % side;

    return (unsigned)(rest < 0 ? rest + side : rest);
}

static inline bool discover_has(const struct discover *d, unsigned bits)
{
    return (d->own[DISCOVER_AT_BITS] & bits) != 0;
}

/* Sets the bits of this node's STATUS; the STATUS is then due at all ports. */
static inline void discover_set(struct discover *d, unsigned bits)
{
    d->own[DISCOVER_AT_BITS] = (uint8_t)bits;
    d->stale = DISCOVER_ALL_PORTS;
}

static inline int16_t discover_x_of(const uint8_t *status)
{
    return (int16_t)bytes_load_u16(status + DISCOVER_AT_X);
}

static inline int16_t discover_y_of(const uint8_t *status)
{
    return (int16_t)bytes_load_u16(status + DISCOVER_AT_Y);
}

static inline bool discover_is_over(const struct discover *d, uint32_t since_us,
                                    uint32_t retries)
{
    return d->now_us - since_us > retries * d->config.retry_us;
}

static inline uint32_t discover_sides(const struct discover *d)
{
    return (uint32_t)d->own[DISCOVER_AT_WIDTH] + d->own[DISCOVER_AT_HEIGHT];
}

static inline unsigned discover_port_there(const struct discover_link *link)
{
    return link->told[DISCOVER_AT_PORT];
}

/* ---- positions.c ---- */

/* Returns this node's coordinates. Precondition: DISCOVER_PLACED is set. */
struct torus_coord discover_place(const struct discover *d);

/* Returns the coordinates that the neighbour at a port has told of itself. */
struct torus_coord discover_there(const struct discover *d, unsigned port);

/* Whether both ends of the port's link hear each other. */
bool discover_is_mutual(const struct discover *d, unsigned port);

/* Whether the link leads to the neighbour's opposite port, as east to west. */
bool discover_is_facing(const struct discover *d, unsigned port);

/* Whether the link lies in a closed square (hal/discover/discover.h). */
bool discover_is_trusted(const struct discover *d, unsigned port);

/* Sets *x and *y to the position that a neighbour claims for this node: hops
   east and north of the originator. Result: false if it claims none. */
bool discover_claimed(const struct discover *d, unsigned port, int *x, int *y);

/* Takes the position with the greatest weight among the neighbours' claims. The
   neighbour that claims it becomes the parent. */
void discover_find_place(struct discover *d);

/* ---- judge.c ---- */

/* Largest absolute skew, hops. */
#define DISCOVER_SKEW_MAX 65535

/* Counts a fault, and lists it if the list has room. */
void discover_add_fault(struct discover *d, const struct discover_fault *fault);

/* Adds a fault of this node at a port, with zeros for the other end. */
void discover_find_alone(struct discover *d, unsigned port,
                         enum discover_code code, unsigned count);

/* Adds the faults of links and strap. Precondition: the node has a position. */
void discover_judge(struct discover *d);

/* Adds a way around the mesh, x hops east and y hops north, to the measured
   size. Cost: at most 40 divisions. */
void discover_close_way(struct discover *d, int32_t x, int32_t y);

/* Adds a fault if the measured size differs from that of discover_start(). */
void discover_judge_size(struct discover *d);

#endif
