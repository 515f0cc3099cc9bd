/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/discover/internal.h"

#include "hal/check.h"

#define CHECK_FILE CHECK_DISCOVER_POSITIONS

static const int8_t east_of[TORUS_PORTS] = {1, 0, -1, 0};
static const int8_t north_of[TORUS_PORTS] = {0, 1, 0, -1};

/* Returns the coordinates x hops east and y hops north of the originator. */
static struct torus_coord wrapped(const struct discover *d, int x, int y)
{
    ASSERT(d->own[DISCOVER_AT_WIDTH] != 0 && d->own[DISCOVER_AT_HEIGHT] != 0);
    return (struct torus_coord){
        (uint16_t)discover_wrap(d->own[DISCOVER_AT_ORIGIN_X] + x,
                                d->own[DISCOVER_AT_WIDTH]),
        (uint16_t)discover_wrap(d->own[DISCOVER_AT_ORIGIN_Y] + y,
                                d->own[DISCOVER_AT_HEIGHT])};
}

struct torus_coord discover_place(const struct discover *d)
{
    return wrapped(d, discover_x_of(d->own), discover_y_of(d->own));
}

struct torus_coord discover_there(const struct discover *d, unsigned port)
{
    const uint8_t *told = d->link[port].told;

    return wrapped(d, discover_x_of(told), discover_y_of(told));
}

bool discover_is_mutual(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    return link->tag != 0 &&
           (link->state & (DISCOVER_SILENT | DISCOVER_REFUSED)) == 0 &&
           bytes_load_u32(link->told + DISCOVER_AT_TAGS +
                          4 * discover_port_there(link)) == d->tag;
}

bool discover_is_facing(const struct discover *d, unsigned port)
{
    return (d->own[DISCOVER_AT_FACING] >> port & 1u) != 0;
}

static bool sound(const struct discover *d, unsigned port)
{
    return discover_is_mutual(d, port) && discover_is_facing(d, port);
}

/* Whether `port`, then left leads to the same node as left, then `port`. */
static bool square_closes(const struct discover *d, unsigned port)
{
    unsigned left = (port + 1) % TORUS_PORTS;
    const uint8_t *ahead = d->link[port].told;
    const uint8_t *aside = d->link[left].told;
    uint32_t corner = bytes_load_u32(ahead + DISCOVER_AT_TAGS + 4 * left);

    return sound(d, port) && sound(d, left) &&
           (ahead[DISCOVER_AT_FACING] >> left & 1u) != 0 &&
           (aside[DISCOVER_AT_FACING] >> port & 1u) != 0 && corner != 0 &&
           corner == bytes_load_u32(aside + DISCOVER_AT_TAGS + 4 * port);
}

bool discover_is_trusted(const struct discover *d, unsigned port)
{
    return square_closes(d, port) ||
           square_closes(d, (port + TORUS_PORTS - 1) % TORUS_PORTS);
}

bool discover_claimed(const struct discover *d, unsigned port, int *x, int *y)
{
    const struct discover_link *link = &d->link[port];

    if (!discover_is_mutual(d, port) ||
        (link->told[DISCOVER_AT_BITS] & (DISCOVER_PLACED | DISCOVER_TESTED)) !=
            (DISCOVER_PLACED | DISCOVER_TESTED)) {
        return false;
    }
    *x = discover_x_of(link->told) + east_of[discover_port_there(link)];
    *y = discover_y_of(link->told) + north_of[discover_port_there(link)];
    return true;
}

static unsigned votes(const struct discover *d, int x, int y)
{
    unsigned count = 0;
    int other_x;
    int other_y;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        count += discover_claimed(d, port, &other_x, &other_y) &&
                 other_x == x && other_y == y;
    }
    return count;
}

/* Returns the weight of a neighbour's claim. A link in a closed square has the
   greatest weight. Another link has the weight 0 until its patience is over.
   Patience is in multiples of retry_us. */
static unsigned weight(const struct discover *d, unsigned port, int x, int y)
{
    uint32_t patience = DISCOVER_PATIENCE + 8 + 2 * discover_sides(d);

    if (discover_is_trusted(d, port)) {
        return TORUS_PORTS + 1;
    }
    if (d->link[port].tag != bytes_load_u32(d->own + DISCOVER_AT_ORIGIN_TAG)) {
        patience += 8 + discover_sides(d);
    }
    if (!discover_is_facing(d, port)) {
        patience += 8 + discover_sides(d);
    }
    return discover_is_over(d, d->woken_us, patience) ? votes(d, x, y) : 0;
}

void discover_find_place(struct discover *d)
{
    unsigned best = 0;
    int x;
    int y;

    ASSERT(!discover_has(d, DISCOVER_PLACED));
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        unsigned now =
            discover_claimed(d, port, &x, &y) ? weight(d, port, x, y) : 0;

        if (now > best) {
            best = now;
            d->parent = (uint8_t)port;
            bytes_store_u16(d->own + DISCOVER_AT_X, (uint16_t)x);
            bytes_store_u16(d->own + DISCOVER_AT_Y, (uint16_t)y);
        }
    }
    if (best > 0) {
        discover_set(d, d->own[DISCOVER_AT_BITS] | DISCOVER_PLACED);
    }
}
