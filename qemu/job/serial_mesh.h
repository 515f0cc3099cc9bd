/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh of boards with serial ports, real or emulated. The first originator's
   console is connected to this machine. Orders and reports have the format of
   qemu/fabric/mesh.h. Orders for other originators travel over the mesh
   (hal/serial/errand.h) or through their own consoles. */
#ifndef QEMU_JOB_SERIAL_MESH_H
#define QEMU_JOB_SERIAL_MESH_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/serial_faults.h"
#include "qemu/serial/client.h"
#include "qemu/serial/nodes.h"
#include "qemu/serial/wired_boards.h"

struct serial_mesh {
    /* the caller's; must outlive the mesh */
    const struct job_task *task;
    struct wired *wired; /* emulated boards; NULL: boards are real */
    /* One entry for each originator. NULL: it has no console; the first
       originator's console reaches it over the mesh. */
    struct console **console;
    uint64_t room_bytes;       /* memory of an originator for job data */
    struct mesh_report report; /* what the last serial_mesh_run() received */
    /* what the last serial_mesh_run_several() received */
    struct mesh_report *reports;
    double up_wall_s; /* host_clock_s() when all boards were found */
    struct schedule_holes *holes; /* that the last discovery found */
    bool measured;                /* the size of the mesh is certain */
    struct schedule_holes *dead;  /* what has died of emulated boards */
    struct serial_faults faults;
    struct identity_chip *chip; /* of each node, as boards have told; or NULL */
};

/* Starts emulated boards, or opens the serial ports of real ones. Waits for the
   originators' consoles and starts the discovery of the mesh. Returns 0. On
   failure returns -1 after a message with board and port; nothing is left
   running. */
NODISCARD int serial_mesh_start(struct serial_mesh *mesh,
                                const struct job_task *task);

/* Gives an order to the first originator and waits for its report. Returns 0,
   or -1 after a message. */
NODISCARD int serial_mesh_run(struct serial_mesh *mesh,
                              const struct mesh_order *order);

/* Gives each originator its order and waits for all reports, which it stores in
   `reports`. The originators begin together. Returns 0, or -1 after a
   message. */
NODISCARD int serial_mesh_run_several(struct serial_mesh *mesh,
                                      const struct mesh_order order[]);

/* Discovers the mesh again: what boards still do of earlier orders ends. Sets
   mesh->holes. Returns 0, or -1 after a message. */
NODISCARD int serial_mesh_renew(struct serial_mesh *mesh);

/* Ends a job without a report: resets the originator of real boards and prints
   which boards no longer answer. Other boards leave the job by themselves. */
void serial_mesh_give_up(struct serial_mesh *mesh);

/* Reads the originator's event log. Returns 0, or -1 after a message. */
NODISCARD int serial_mesh_trace(struct serial_mesh *mesh,
                                struct node_event events[NODE_EVENTS],
                                uint32_t *count);

void serial_mesh_stop(struct serial_mesh *mesh);

#endif
