/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FABRIC_CIRCUIT_RECORD_H
#define QEMU_FABRIC_CIRCUIT_RECORD_H

#include "scatter/wire/wire.h"
#include "torus/torus.h"

#include <stdint.h>

/* One circuit that was granted: a path of links held for one message. */
struct circuit_record {
    uint32_t source; /* node index, row by row */
    uint32_t destination;
    uint8_t port;
    uint8_t arrival; /* port at the destination */
    uint8_t kind;    /* kind of message: WIRE_PART, WIRE_RESULT ... */
    uint8_t phase;   /* of the schedule, from 1; 0: none */
    uint16_t round;  /* from 0 */
    uint16_t hops;
    uint32_t bytes;      /* with headers */
    uint64_t request_ps; /* time when the send was first in its queue */
    uint64_t grant_ps;   /* start; after request_ps if a link was busy */
    uint64_t end_ps;
};

/* The purpose of a circuit, in the order in which a job has them. */
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

/* Returns the name of a port: "east" and so on, or "host". */
static inline const char *circuit_port_name(unsigned port)
{
    return port < TORUS_PORTS ? torus_port_names[port] : "host";
}

#endif
