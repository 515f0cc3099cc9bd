/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh of boards with serial ports, real or emulated. The first originator's
   console is connected to this machine. Orders and reports work as in
   qemu/fabric/mesh.h. Orders of other originators travel over the mesh
   (hal/serial/errand.h) or through their own consoles. */
#ifndef QEMU_JOB_SERIAL_MESH_H
#define QEMU_JOB_SERIAL_MESH_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/serial/client.h"
#include "qemu/serial/wired_boards.h"

struct serial_mesh {
    /* owned by the caller; must outlive the mesh */
    const struct job_task *task;
    struct wired *wired; /* emulated boards; NULL: boards are real */
    /* Consoles, by originator. NULL: the first originator's console reaches
       this originator over the mesh. */
    struct console **console;
    uint64_t room_bytes;       /* memory of an originator for job data */
    struct mesh_report report; /* report of the last serial_mesh_run() */
    /* reports of the last serial_mesh_run_several() */
    struct mesh_report *reports;
    double up_wall_s; /* host_clock_s() when the mesh was found */
};

/* Starts emulated boards or opens the ports of real ones. Waits for the
   originators' consoles and starts the discovery of the mesh. Returns 0; or -1
   after a message with board and port, with nothing to stop. */
NODISCARD int serial_mesh_start(struct serial_mesh *mesh,
                                const struct job_task *task);

/* Gives an order to the first originator and waits for its report. Returns 0,
   or -1 after a message. */
NODISCARD int serial_mesh_run(struct serial_mesh *mesh,
                              const struct mesh_order *order);

/* Gives each originator its order and waits for all reports. The originators
   begin together. Fills in `reports`. Returns 0, or -1 after a message. */
NODISCARD int serial_mesh_run_several(struct serial_mesh *mesh,
                                      const struct mesh_order order[]);

/* Resets the originator of real boards after a job without a report. Prints
   which boards no longer answer. Other boards leave the job by themselves. */
void serial_mesh_give_up(struct serial_mesh *mesh);

/* Reads the originator's log. Returns 0, or -1 after a message. */
NODISCARD int serial_mesh_trace(struct serial_mesh *mesh,
                                struct node_event events[NODE_EVENTS],
                                uint32_t *count);

void serial_mesh_stop(struct serial_mesh *mesh);

#endif
