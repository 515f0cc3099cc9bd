/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of scatter/engine/probe.h: lists of probes for the
 * originator, and what it reports of them. How orders reach it is the caller's:
 * through a window, or over a console.
 */
#ifndef QEMU_JOB_PROBE_H
#define QEMU_JOB_PROBE_H

#include "hal/node.h"
#include "hal/nodiscard.h"
#include "scatter/wire/wire.h"

#define PROBE_BYTES_MIN WIRE_ENTRY_BYTES
#define PROBE_BYTES_MAX 1048576u

/* Logs that it is asked for at once. */
#define PROBE_LOGS_AT_ONCE 8u

/* Rows that the originator is asked for at once: 8 KiB of them. */
#define PROBE_ROWS_AT_ONCE 256u

/* The same on serial lines, where a row may take a second. */
#define PROBE_SERIAL_ROWS 64u

/* So many probes to one node, each of `bytes`: count is 1 to 256. */
struct probe {
    struct torus_coord at;
    uint16_t count;
    uint32_t bytes;
};

/* One exchange, times as in scatter/wire/wire.h. Bytes are the whole messages',
   headers included: what a circuit carries. */
struct probe_row {
    struct torus_coord at;
    uint32_t hops;
    uint32_t bytes;
    uint32_t answer_bytes;
    uint64_t t1_ps;
    uint64_t t2_ps;
    uint64_t t3_ps;
    uint64_t t4_ps;
};

/* The way to the originator of a mesh. */
struct probe_channel {
    struct torus_size size;
    struct torus_coord originator;
    uint32_t ready_delay_ns; /* of all probes: see scatter/engine/probe.h */
    uint32_t rows;           /* at most so many at once, of several probes; 0:
                                PROBE_ROWS_AT_ONCE */
    void *context;

    /* Gives the originator a WIRE_MEASURE and waits for its WIRE_MEASURED.
       *report stays the callee's, until the next call. Result: 0, or an exit
       status with the reason said. */
    int (*order)(void *context, const uint8_t **report, uint32_t *report_bytes,
                 const uint8_t *list, uint32_t list_bytes);
};

/* The shortest path with one turn at most, x first. `to` is not `from`. */
struct torus_path probe_path(struct torus_size size, struct torus_coord from,
                             struct torus_coord to);

/* Rows of `count` probes. */
uint64_t probe_rows(const struct probe probes[], uint32_t count);

/* Carries the probes out, in order. `rows` takes probe_rows(). Result: 0, or
   an exit status with the reason said. */
NODISCARD int probe_measure(const struct probe_channel *channel,
                            struct probe_row rows[],
                            const struct probe probes[], uint32_t count);

/* The events of a node since its last job began. */
struct probe_log {
    struct torus_coord at; /* the caller's */
    struct probe_row row;  /* the exchange that brought them */
    uint32_t written;      /* how many there ever were .. */
    uint32_t count;        /* .. and are here */
    struct node_event event[NODE_EVENTS];
};

/* Fetches the logs of `count` nodes. Result: as above. */
NODISCARD int probe_logs(const struct probe_channel *channel,
                         struct probe_log logs[], uint32_t count);

#endif
