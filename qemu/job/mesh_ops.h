/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a mesh that jobs and probes run on. Two files implement it:
 * fabric_job.c (windows, whose switches the host emulates: qemu/fabric/mesh.h)
 * and serial_job.c (boards with serial ports: qemu/job/serial_mesh.h). The
 * options choose a row; its users ask what the mesh can do, never which it is.
 */
#ifndef QEMU_JOB_MESH_OPS_H
#define QEMU_JOB_MESH_OPS_H

#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

#define MESH_PROBE_SIZES 6u

/* How a mesh is probed. */
struct mesh_probing {
    uint32_t bytes[MESH_PROBE_SIZES]; /* default payloads; 0: no more */
    uint16_t repeat; /* default number of probes to each node of each size */
    uint32_t ready_delay_ns; /* of all probes: see scatter/engine/probe.h */
    uint32_t rows;           /* at most in a list of several probes; 0:
                                PROBE_ROWS_AT_ONCE */
    /* The nodes' clocks run in real time: a node's first message sets its
       clock, and repeats of a probe differ. */
    bool real_time;
};

/* An opened mesh; an implementation's own struct begins with it. */
struct job_mesh {
    const struct mesh_ops *ops;
    const struct job_task *task;
    const char *board;                /* as in the report */
    const struct mesh_report *report; /* of the last orders; the mesh's */
    uint64_t room_bytes; /* of a node's memory for a job's data; 0: as the
                            window has (qemu/fabric/backend.h) */
    double up_wall_s;    /* when the last node was up, by host_clock_s() */
};

/* Functions of type int return 0 or an exit status, after a message. */
struct mesh_ops {
    const char *nodes; /* for people: "boards", "native nodes" */
    const char *on;    /* as in the report: "qemu", "native", "boards" */
    /* The host emulates switches and links, with the profile's times. Only then
       it can choose ports, switching, schedules and slow nodes. */
    bool has_fabric;
    bool has_images;   /* QEMU runs the nodes, each with a board's image */
    bool has_cables;   /* emulated serial links, which can damage bytes */
    unsigned side_max; /* of the torus; at most SCHEDULE_SIDE_MAX */
    const struct mesh_probing *probing;

    /* Starts the nodes, or finds those behind a port; `probed`: for probes, not
       for a job. The task outlives the mesh. On failure there is nothing to
       be closed. */
    int (*open)(struct job_mesh **mesh, const struct job_task *task,
                bool probed);

    /* Gives each originator its order, one for each of the task's groups, and
       waits for all reports. */
    int (*order)(struct job_mesh *mesh, const struct mesh_order order[]);

    /* Prints the nodes' states on stderr, if the error of a report may come
       from one of them. NULL: there is nothing to print. */
    void (*explain)(struct job_mesh *mesh, int error);

    /* Reads the nodes' logs and counters of the last batch, carried out by that
       order, into an outcome that originators_read() began. */
    int (*collect)(struct job_mesh *mesh, struct outcome *outcome,
                   const struct wire_order *order);

    /* Adds the times of ranks to the outcome; NULL if a mesh of this kind never
       has several. */
    void (*add_rank_times)(struct job_mesh *mesh, struct outcome *outcome);

    /* Ends nodes that were started, and frees the mesh. */
    void (*close)(struct job_mesh *mesh);
};

extern const struct mesh_ops fabric_job_qemu;   /* a board a node, in QEMU */
extern const struct mesh_ops fabric_job_native; /* a coroutine a node */
extern const struct mesh_ops serial_job_qemu;   /* boards emulated by QEMU */
extern const struct mesh_ops serial_job_port;   /* boards behind request.port */

#endif
