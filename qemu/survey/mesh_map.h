/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mesh that discovery found, as a picture (SVG) and for programs: nodes
 * with their ports and cables, and what is wrong with them.
 */
#ifndef QEMU_SURVEY_MESH_MAP_H
#define QEMU_SURVEY_MESH_MAP_H

#include "qemu/console/fault_text.h"
#include "qemu/survey/nodes.h"

#include <jansson.h>
#include <stdio.h>

/* All of it is the caller's. */
struct mesh_map {
    struct torus_size size; /* as it should be */
    struct torus_coord originator;
    const struct discover_fault *fault;
    uint32_t faults;
    const struct identity *identity; /* row-major; NULL: nobody was asked */
};

/* The fault of a port, of those that name it; NULL: its cable is right. */
const struct discover_fault *mesh_map_fault(const struct mesh_map *map,
                                            struct torus_coord at,
                                            unsigned port);

/* Whether all four neighbours miss a node that itself says nothing. */
bool mesh_map_is_missing(const struct mesh_map *map, struct torus_coord at);

/*
 * x to the east, y to the north, as on paper; a cable that leads around is two
 * stubs that say to whom. Faults are red, and listed below the picture.
 */
void mesh_map_svg(FILE *out, const struct mesh_map *map);

/* An object. */
json_t *mesh_map_json(const struct mesh_map *map);

#endif
