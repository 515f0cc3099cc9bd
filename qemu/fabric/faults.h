/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that stopped and links that went down: since when, and who knows. */
#ifndef QEMU_FABRIC_FAULTS_H
#define QEMU_FABRIC_FAULTS_H

#include "qemu/fabric/mesh_state.h"

#include <stdio.h>

/* How a fault became known. */
enum fault_how {
    FAULT_UNKNOWN,   /* nobody met it */
    FAULT_ORDERED,   /* it was there before the job, and the plan knows it */
    FAULT_UNREACHED, /* a set-up ended there */
    FAULT_STOPPED,   /* its switch told that its processor has stopped */
    FAULT_ASKED      /* the host asked all switches, which nobody met there */
};

/* from_ps of what died when nobody knows, on boards with serial ports. */
#define FAULT_UNTIMED_PS UINT64_MAX

struct fault {
    struct injection is; /* what died, where, and since when */
    enum fault_how how;
    uint64_t found_ps; /* after the first order; unset if FAULT_UNKNOWN */
    uint64_t lost_ps;  /* a message was lost there last, likewise; 0: none */
    uint64_t units;    /* number of units that were computed again for it */
};

/* All faults so far. A fault keeps its index. Free `fault` with free(). */
struct faults {
    struct fault *fault;
    uint32_t count;
};

extern const char *const fault_how_names[]; /* "unknown", "ordered" .. */

/* Returns the name of the port whose link died; NULL: the node did. */
const char *fault_port(const struct fault *fault);

/* Returns the entry of what died, which is added if it is new. */
struct fault *faults_add(struct faults *faults, const struct injection *what);

/* Adds what died since the last call, and sets when it was found. `asks`: the
   host asks all switches now, so it knows every fault. */
void faults_read(struct faults *faults, const struct mesh *mesh, bool asks);

/* Returns the number of known faults of nodes and links that the plan took to
   be sound. */
uint32_t faults_met(const struct faults *faults);

/* Prints "node 2,3 at 200.0 us, found at 1.445 ms (unreached)" or "link
   0,0,east before the job". Times count from the first order. */
void fault_print(FILE *out, const struct fault *fault);

/* Prints a line "quincunx: lost .." for each fault. */
void faults_print(FILE *out, const struct faults *faults);

#endif
