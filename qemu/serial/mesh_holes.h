/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing of a mesh that a discovery found otherwise right. */
#ifndef QEMU_SERIAL_MESH_HOLES_H
#define QEMU_SERIAL_MESH_HOLES_H

#include "qemu/schedule/holes.h"
#include "qemu/serial/client.h"
#include "qemu/serial/nodes.h"

#include <stdio.h>

/* Adds what is missing by the console's reply to the command `mesh`: links
   whose other end does not answer, and nodes to which no link is left.
   `originator`: the node that was asked. Returns false if the reply has another
   fault, or faults that it does not list. */
bool mesh_holes_read(struct schedule_holes *holes,
                     const struct console_reply *reply,
                     struct torus_coord originator);

/* Returns whether the size of the mesh was measured in spite of the holes: a
   row and a column are closed. */
bool mesh_holes_measured(const struct schedule_holes *holes);

/* Prints which boards are missing, and which links of boards that are there,
   each in a line. chip[i]: that of node i; NULL: none is
   known. */
void mesh_holes_print(FILE *out, const struct schedule_holes *holes,
                      const struct identity_chip chip[]);

#endif
