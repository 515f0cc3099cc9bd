/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/survey/links.h"

#include "hal/bytes.h"
#include "qemu/support/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_WRAP 0xf0000000u

static_assert(LINKS_COUNTERS == PEEK_PORT_COUNTERS, "a page has all of them");

void links_begin(struct links *links, struct console *console,
                 struct torus_size size, struct torus_coord originator)
{
    size_t nodes = torus_nodes(size);

    *links = (struct links){
        .node = memory_or_exit(calloc(nodes, sizeof *links->node)),
        .before = memory_or_exit(calloc(nodes, sizeof *links->before))};
    sweep_begin(&links->sweep, console, size, originator);
}

void links_end(struct links *links)
{
    sweep_end(&links->sweep);
    free(links->node);
    free(links->before);
}

/* The port whose counters a sweep reads. */
struct port_request {
    struct links *links;
    unsigned port;
};

static void parse_page(void *context, uint32_t index, const uint8_t *page,
                       unsigned bytes)
{
    struct port_request *port_request = context;
    struct links_node *node = &port_request->links->node[index];

    (void)bytes;
    for (unsigned i = 0; i < LINKS_COUNTERS; ++i) {
        node->count[port_request->port][i] =
            bytes_load_u32(page + PEEK_AT_COUNTER + 4 * i);
    }
    node->known |= 1u << port_request->port;
}

int links_read(struct links *links)
{
    struct links_node *old = links->before;
    int missing = 0;

    links->before = links->node;
    links->before_ms = links->at_ms;
    links->node = old;
    memset(old, 0, torus_nodes(links->sweep.size) * sizeof *old);
    links->at_ms = host_clock_ms(console_clock(links->sweep.console));
    for (unsigned port = 0; port < TORUS_PORTS && missing >= 0; ++port) {
        struct port_request port_request = {links, port};
        int silent =
            sweep_read(&links->sweep, (enum peek_page)(PEEK_EAST + port),
                       PEEK_PORT_BYTES, parse_page, &port_request);

        missing = silent < 0 || silent > missing ? silent : missing;
    }
    return missing;
}

bool links_since(uint32_t *count, double *per_s, const struct links *links,
                 uint32_t index, unsigned port, enum links_counter counter)
{
    const struct links_node *node = &links->node[index];
    const struct links_node *before = &links->before[index];
    uint32_t now = node->count[port][counter];
    uint32_t then = before->count[port][counter];

    if ((node->known & before->known & 1u << port) == 0 ||
        links->at_ms == links->before_ms) {
        return false;
    }
    *count = now < then && then < NEAR_WRAP ? now : now - then;
    if (per_s != NULL) {
        *per_s = *count * 1000.0 / (double)(links->at_ms - links->before_ms);
    }
    return true;
}
