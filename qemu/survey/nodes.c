/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/survey/nodes.h"

#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator)
{
    uint32_t count = torus_nodes(size);

    *nodes = (struct nodes){
        .identity = memory_or_exit(calloc(count, sizeof *nodes->identity)),
        .version = memory_or_exit(calloc(count, sizeof *nodes->version)),
        .mark = memory_or_exit(calloc(count, sizeof *nodes->mark))};
    sweep_begin(&nodes->sweep, console, size, originator);
}

void nodes_end(struct nodes *nodes)
{
    sweep_end(&nodes->sweep);
    free(nodes->identity);
    free(nodes->version);
    free(nodes->mark);
}

static void parse_version(void *context, uint32_t index, const uint8_t *page,
                          unsigned bytes)
{
    struct nodes *nodes = context;

    memcpy(nodes->version[index], page + PEEK_AT_VERSION,
           bytes - PEEK_AT_VERSION);
}

int nodes_read(struct nodes *nodes)
{
    uint32_t count = torus_nodes(nodes->sweep.size);
    int missing = identity_read(nodes->identity, &nodes->sweep);
    unsigned marks = 0;

    if (missing >= 0) {
        missing = sweep_read(&nodes->sweep, PEEK_IMAGE, PEEK_AT_VERSION,
                             parse_version, nodes);
    }
    identity_mark(nodes->mark, nodes->identity, nodes->sweep.size);
    for (uint32_t i = 0; i < count; ++i) {
        marks |= nodes->mark[i];
    }
    return missing < 0 ? -1 : missing > 0 || marks != 0;
}
