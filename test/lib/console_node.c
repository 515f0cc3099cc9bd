/* SPDX-License-Identifier: Apache-2.0 */
/* The node of a console in Python: class Board of test/lib/console.py. */
#include "boot/shell/node.h"
#include "hal/err.h"

struct serial_node {
    uint32_t waits;  /* how often it is busy, and one more */
    uint64_t faults; /* of its mesh, still to be told; UINT64_MAX: not yet */
};

bool shell_node_busy(struct serial_node *node)
{
    node->waits -= node->waits > 0;
    return node->waits > 0;
}

int shell_node_mesh(struct serial_node *node, struct torus_size size,
                    struct torus_coord at, uint8_t policy)
{
    (void)at;
    (void)policy;
    node->faults = size.width == 8 ? UINT64_MAX : size.height;
    return size.width == 7 ? ERR_NO_ROUTE : ERR_OK;
}

int shell_node_row(struct serial_node *node, struct line_writer *out,
                   enum shell_list list, uint32_t *cursor)
{
    if (list == SHELL_MESH && node->faults == UINT64_MAX) {
        return SHELL_LATER;
    }
    if (list != SHELL_MESH || node->faults == 0) {
        return ERR_EMPTY;
    }
    *cursor += 1;
    node->faults -= 1;
    line_put(out, "x=0 y=0 port=east fault=size");
    return ERR_OK;
}

int shell_node_ping(struct serial_node *node, struct torus_path path,
                    uint32_t bytes)
{
    (void)node;
    (void)path;
    (void)bytes;
    return ERR_NO_ROUTE;
}

int shell_node_peek(struct serial_node *node, struct torus_path path,
                    uint8_t page, uint32_t argument)
{
    (void)page;
    return shell_node_ping(node, path, argument);
}

int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                      unsigned *bytes, unsigned port)
{
    (void)node;
    (void)data;
    (void)bytes;
    (void)port;
    return SHELL_LATER;
}

void shell_node_clear(struct serial_node *node, enum shell_list list)
{
    (void)node;
    (void)list;
}

bool shell_node_inject(struct serial_node *node, const char *name)
{
    (void)node;
    return name[0] == 'd';
}
