/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the result of a discovery as a picture (SVG) and as JSON: nodes, ports,
   cables and faults. */
#ifndef QEMU_SERIAL_MESH_MAP_H
#define QEMU_SERIAL_MESH_MAP_H

#include "qemu/serial/fault_text.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

struct mesh_map {
    struct torus_size size; /* expected size of the mesh */
    struct torus_coord originator;
    struct discover_fault *fault;
    uint32_t faults;
    const struct identity *identity; /* identities, row-major; NULL: unknown */
};

/* Parses a row of the reply to the command `mesh`. Returns false if it is no
   fault. */
bool mesh_faults_read(struct discover_fault *fault, char *row);

/* Prints each row of the reply to the command `mesh` as text. `size` is the
   expected size. A row that is no fault is printed unchanged. */
void mesh_faults_print(FILE *out, const struct console_reply *reply,
                       struct torus_size size);

/* Returns the first fault of a port, or NULL. */
const struct discover_fault *mesh_map_fault(const struct mesh_map *map,
                                            struct torus_coord at,
                                            unsigned port);

/* Whether all four neighbours report the node as missing, and the node itself
   reports no fault. */
bool mesh_map_is_missing(const struct mesh_map *map, struct torus_coord at);

/* Prints an SVG picture: x to the right, y upwards. Cables around the edge are
   two stubs labelled with the other end. Faults are red and listed below. */
void mesh_map_svg(FILE *out, const struct mesh_map *map);

json_t *mesh_map_json(const struct mesh_map *map);

#endif
