/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FABRIC_CIRCUIT_RECORD_H
#define QEMU_FABRIC_CIRCUIT_RECORD_H

#include "scatter/wire/wire.h"
#include "torus/torus.h"

#include <stdint.h>

/* One circuit that was set up, in the order in which the fabric granted. */
struct circuit_record {
    uint32_t source; /* node index, row-major */
    uint32_t destination;
    uint8_t port;    /* out of the source */
    uint8_t arrival; /* port into the destination */
    uint8_t kind;    /* WIRE_PART, WIRE_RESULT or WIRE_ANNOUNCE */
    uint8_t phase;   /* 1..N, of the tree edge that it serves */
    uint16_t round;  /* of a part, from 0 */
    uint16_t hops;
    uint32_t bytes;      /* headers included */
    uint64_t request_ps; /* when the send reached the head of its queue */
    uint64_t grant_ps;   /* later than request_ps if a link was held */
    uint64_t end_ps;     /* released, and the message delivered */
};

/* What a circuit carries, in the order in which jobs have them. */
enum circuit_purpose {
    CIRCUIT_ANNOUNCEMENT,
    CIRCUIT_PART,
    CIRCUIT_RESULT,
    CIRCUIT_PURPOSES
};

/* `kind`: of the message. */
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

/* Of `port` or `arrival`: "east" and so on; the port behind these is "host". */
static inline const char *circuit_port_name(unsigned port)
{
    return port < TORUS_PORTS ? torus_port_names[port] : "host";
}

#endif
