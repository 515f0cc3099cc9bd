/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to a mesh, which runs jobs and probes. fabric_job.c implements
   it for nodes whose switches the host emulates, serial_job.c for boards with
   serial ports. The command's options choose which. Callers ask what a mesh can
   do, never which mesh it is. */
#ifndef QEMU_JOB_MESH_OPS_H
#define QEMU_JOB_MESH_OPS_H

#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

#define MESH_PROBE_SIZES 6u

struct mesh_probing {
    /* default payloads of probes in bytes; 0 ends the list */
    uint32_t bytes[MESH_PROBE_SIZES];
    uint16_t repeat; /* default number of probes for each node and payload */
    /* time from a probe's order to its sending, ns (scatter/engine/probe.h) */
    uint32_t ready_delay_ns;
    /* most probes in one order; 0: PROBE_ROWS_AT_ONCE */
    uint32_t rows;
    /* true: nodes run in real time, so repeated probes give different times. A
       node's first probe sets its clock and gives wrong times. */
    bool real_time;
};

/* An open mesh. Each implementation's struct has this one as its first
   member. */
struct job_mesh {
    const struct mesh_ops *ops;
    /* Tasks of the originators that the last orders went to; when it is opened,
       of all. */
    const struct job_task *task;
    uint32_t originators;
    const char *board; /* name of the boards for the JSON report */
    /* CRC of the first originator's image; 0: boards were started for this
       job */
    uint32_t image_crc;
    /* the originators' reports on the last order; the mesh owns them */
    const struct mesh_report *report;
    /* memory of a node for job data, bytes; 0: as much as an emulated board
       shares with its switch (qemu/fabric/backend.h) */
    uint64_t room_bytes;
    bool has_holes;   /* nodes or links are dead that the request says live */
    double up_wall_s; /* host_clock_s() when the last node had started */
};

/* Functions of type int return 0, or an exit status after a message on
   stderr. */
struct mesh_ops {
    const char *nodes; /* for messages: "boards", "native nodes" */
    const char *on;    /* for the JSON report: "qemu", "native", "boards" */
    /* true: the host emulates switches and links, with the profile's times.
       Only then can options choose ports, switching, schedules and slow
       nodes. */
    bool has_fabric;
    bool has_images; /* true: QEMU runs the nodes, each with a board's image */
    bool has_cables; /* true: serial links are emulated and can damage bytes */
    /* longest side of the torus, at most SCHEDULE_SIDE_MAX */
    unsigned side_max;
    const struct mesh_probing *probing;

    /* Starts the nodes, or finds the boards behind a port. `probed` is true if
       the mesh gets probes, not a job. The task must outlive the mesh. On
       failure nothing is left open. */
    int (*open)(struct job_mesh **mesh, const struct job_task *task,
                bool probed);

    /* Sends one order to each originator and waits for all reports. */
    int (*order)(struct job_mesh *mesh, const struct mesh_order order[]);

    /* Prints the nodes' states on stderr if a node may be the cause of `error`,
       which a report names. NULL: the mesh has no states to print. */
    void (*explain)(struct job_mesh *mesh, int error);

    /* Reads the nodes' logs and counters of the last batch, which `order`
       began. The outcome must come from originators_read(). */
    int (*collect)(struct job_mesh *mesh, struct outcome *outcome,
                   const struct wire_order *order);

    /* Adds the times of MPI ranks to the outcome. NULL: the mesh never has
       several ranks. */
    void (*add_rank_times)(struct job_mesh *mesh, struct outcome *outcome);

    /* Brings the faults up to date, as faults_read() does: with serial ports,
       by what the last discovery found. */
    void (*read_faults)(const struct job_mesh *mesh, struct faults *faults,
                        bool asks);

    /* Ends what nodes still do of earlier orders, makes the task's policy
       theirs, and adds what does not answer now. NULL: the next order calls
       nodes itself, and read_faults() tells. */
    int (*renew)(struct job_mesh *mesh, struct schedule_holes *holes);

    /* Stops the nodes that open() started, and frees the mesh. */
    void (*close)(struct job_mesh *mesh);
};

extern const struct mesh_ops fabric_job_qemu; /* each node is a board in QEMU */
extern const struct mesh_ops fabric_job_native; /* each node is a coroutine */
extern const struct mesh_ops serial_job_qemu;   /* serial boards in QEMU */
/* real boards, behind the serial port request.port */
extern const struct mesh_ops serial_job_port;

#endif
