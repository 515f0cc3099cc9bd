/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh driver connects the nodes' windows with the fabric. It reads the
   requests of nodes that ring, copies bytes as a DMA engine would, and answers.
   All times come from the fabric. */
#ifndef QEMU_FABRIC_MESH_H
#define QEMU_FABRIC_MESH_H

#include "qemu/fabric/mesh_state.h"
#include "qemu/base/file.h"

enum mesh_end {
    MESH_DONE,   /* every originator (root of a job) has ended */
    MESH_FAILED, /* stderr says why */
    MESH_INTERRUPTED
};

/* One message from the host: a header, then `head` and `load` as payload. */
struct mesh_order {
    uint16_t job;
    uint8_t kind;
    const uint8_t *head;
    uint32_t head_bytes;
    struct file_piece load; /* second piece of the payload, from a file */
    uint32_t load_bytes;
    bool more;
};

/* Config and backend must outlive the mesh. */
void mesh_init(struct mesh *mesh, const struct mesh_config *config,
               struct backend *backend);

/* Gives each originator its order, all at one mesh time. Runs until all
   originators have ended; if another order follows, until all have reported and
   every node waits. `order` has one entry for each originator. */
enum mesh_end mesh_run(struct mesh *mesh, const struct mesh_order order[]);

/* Returns the number of originators: nodes that distribute a job. */
uint32_t mesh_originators(const struct mesh_config *config);

uint32_t mesh_originator(const struct mesh_config *config, uint32_t index);

void mesh_free(struct mesh *mesh);

#endif
