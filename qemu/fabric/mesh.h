/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mesh driver: stands between the nodes' windows and the fabric. It reads
 * what nodes ask for when they ring, moves bytes as a DMA engine would, and
 * answers. It decides nothing about time: the fabric does.
 */
#ifndef QEMU_FABRIC_MESH_H
#define QEMU_FABRIC_MESH_H

#include "qemu/fabric/mesh_state.h"
#include "qemu/base/file.h"

enum mesh_end {
    MESH_DONE,       /* all originators ended */
    MESH_FAILED,     /* said on stderr */
    MESH_INTERRUPTED /* by the user */
};

/* One message from the host: header room first, then payload in two parts. */
struct mesh_order {
    uint16_t job;
    uint8_t kind;
    const uint8_t *head; /* payload's first part */
    uint32_t head_bytes;
    struct file_piece load; /* and its second */
    uint32_t load_bytes;
    bool more; /* another one follows */
};

/* Config and backend outlive the mesh. */
void mesh_init(struct mesh *mesh, const struct mesh_config *config,
               struct backend *backend);

/* Gives each originator its order, at the same mesh time, and runs until all
   have ended, or, if another order follows, until all have reported and every
   node waits. `order` has an entry for each group; one without groups. */
enum mesh_end mesh_run(struct mesh *mesh, const struct mesh_order order[]);

/* Number of originators. */
uint32_t mesh_originators(const struct mesh_config *config);

/* The node of originator `index`. */
uint32_t mesh_originator(const struct mesh_config *config, uint32_t index);

void mesh_free(struct mesh *mesh);

#endif
