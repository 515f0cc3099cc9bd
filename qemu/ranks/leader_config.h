/* SPDX-License-Identifier: Apache-2.0 */
/* What a mesh on several ranks is started with. */
#ifndef QEMU_RANKS_LEADER_CONFIG_H
#define QEMU_RANKS_LEADER_CONFIG_H

#include "qemu/fabric/backend.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>

struct leader_config {
    struct torus_size size;
    uint32_t identity; /* of the mesh */
    enum share_map map;
    bool in_process;
    struct boards_config boards; /* unless in_process */
};

#endif
