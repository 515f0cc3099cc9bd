/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/holes.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct schedule_holes *schedule_holes_new(struct torus_size size)
{
    struct schedule_holes *holes = memory_or_exit(malloc(sizeof *holes));

    holes->size = size;
    holes->node = memory_or_exit(calloc(torus_nodes(size), 1));
    holes->link = memory_or_exit(calloc(torus_nodes(size), 2));
    return holes;
}

void schedule_holes_free(struct schedule_holes *holes)
{
    if (holes != NULL) {
        free(holes->node);
        free(holes->link);
        free(holes);
    }
}

void schedule_holes_add(struct schedule_holes *holes, struct torus_coord at,
                        bool relays)
{
    holes->node[torus_index(holes->size, at)] = true;
    for (unsigned port = 0; port < TORUS_PORTS && !relays; ++port) {
        holes->link[torus_link(holes->size, at, (enum torus_port)port)] = true;
    }
}

bool schedule_holes_any(const struct schedule_holes *holes)
{
    uint32_t nodes = torus_nodes(holes->size);

    return memchr(holes->node, 1, nodes) != NULL ||
           memchr(holes->link, 1, 2u * nodes) != NULL;
}

bool schedule_holes_equal(const struct schedule_holes *a,
                          const struct schedule_holes *b)
{
    uint32_t nodes = torus_nodes(a->size);

    return memcmp(a->node, b->node, nodes) == 0 &&
           memcmp(a->link, b->link, 2u * nodes) == 0;
}

void schedule_holes_join(struct schedule_holes *holes,
                         const struct schedule_holes *more)
{
    for (uint32_t i = 0; i < torus_nodes(holes->size); ++i) {
        holes->node[i] |= more->node[i];
        holes->link[2 * i] |= more->link[2 * i];
        holes->link[2 * i + 1] |= more->link[2 * i + 1];
    }
}

struct schedule_holes *schedule_holes_from(const struct schedule_holes *holes,
                                           struct torus_coord from)
{
    struct torus_size size = holes->size;
    struct schedule_holes *shifted = schedule_holes_new(size);

    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        uint32_t old =
            torus_index(size, torus_shift(size, from, torus_coord_of(size, i)));

        shifted->node[i] = holes->node[old];
        memcpy(&shifted->link[2 * i], &holes->link[2 * old], 2);
    }
    return shifted;
}

bool schedule_holes_originator(const struct schedule_holes *holes,
                               const struct torus_coord preferred[],
                               uint32_t count, struct torus_coord *at)
{
    struct torus_size size = holes->size;
    uint32_t fewest = UINT32_MAX;

    for (uint32_t i = 0; i < count; ++i) {
        if (!holes->node[torus_index(size, preferred[i])]) {
            *at = preferred[i];
            return true;
        }
    }
    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        struct torus_coord node = torus_coord_of(size, i);
        uint32_t hops = torus_hops(size, torus_away(size, preferred[0], node));

        if (!holes->node[i] && hops < fewest) {
            fewest = hops;
            *at = node;
        }
    }
    return fewest < UINT32_MAX;
}

bool schedule_holes_open(const struct schedule_holes *holes,
                         struct torus_coord from, struct torus_path path)
{
    uint32_t links[2 * TORUS_SIDE_MAX];
    size_t hops = holes == NULL ? 0
                                : torus_path_links(holes->size, from, path,
                                                   links, 2 * TORUS_SIDE_MAX);

    for (size_t hop = 0; hop < hops; ++hop) {
        if (holes->link[links[hop]]) {
            return false;
        }
    }
    return true;
}
