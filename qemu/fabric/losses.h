/* SPDX-License-Identifier: Apache-2.0 */
/* Boards that fail, hang, or wait for ever: what of this a run survives, and
   what is said when it ends the run. All messages go to stderr. */
#ifndef QEMU_FABRIC_LOSSES_H
#define QEMU_FABRIC_LOSSES_H

#include "qemu/fabric/mesh_state.h"

/* A board's process has ended. Returns MESH_DONE if the run goes on without, or
   if an injection stopped the node before; else MESH_FAILED. */
enum mesh_end losses_death(struct mesh *mesh, uint32_t node);

/* The watchdog's time is over. Returns MESH_DONE if the run goes on without the
   nodes that run, as all others wait for them; MESH_FAILED if they only ask on
   and on, or if one of them cannot be lost. */
enum mesh_end losses_hang(struct mesh *mesh);

/* The functions below end a run. All return MESH_FAILED. */

/* A node did what `what` says. */
enum mesh_end losses_node(const struct mesh *mesh, uint32_t node,
                          const char *what);

/* A node's processor took a fault, or an assertion failed. */
enum mesh_end losses_fault(const struct mesh *mesh, uint32_t node);

/* A node sends messages without an end: the one that sent most. */
enum mesh_end losses_flooded(const struct mesh *mesh);

/* Boards do not start: how many did, and the first one that did not. */
enum mesh_end losses_boot(const struct mesh *mesh);

/* All nodes wait, although an originator has not ended. */
enum mesh_end losses_stuck(const struct mesh *mesh);

#endif
