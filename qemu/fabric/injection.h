/* SPDX-License-Identifier: Apache-2.0 */
/* What a test does to one node of an emulated mesh, so that it differs from
   what the plan takes it to be. */
#ifndef QEMU_FABRIC_INJECTION_H
#define QEMU_FABRIC_INJECTION_H

#include "hal/node.h"
#include "torus/torus.h"

/* Of one run. */
#define INJECTION_MAX 1024u

/* A node becomes slow no later: its timer, of 171 s, must not wrap before. */
#define INJECTION_FROM_MAX_PS UINT64_C(100000000000000) /* 100 s */

/* A fault, or else a slowdown: from mesh time slow_from_ps on, counted from the
   first order, what the node executes takes 2^slow_shift times as long. */
struct injection {
    struct torus_coord at;
    enum node_injection fault; /* NODE_INJECT_NONE: it becomes slow */
    uint8_t slow_shift;        /* 1 to 3, or 0 */
    uint64_t slow_from_ps;     /* to INJECTION_FROM_MAX_PS */
};

/* All of a run: they are the caller's, and outlive whoever has this. */
struct injections {
    const struct injection *injection;
    uint32_t count;
};

/* The kind by its name as in `--inject`: "slow8", "hang". NULL: there is
   none. Its node and time are 0. */
const struct injection *injection_kind(const char *name);

/* The name of its kind. */
const char *injection_name(const struct injection *injection);

/* The slowdown of a node; NULL: none. */
const struct injection *injection_slow(const struct injections *injections,
                                       struct torus_coord at);

#endif
