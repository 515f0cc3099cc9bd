/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and slowdowns that a test injects into one node of an emulated
   mesh. */
#ifndef QEMU_FABRIC_INJECTION_H
#define QEMU_FABRIC_INJECTION_H

#include "hal/node.h"
#include "torus/torus.h"

#define INJECTION_MAX 1024u

/* Latest time after the first order at which a node becomes slow, because a
   node's timer wraps after 171 s. */
#define INJECTION_FROM_MAX_PS UINT64_C(100000000000000) /* 100 s */

/* A fault or a slowdown of one node. Instructions of a slow node take
   2^slow_shift times as long, from slow_from_ps after the first order on; 0:
   from the node's start on. */
struct injection {
    struct torus_coord at;
    enum node_injection fault;
    uint8_t slow_shift;    /* 1 to 3; 0 for a fault */
    uint64_t slow_from_ps; /* at most INJECTION_FROM_MAX_PS */
    bool before; /* true: the node is dead before the job, and the plan knows */
};

/* All injections of a run. The caller owns the array, which must stay valid. */
struct injections {
    const struct injection *injection;
    uint32_t count;
};

/* Returns the injection that a word after `--inject` names, such as "slow8" or
   "hang", with node and time 0. Returns NULL for unknown words. */
const struct injection *injection_kind(const char *name);

const char *injection_name(const struct injection *injection);

/* Returns the injection that slows a node down, or NULL. */
const struct injection *injection_slow(const struct injections *injections,
                                       struct torus_coord at);

#endif
