/* SPDX-License-Identifier: Apache-2.0 */
#include "torus/direct.h"

/* Steps up, or down if negative, that lead to `away` the shorter way. */
static int32_t steps(uint16_t away, uint16_t side)
{
    return away > side / 2u ? (int32_t)away - side : away;
}

struct torus_path torus_direct(struct torus_size size, struct torus_coord away)
{
    int32_t ahead = steps(away.x, size.width);
    int32_t left = steps(away.y, size.height);
    unsigned port = TORUS_EAST;

    /* Turns the plane until the node is ahead of this port, or to the left of
       that. */
    while (ahead <= 0 || left < 0) {
        int32_t turned = left;

        left = -ahead;
        ahead = turned;
        port += 1;
    }
    return (struct torus_path){.port = (uint8_t)port,
                               .turn = left > 0 ? TORUS_LEFT : TORUS_STRAIGHT,
                               .hops = (uint16_t)ahead,
                               .hops_after = (uint16_t)left};
}
