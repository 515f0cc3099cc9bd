/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh of boards with serial ports, of which the first originator's console
 * leads to this machine: real ones, or emulated ones that are started here.
 * Orders go in and reports come out as with the mesh of qemu/fabric/mesh.h:
 * those of further originators over the mesh (hal/serial/errand.h), or over
 * consoles of their own.
 */
#ifndef QEMU_JOB_SERIAL_MESH_H
#define QEMU_JOB_SERIAL_MESH_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/serial/client.h"
#include "qemu/serial/wired_boards.h"

struct serial_mesh {
    const struct job_task *task; /* the caller's; it outlives the mesh */
    struct wired *wired;         /* NULL: real boards */
    /* By originator. NULL, which the first never is: reached over the mesh from
       the first one's console. */
    struct console **console;
    uint64_t room_bytes;       /* for a job's data, in an originator's memory */
    struct mesh_report report; /* of the last serial_mesh_run() */
    struct mesh_report *reports; /* by originator, of the last
                                    serial_mesh_run_several() */
    double up_wall_s; /* when the mesh was found, by host_clock_s() */
};

/*
 * Starts the boards that the task's request wants to be emulated, or opens the
 * ports of real ones; waits for the originators' consoles and lets the mesh
 * find itself. Result: 0; -1 after a message that names what is wrong, board
 * and port: then nothing is to be stopped.
 */
NODISCARD int serial_mesh_start(struct serial_mesh *mesh,
                                const struct job_task *task);

/* Gives the order to the first originator and waits for its report, which is
   complete as with mesh_run(). Result: 0; -1 after a message. */
NODISCARD int serial_mesh_run(struct serial_mesh *mesh,
                              const struct mesh_order *order);

/* The same of several originators: each gets its order, and all begin together;
   fills in `reports`. */
NODISCARD int serial_mesh_run_several(struct serial_mesh *mesh,
                                      const struct mesh_order order[]);

/* After a job without a report, on boards that stay: resets the originator, and
   tells who cannot be found any more. The others leave the job by themselves.
 */
void serial_mesh_give_up(struct serial_mesh *mesh);

/* The originator's own log: at most NODE_EVENTS. Result: 0; -1 after a message.
 */
NODISCARD int serial_mesh_trace(struct serial_mesh *mesh,
                                struct node_event events[NODE_EVENTS],
                                uint32_t *count);

void serial_mesh_stop(struct serial_mesh *mesh);

#endif
