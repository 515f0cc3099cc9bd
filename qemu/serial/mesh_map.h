/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what a discovery of the mesh has found, as a picture (SVG) and as JSON:
   nodes, ports, cables and faults. */
#ifndef QEMU_SERIAL_MESH_MAP_H
#define QEMU_SERIAL_MESH_MAP_H

#include "qemu/serial/fault_text.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

struct mesh_map {
    struct torus_size size; /* size that the mesh should have */
    struct torus_coord originator;
    struct discover_fault *fault;
    uint32_t faults;
    /* identity of each node; NULL: unknown */
    const struct identity *identity;
};

/* Parses a row of the console's reply to the command `mesh`. Returns false if
   the row is no fault. */
bool mesh_faults_read(struct discover_fault *fault, char *row);

/* Prints each row of the console's reply to the command `mesh` as text. `size`
   is the size that the mesh should have. A row that is no fault is printed as
   it is. */
void mesh_faults_print(FILE *out, const struct console_reply *reply,
                       struct torus_size size);

/* Returns the first fault that a port reports, or NULL. */
const struct discover_fault *mesh_map_fault(const struct mesh_map *map,
                                            struct torus_coord at,
                                            unsigned port);

/* Returns whether all four neighbours of a node report it as missing, and the
   node itself reports nothing. */
bool mesh_map_is_missing(const struct mesh_map *map, struct torus_coord at);

/* Prints an SVG picture, with x to the right and y upwards. A cable around the
   edge is drawn as two stubs, with the names of the other ends. Faults are red,
   and listed below. */
void mesh_map_svg(FILE *out, const struct mesh_map *map);

json_t *mesh_map_json(const struct mesh_map *map);

#endif
