/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/mesh_holes.h"

#include "hal/discover/discover.h"
#include "qemu/base/memory.h"
#include "qemu/serial/mesh_map.h"

#include <stdlib.h>
#include <string.h>

/* Marks the nodes to which links lead from marked ones. Returns whether it has
   marked one. */
static bool spread(bool found[], const struct schedule_holes *holes)
{
    bool more = false;

    for (uint32_t i = 0; i < torus_nodes(holes->size); ++i) {
        struct torus_coord at = torus_coord_of(holes->size, i);

        for (unsigned port = 0; found[i] && port < TORUS_PORTS; ++port) {
            uint32_t next =
                torus_index(holes->size, torus_step(holes->size, at,
                                                    (enum torus_port)port, 1));

            if (!found[next] && !holes->link[torus_link(
                                    holes->size, at, (enum torus_port)port)]) {
                found[next] = true;
                more = true;
            }
        }
    }
    return more;
}

bool mesh_holes_read(struct schedule_holes *holes,
                     const struct console_reply *reply,
                     struct torus_coord originator)
{
    struct torus_size size = holes->size;
    bool *found = memory_or_exit(calloc(torus_nodes(size), sizeof *found));
    bool right = reply->lines - 1u < DISCOVER_FAULTS_MAX;

    for (uint32_t i = 1; right && i < reply->lines; ++i) {
        struct discover_fault fault;

        if (mesh_faults_read(&fault, reply->line[i])) {
            right = fault.code == DISCOVER_MISSING && fault.x < size.width &&
                    fault.y < size.height && fault.port < TORUS_PORTS;
        } else {
            continue; /* the reply's last row */
        }
        if (right) {
            holes->link[torus_link(size, (struct torus_coord){fault.x, fault.y},
                                   (enum torus_port)fault.port)] = true;
        }
    }
    found[torus_index(size, originator)] = true;
    while (spread(found, holes)) {
    }
    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        if (!found[i]) {
            schedule_holes_add(holes, torus_coord_of(size, i), false);
        }
    }
    free(found);
    return right;
}

/* Returns whether a row, or a column, is closed: `port` is the way along it. */
static bool any_closed(const struct schedule_holes *holes, enum torus_port port)
{
    bool row = port == TORUS_EAST;
    unsigned count = row ? holes->size.height : holes->size.width;
    unsigned side = row ? holes->size.width : holes->size.height;

    for (unsigned i = 0; i < count; ++i) {
        unsigned links = 0;

        for (unsigned k = 0; k < side; ++k) {
            struct torus_coord at = {(uint16_t)(row ? k : i),
                                     (uint16_t)(row ? i : k)};

            links += !holes->link[torus_link(holes->size, at, port)];
        }
        if (links == side) {
            return true;
        }
    }
    return false;
}

bool mesh_holes_measured(const struct schedule_holes *holes)
{
    return any_closed(holes, TORUS_EAST) && any_closed(holes, TORUS_NORTH);
}

void mesh_holes_print(FILE *out, const struct schedule_holes *holes,
                      const struct identity_chip chip[])
{
    for (uint32_t i = 0; i < torus_nodes(holes->size); ++i) {
        struct torus_coord at = torus_coord_of(holes->size, i);

        if (holes->node[i]) {
            fprintf(out, "  (%u,%u): nobody answers at any port of the board",
                    at.x, at.y);
            if (chip != NULL && chip[i].number[0] != '\0') {
                fprintf(out, ", whose chip is %s", chip[i].number);
            }
            fputc('\n', out);
        }
        for (unsigned port = TORUS_EAST; port <= TORUS_NORTH; ++port) {
            struct torus_coord to =
                torus_step(holes->size, at, (enum torus_port)port, 1);

            if (holes->link[torus_link(holes->size, at,
                                       (enum torus_port)port)] &&
                !holes->node[i] && !holes->node[torus_index(holes->size, to)]) {
                fprintf(out, "  (%u,%u) %s: the link carries nothing\n", at.x,
                        at.y, torus_port_names[port]);
            }
        }
    }
}
