/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and slowdowns that a test injects into one node of an emulated
   mesh. */
#ifndef QEMU_FABRIC_INJECTION_H
#define QEMU_FABRIC_INJECTION_H

#include "hal/node.h"
#include "torus/torus.h"

#define INJECTION_MAX 1024u

/* Latest time after the first order of an injection, because a node's timer
   wraps after 171 s. */
#define INJECTION_FROM_MAX_PS UINT64_C(100000000000000) /* 100 s */

enum injection_what {
    INJECTION_SLOW,  /* instructions take 2^slow_shift times as long */
    INJECTION_FAULT, /* the node's processor stops, by `fault` */
    INJECTION_DEATH, /* its switch stops, too: NODE_INJECT_DIE */
    INJECTION_CUT,   /* the link out of `port` is down */
    INJECTION_FLIP   /* a bit of its window changes, once */
};

/* What happens to a node, from from_ps after the first order on. If no time was
   given, slow nodes and cuts are so from the start, and faults and deaths occur
   in the job. The plan knows what is dead from the start, and nothing else. */
struct injection {
    struct torus_coord at;
    enum injection_what what;
    enum node_injection fault;
    uint8_t slow_shift; /* 1 to 3 */
    uint8_t port;
    uint8_t bit;      /* of a flip: 0 to 7, of the byte at `offset` */
    uint32_t offset;  /* in the window, from WINDOW_DMA_OFFSET on */
    bool timed;       /* true: a time was given */
    uint64_t from_ps; /* at most INJECTION_FROM_MAX_PS */
};

/* All injections of a run. The caller owns the array, which must stay valid. */
struct injections {
    const struct injection *injection;
    uint32_t count;
};

/* Returns the injection that a word after `--inject` names, such as "slow8" or
   "hang", without a place and a time. Returns NULL for unknown words. */
const struct injection *injection_kind(const char *name);

const char *injection_name(const struct injection *injection);

/* Returns whether the injection makes its node fail. */
static inline bool injection_fails(const struct injection *injection)
{
    return injection->what == INJECTION_FAULT ||
           injection->what == INJECTION_DEATH;
}

/* Returns whether the injection stops its node at a time: the fabric stops it,
   whatever the node is doing. */
static inline bool injection_stops(const struct injection *injection)
{
    return injection->timed && injection_fails(injection);
}

/* Returns the injection that slows a node down, or NULL. */
const struct injection *injection_slow(const struct injections *injections,
                                       struct torus_coord at);

/* Returns whether the injection makes a node or link dead before the job. */
static inline bool injection_is_before(const struct injection *injection)
{
    return injection->from_ps == 0 &&
           (injection->what == INJECTION_CUT || injection_stops(injection));
}

#endif
