/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FABRIC_CIRCUIT_RECORD_H
#define QEMU_FABRIC_CIRCUIT_RECORD_H

#include "scatter/wire/wire.h"
#include "torus/torus.h"

#include <stdint.h>

/* One circuit that was granted: a path of links, held for one message. */
struct circuit_record {
    uint32_t source; /* index of the sending node, row-major */
    uint32_t destination;
    uint8_t port;
    uint8_t arrival; /* port at which the message arrives at the destination */
    uint8_t kind;    /* kind of the message: WIRE_PART, WIRE_RESULT .. */
    uint8_t phase;  /* phase of the schedule, from 1; 0: the message has none */
    uint16_t round; /* round of the scatter, from 0 */
    uint16_t hops;
    uint32_t bytes;      /* length of the message with its header */
    uint64_t request_ps; /* the send was the first in its port's queue */
    uint64_t grant_ps;   /* time when all links were free */
    uint64_t end_ps;
};

/* Purposes of circuits, in the order in which a job has them. */
enum circuit_purpose {
    CIRCUIT_ANNOUNCEMENT,
    CIRCUIT_PART,
    CIRCUIT_RESULT,
    CIRCUIT_PURPOSES
};

static inline enum circuit_purpose circuit_purpose(unsigned kind)
{
    switch (kind) {
    case WIRE_ANNOUNCE:
        return CIRCUIT_ANNOUNCEMENT;
    case WIRE_PART:
    case WIRE_BRANCH:
    case WIRE_BRANCH_ROUND:
    case WIRE_CHUNK:
        return CIRCUIT_PART;
    default:
        return CIRCUIT_RESULT;
    }
}

static inline const char *circuit_port_name(unsigned port)
{
    return port < TORUS_PORTS ? torus_port_names[port] : "host";
}

#endif
