/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mesh that discovery found, as a picture (SVG) and as JSON: nodes, ports,
 * cables and their faults.
 */
#ifndef QEMU_SERIAL_MESH_MAP_H
#define QEMU_SERIAL_MESH_MAP_H

#include "qemu/serial/fault_text.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

struct mesh_map {
    struct torus_size size; /* of the mesh as it should be */
    struct torus_coord originator;
    struct discover_fault *fault;
    uint32_t faults;
    const struct identity *identity; /* row-major; NULL: not read */
};

/* Reads a row of the console's reply to `mesh`. False: it is no fault. */
bool mesh_faults_read(struct discover_fault *fault, char *row);

/* Prints a line for each row of the console's reply to `mesh`, of a mesh that
   should have this size; a row that is no fault comes out as it is. */
void mesh_faults_print(FILE *out, const struct console_reply *reply,
                       struct torus_size size);

/* Result: the first fault of a port; NULL: none. */
const struct discover_fault *mesh_map_fault(const struct mesh_map *map,
                                            struct torus_coord at,
                                            unsigned port);

/* Whether all four neighbours miss a node that has no fault of its own. */
bool mesh_map_is_missing(const struct mesh_map *map, struct torus_coord at);

/*
 * Prints a picture: x to the right, y up. A cable around the mesh is two stubs
 * with the place of the other end. Faults are red, and listed below.
 */
void mesh_map_svg(FILE *out, const struct mesh_map *map);

/* Result: an object. */
json_t *mesh_map_json(const struct mesh_map *map);

#endif
