/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errands: requests by which the host gives orders to several nodes through one
 * node, the host's node. The host's node passes each errand on over the mesh,
 * has memory for one order at a time, and gets its own order by LEAD:
 *
 *   host          host's node          another node
 *    |-- ORDER ------>|-- ORDER ---------->|  keeps the order, and waits
 *    |<-- answer -----|                    |
 *    |-- LEAD, START->|-- START ---------->|  carries out the order as if
 *    |                | runs its own order |  its own host had sent it
 *    |<-- its report -|                    |
 *    |-- FETCH ------>|-- FETCH ---------->|  refused until there is a report
 *    |<-- report -----|<-- report ---------|
 *
 * A node that has a host at its console gets an ORDER without an order before
 * it: the node takes the order from that host, begins at START, and reports
 * to that host.
 *
 * A message of kind SERIAL_ERRAND is an order, if any, and then errands, which
 * are carried out from the last to the first. An errand is 8 bytes,
 * little-endian: the path to the other node, then what to do:
 *
 *    0  u8  port                      4  u16 hops_after
 *    1  u8  turn                      6  u8  enum serial_errand
 *    2  u16 hops                      7  u8  kind of the message's order
 *
 * ORDER is passed on with all bytes before it; START and FETCH go alone. The
 * host gets an answer (kind SERIAL_ERRAND) about the last errand tried:
 *
 *    0  i32 enum err of the errand    4  u32 errands carried out before it
 *
 * FETCH is answered by the report (kind SERIAL_REPORT), LEAD is not answered.
 */
#ifndef HAL_SERIAL_ERRAND_H
#define HAL_SERIAL_ERRAND_H

#include "hal/bytes.h"
#include "torus/torus.h"

/* Kinds of the messages that carry errands and reports. */
#define SERIAL_ERRAND 14u
#define SERIAL_REPORT 15u

#define SERIAL_ERRAND_BYTES 8u
#define SERIAL_ANSWER_BYTES 8u
#define SERIAL_ERRAND_AT 6u
#define SERIAL_ERRAND_AT_KIND 7u

enum serial_errand {
    SERIAL_ERRAND_ORDER = 1,
    SERIAL_ERRAND_START,
    SERIAL_ERRAND_FETCH,
    SERIAL_ERRAND_LEAD /* without a path */
};

static inline void serial_errand_store(uint8_t *out, struct torus_path path,
                                       enum serial_errand errand, uint8_t kind)
{
    out[0] = path.port;
    out[1] = path.turn;
    bytes_store_u16(out + 2, path.hops);
    bytes_store_u16(out + 4, path.hops_after);
    out[SERIAL_ERRAND_AT] = (uint8_t)errand;
    out[SERIAL_ERRAND_AT_KIND] = kind;
}

static inline struct torus_path serial_errand_path(const uint8_t *in)
{
    return (struct torus_path){.port = in[0],
                               .turn = in[1],
                               .hops = bytes_load_u16(in + 2),
                               .hops_after = bytes_load_u16(in + 4)};
}

#endif
