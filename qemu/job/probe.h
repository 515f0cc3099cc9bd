/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of scatter/engine/probe.h: sends lists of probes to a mesh's
   originator and reads what it reports. A probe is a message whose answer tells
   what a circuit costs. */
#ifndef QEMU_JOB_PROBE_H
#define QEMU_JOB_PROBE_H

#include "hal/node.h"
#include "hal/nodiscard.h"
#include "scatter/wire/wire.h"

#define PROBE_BYTES_MIN WIRE_ENTRY_BYTES
#define PROBE_BYTES_MAX 1048576u

/* Most event logs that one order may ask for. */
#define PROBE_LOGS_AT_ONCE 8u

struct job_mesh;

/* Most probes in one order: their times take 8 KiB of the report. */
#define PROBE_ROWS_AT_ONCE 256u

/* Most probes in one order on serial ports, where a probe may take 1 s. */
#define PROBE_SERIAL_ROWS 64u

/* A request to probe node `at` with `count` messages (1 to 256) of `bytes`
   bytes. */
struct probe {
    struct torus_coord at;
    uint16_t count;
    uint32_t bytes;
};

/* One probe and its answer. scatter/wire/wire.h explains the times. `bytes`
   includes the message header. */
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

/* Returns whether the node answered. Else t2_ps and t3_ps are 0. */
static inline bool probe_answered(const struct probe_row *row)
{
    return row->t3_ps != 0;
}

uint64_t probe_rows(const struct probe probes[], uint32_t count);

/* Sends the probes in order. Fills in a row for each message, probe_rows() rows
   in all; a node that cannot be reached does not answer. Returns 0, or an exit
   status after a message on stderr. */
NODISCARD int probe_measure(struct job_mesh *mesh, struct probe_row rows[],
                            const struct probe probes[], uint32_t count);

/* A node's event log since its last job began. */
struct probe_log {
    struct torus_coord at;
    struct probe_row row; /* times of the probe that fetched the log */
    /* number of events since the last job began; the log may keep fewer */
    uint32_t written;
    uint32_t count; /* length of event[] */
    struct node_event event[NODE_EVENTS];
};

/* Reads the event logs of the nodes logs[i].at; that of a node that cannot be
   reached is empty. Returns 0, or an exit status after a message on stderr. */
NODISCARD int probe_logs(struct job_mesh *mesh, struct probe_log logs[],
                         uint32_t count);

#endif
