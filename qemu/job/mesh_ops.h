/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a mesh that runs jobs and probes. fabric_job.c implements it
   for nodes whose switches the host emulates (qemu/fabric/mesh.h). serial_job.c
   implements it for boards with serial ports (serial_mesh.h). The options
   choose the mesh. Callers ask what a mesh can do, never which mesh it is. */
#ifndef QEMU_JOB_MESH_OPS_H
#define QEMU_JOB_MESH_OPS_H

#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

#define MESH_PROBE_SIZES 6u

struct mesh_probing {
    /* default payloads in bytes; 0 ends the list */
    uint32_t bytes[MESH_PROBE_SIZES];
    uint16_t repeat; /* default number of probes per node and size */
    /* ready delay of all probes, see scatter/engine/probe.h */
    uint32_t ready_delay_ns;
    /* most probes in one order; 0: PROBE_ROWS_AT_ONCE */
    uint32_t rows;
    /* Nodes run in real time: repeated probes give different times. A node's
       first probe gives wrong ones, as it sets the node's clock. */
    bool real_time;
};

/* An open mesh. Each implementation has a struct that begins with this one. */
struct job_mesh {
    const struct mesh_ops *ops;
    const struct job_task *task;
    const char *board; /* board name in the report */
    /* reports of the last orders; owned by the mesh */
    const struct mesh_report *report;
    /* memory of a node for job data; 0: the size of a window
       (qemu/fabric/backend.h) */
    uint64_t room_bytes;
    double up_wall_s; /* host_clock_s() when the last node was up */
};

/* Functions of type int return 0, or an exit status after a message. */
struct mesh_ops {
    const char *nodes; /* name in messages: "boards", "native nodes" */
    const char *on;    /* name in the report: "qemu", "native", "boards" */
    /* The host emulates switches and links with the profile's times. Only such
       a mesh can choose ports, switching, schedules and slow nodes. */
    bool has_fabric;
    bool has_images; /* QEMU runs the nodes, each with a board's image */
    bool has_cables; /* serial links are emulated and can damage bytes */
    /* longest side of the torus, at most SCHEDULE_SIDE_MAX */
    unsigned side_max;
    const struct mesh_probing *probing;

    /* Starts the nodes, or finds those behind a port. `probed`: the mesh is for
       probes, not for a job. The task must outlive the mesh. On failure nothing
       is left open. */
    int (*open)(struct job_mesh **mesh, const struct job_task *task,
                bool probed);

    /* Sends one order to each originator and waits for all reports. */
    int (*order)(struct job_mesh *mesh, const struct mesh_order order[]);

    /* Prints the nodes' states on stderr if a node may be the cause of a
       report's error. NULL: this mesh has none to print. */
    void (*explain)(struct job_mesh *mesh, int error);

    /* Reads the nodes' logs and counters of the last batch. `order` is the
       batch's order. The outcome must come from originators_read(). */
    int (*collect)(struct job_mesh *mesh, struct outcome *outcome,
                   const struct wire_order *order);

    /* Adds the times of MPI ranks to the outcome. NULL: this mesh never has
       several ranks. */
    void (*add_rank_times)(struct job_mesh *mesh, struct outcome *outcome);

    /* Stops the nodes that open() started, and frees the mesh. */
    void (*close)(struct job_mesh *mesh);
};

extern const struct mesh_ops fabric_job_qemu;   /* each node a board in QEMU */
extern const struct mesh_ops fabric_job_native; /* each node a coroutine */
extern const struct mesh_ops serial_job_qemu;   /* serial boards in QEMU */
/* real boards behind request.port */
extern const struct mesh_ops serial_job_port;

#endif
