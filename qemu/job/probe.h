/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of scatter/engine/probe.h: sends lists of probes to the
   originator of a mesh and reads the reports. */
#ifndef QEMU_JOB_PROBE_H
#define QEMU_JOB_PROBE_H

#include "hal/node.h"
#include "hal/nodiscard.h"
#include "scatter/wire/wire.h"

#define PROBE_BYTES_MIN WIRE_ENTRY_BYTES
#define PROBE_BYTES_MAX 1048576u

/* Most logs that one order may request. */
#define PROBE_LOGS_AT_ONCE 8u

struct job_mesh;

/* Most probes in one order: their rows take 8 KiB of the report. */
#define PROBE_ROWS_AT_ONCE 256u

/* Most probes in one order on serial ports: a probe may take 1 s. */
#define PROBE_SERIAL_ROWS 64u

/* A request for `count` probes (1 to 256) of `bytes` each to the node `at`. */
struct probe {
    struct torus_coord at;
    uint16_t count;
    uint32_t bytes;
};

/* One probe with its answer. The times are explained in scatter/wire/wire.h.
   Bytes include message headers. */
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

uint64_t probe_rows(const struct probe probes[], uint32_t count);

/* Sends the probes in order. Fills in a row for each single probe, probe_rows()
   in all. Returns 0, or an exit status after a message. */
NODISCARD int probe_measure(struct job_mesh *mesh, struct probe_row rows[],
                            const struct probe probes[], uint32_t count);

/* The events of a node since its last job began. */
struct probe_log {
    struct torus_coord at; /* set by the caller */
    struct probe_row row;  /* the exchange that fetched the log */
    uint32_t written;      /* number of events since the last job began */
    uint32_t count;        /* length of event[] */
    struct node_event event[NODE_EVENTS];
};

/* Reads the logs of the nodes logs[i].at. Returns 0, or an exit status after a
   message. */
NODISCARD int probe_logs(struct job_mesh *mesh, struct probe_log logs[],
                         uint32_t count);

#endif
