/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh driver connects nodes with the fabric. It reads a node's requests
   from its window (memory shared by the node and its emulated switch) when the
   node rings, copies messages as a DMA engine would, and answers. All times
   come from the fabric. */
#ifndef QEMU_FABRIC_MESH_H
#define QEMU_FABRIC_MESH_H

#include "qemu/fabric/mesh_state.h"
#include "qemu/base/file.h"

/* An order: one message from the host to an originator. A header comes first,
   then the bytes of `head`, then those of `load`. */
struct mesh_order {
    uint16_t job;
    uint8_t kind;
    const uint8_t *head;
    uint32_t head_bytes;
    struct file_piece load; /* end of the message's data, read from a file */
    uint32_t load_bytes;
    bool more;
};

/* Prepares a mesh. Config and backend must outlive it. */
void mesh_init(struct mesh *mesh, const struct mesh_config *config,
               struct backend *backend);

/* Gives each originator its order, all at the same mesh time; order[] has one
   entry for each. Runs until all originators have ended; or, if their orders
   say that more follow, until all have reported and every node waits. An
   originator that stops is not waited for, and may have no report. */
enum mesh_end mesh_run(struct mesh *mesh, const struct mesh_order order[]);

uint32_t mesh_originator(const struct mesh_config *config, uint32_t index);

void mesh_free(struct mesh *mesh);

#endif
