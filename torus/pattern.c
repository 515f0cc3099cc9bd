/* SPDX-License-Identifier: Apache-2.0 */
#include "torus/pattern.h"

int torus_phases(struct torus_size size)
{
    int phases = 0;

    if (size.width != size.height || size.width == 0) {
        return -1;
    }
    for (unsigned side = size.width; side > 1; side /= 5) {
        if (side % 5 != 0) {
            return -1;
        }
        phases += 2;
    }
    return phases;
}

struct torus_path torus_phase_path(struct torus_size size, unsigned phase,
                                   enum torus_port port)
{
    uint16_t far = size.width;

    for (unsigned step = (phase + 1) / 2; step > 0; --step) {
        far = (uint16_t)(far / 5);
    }
    if (phase % 2 == 0) {
        return (struct torus_path){(uint8_t)port, TORUS_STRAIGHT, far, 0};
    }
    return (struct torus_path){(uint8_t)port, TORUS_LEFT, far,
                               (uint16_t)(2 * far)};
}

uint32_t torus_layer_nodes(unsigned layer)
{
    uint32_t nodes = layer == 0 ? 1 : 4;

    while (layer-- > 1) {
        nodes *= 5;
    }
    return nodes;
}

/*
 * The last circuit to a node that lies x hops east and y hops north of the
 * originator, both divided by the step's distance, modulo 5. The knights (1,2),
 * (-2,1), (-1,-2), (2,-1) have 2x - y = 0, the crosses (1,0), (0,1), (-1,0),
 * (0,-1) the other values. So each (x, y) is the sum of at most one knight and
 * at most one cross, in only one way. cross_of[2x - y] is 1 + port of the
 * cross, or 0 if there is none; knight_of[x] is then 1 + port of the knight.
 */
static const uint8_t cross_of[5] = {0, 1 + TORUS_SOUTH, 1 + TORUS_EAST,
                                    1 + TORUS_WEST, 1 + TORUS_NORTH};
static const uint8_t knight_of[5] = {0, 1 + TORUS_EAST, 1 + TORUS_SOUTH,
                                     1 + TORUS_NORTH, 1 + TORUS_WEST};

static unsigned away(uint16_t from, uint16_t to, uint16_t side)
{
    return (unsigned)(to + side - from) % side;
}

struct torus_role torus_role_of(struct torus_size size,
                                struct torus_coord originator,
                                struct torus_coord node)
{
    struct torus_role role = {.layer = 0, .port = 0, .parent = node};
    unsigned x = away(originator.x, node.x, size.width);
    unsigned y = away(originator.y, node.y, size.height);
    unsigned phase = (unsigned)torus_phases(size);
    unsigned move;
    struct torus_path up;

    if (x == 0 && y == 0) {
        return role;
    }
    /* While x and y are multiples of 5, an earlier step reaches the node. */
    for (; x % 5 == 0 && y % 5 == 0; x /= 5, y /= 5) {
        phase -= 2;
    }
    move = cross_of[(2 * x + 5 - y % 5) % 5];
    if (move == 0) {
        phase -= 1;
        move = knight_of[x % 5];
    }
    role.layer = (uint8_t)phase;
    role.port = (uint8_t)(move - 1);
    up = torus_path_reverse(
        torus_phase_path(size, phase, (enum torus_port)role.port));
    role.parent = torus_path_end(size, node, up);
    return role;
}
