/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/cables.h"

static uint32_t end_of(struct torus_size size, struct wired_port port)
{
    return TORUS_PORTS * torus_index(size, port.at) + port.port;
}

static void join(uint32_t *peer, uint32_t a, uint32_t b)
{
    peer[a] = b;
    peer[b] = a;
}

static void cut(uint32_t *peer, uint32_t end)
{
    if (peer[end] != WIRED_OPEN) {
        peer[peer[end]] = WIRED_OPEN;
        peer[end] = WIRED_OPEN;
    }
}

void wired_cables_torus(uint32_t *peer, struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);

    for (uint32_t node = 0; node < nodes; ++node) {
        struct torus_coord at = torus_coord_of(size, node);

        for (unsigned port = TORUS_EAST; port <= TORUS_NORTH; ++port) {
            struct torus_coord to =
                torus_step(size, at, (enum torus_port)port, 1);

            join(peer, TORUS_PORTS * node + port,
                 TORUS_PORTS * torus_index(size, to) +
                     torus_opposite((enum torus_port)port));
        }
    }
}

static void swap(uint32_t *peer, uint32_t a, uint32_t b)
{
    uint32_t to_a = peer[a];
    uint32_t to_b = peer[b];

    join(peer, a, to_b);
    join(peer, b, to_a);
}

static const char *link_twice(uint32_t *peer, uint32_t a)
{
    uint32_t there = peer[a];
    uint32_t next = a - a % TORUS_PORTS + (a + 1) % TORUS_PORTS;
    uint32_t other =
        there - there % TORUS_PORTS + (next + TORUS_PORTS / 2) % TORUS_PORTS;

    if (a / TORUS_PORTS == there / TORUS_PORTS || other == there) {
        return "must be a port that leads to another board's opposite one";
    }
    cut(peer, next);
    cut(peer, other);
    join(peer, next, other);
    return NULL;
}

const char *wired_cables_mistake(uint32_t *peer, struct torus_size size,
                                 const struct wired_fault *fault)
{
    uint32_t a = end_of(size, fault->a);
    uint32_t b = end_of(size, fault->b);

    if (peer[a] == WIRED_OPEN ||
        (fault->mistake == WIRED_SWAP && peer[b] == WIRED_OPEN)) {
        return "must be a port with a cable: that one's has been cut";
    }
    switch (fault->mistake) {
    case WIRED_CUT:
        cut(peer, a);
        return NULL;
    case WIRED_SWAP:
        if (a == b || peer[a] == b) {
            return "must be the ports of two cables";
        }
        swap(peer, a, b);
        return NULL;
    default:
        return link_twice(peer, a);
    }
}
