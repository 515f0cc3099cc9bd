/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/discover/internal.h"

#include "hal/check.h"

#define CHECK_FILE CHECK_DISCOVER_JUDGE

void discover_add_fault(struct discover *d, const struct discover_fault *fault)
{
    if (d->faults < DISCOVER_FAULTS_MAX) {
        d->fault[d->faults] = *fault;
    }
    if (d->faults < UINT16_MAX) {
        d->faults += 1;
    }
}

static void find(struct discover *d, unsigned port, enum discover_code code,
                 struct torus_coord other, unsigned other_port, unsigned count)
{
    struct torus_coord at = discover_place(d);

    ASSERT(port <= TORUS_PORTS);
    discover_add_fault(d, &(struct discover_fault){
                              (uint8_t)at.x, (uint8_t)at.y, (uint8_t)port,
                              (uint8_t)code, (uint8_t)other.x, (uint8_t)other.y,
                              (uint8_t)other_port, (uint8_t)count});
}

void discover_find_alone(struct discover *d, unsigned port,
                         enum discover_code code, unsigned count)
{
    find(d, port, code, (struct torus_coord){0, 0}, 0, count);
}

static bool same(struct torus_coord a, struct torus_coord b)
{
    return a.x == b.x && a.y == b.y;
}

/* On a side of 1 or 2 nodes the opposite port leads to the same node. */
static bool doubled(const struct discover *d, unsigned port)
{
    unsigned across = (port + 2) % TORUS_PORTS;

    for (unsigned p = 0; p < TORUS_PORTS; ++p) {
        if (p == port ||
            (p == across && d->own[DISCOVER_AT_WIDTH + p % 2] <= 2)) {
            continue;
        }
        if (discover_is_mutual(d, p) &&
            (d->link[p].tag == d->link[port].tag ||
             same(discover_there(d, p), discover_there(d, port)))) {
            return true;
        }
    }
    return false;
}

void discover_close_way(struct discover *d, int32_t x, int32_t y)
{
    int32_t width = d->width;
    int32_t height = d->height;
    int32_t skew = d->skew;

    while (x != 0) {
        int32_t times = width / x;
        int32_t rest = width - times * x;
        int32_t aside = skew - times * y;

        width = x;
        skew = y;
        x = rest;
        y = aside;
    }
    while (y != 0) {
        int32_t rest = height % y;

        height = y;
        y = rest;
    }
    skew = width < 0 ? -skew : skew;
    d->width = (uint16_t)(width < 0 ? -width : width);
    d->height = (uint16_t)(height < 0 ? -height : height);
    if (d->height != 0) {
        skew = (int32_t)discover_wrap(skew, d->height);
    }
    d->skew =
        skew >= -DISCOVER_SKEW_MAX && skew <= DISCOVER_SKEW_MAX ? skew : 0;
}

static void judge_wiring(struct discover *d, unsigned port)
{
    int x = 0;
    int y = 0;

    discover_claimed(d, port, &x, &y);
    x -= discover_x_of(d->own);
    y -= discover_y_of(d->own);
    if (discover_is_trusted(d, port)) {
        discover_close_way(d, x, y);
    } else if (x % d->own[DISCOVER_AT_WIDTH] != 0 ||
               y % d->own[DISCOVER_AT_HEIGHT] != 0 ||
               !discover_is_facing(d, port)) {
        find(d, port, doubled(d, port) ? DISCOVER_DOUBLED : DISCOVER_MISWIRED,
             discover_there(d, port), discover_port_there(&d->link[port]), 0);
    }
}

unsigned discover_lost(const struct discover *d, unsigned port)
{
    unsigned lost = DISCOVER_TESTS;

    for (unsigned left = d->link[port].passed; left != 0; left &= left - 1) {
        lost -= 1;
    }
    return lost;
}

static void judge_link(struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];
    unsigned lost = discover_lost(d, port);

    if ((link->state & DISCOVER_REFUSED) != 0) {
        discover_find_alone(d, port, DISCOVER_BUSY, 0);
    } else if ((link->state & DISCOVER_SILENT) != 0) {
        discover_find_alone(d, port, DISCOVER_MISSING, 0);
    } else {
        judge_wiring(d, port);
        if (lost > d->config.lost_max) {
            discover_find_alone(d, port, DISCOVER_NOISY, lost);
        }
    }
}

void discover_judge(struct discover *d)
{
    ASSERT(discover_has(d, DISCOVER_PLACED) &&
           (d->state & DISCOVER_JUDGED) == 0);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        judge_link(d, port);
    }
    if (d->config.strapped && !same(d->config.strap, discover_place(d))) {
        find(d, TORUS_PORTS, DISCOVER_STRAP, d->config.strap, 0, 0);
    }
    d->state |= DISCOVER_JUDGED;
}

static unsigned byte_of(int32_t value)
{
    return value < UINT8_MAX ? (unsigned)value : UINT8_MAX;
}

void discover_judge_size(struct discover *d)
{
    unsigned skew;

    ASSERT((d->state & DISCOVER_ORIGIN) != 0);
    skew = discover_wrap(d->skew, d->height != 0 ? d->height
                                                 : d->own[DISCOVER_AT_HEIGHT]);

    if (skew != 0) {
        discover_find_alone(d, TORUS_PORTS, DISCOVER_TWISTED,
                            byte_of((int32_t)skew));
        return; /* a skewed mesh has no width and height to compare */
    }
    if (d->width != 0 && d->width != d->own[DISCOVER_AT_WIDTH]) {
        discover_find_alone(d, TORUS_EAST, DISCOVER_SIZE, byte_of(d->width));
    }
    if (d->height != 0 && d->height != d->own[DISCOVER_AT_HEIGHT]) {
        discover_find_alone(d, TORUS_NORTH, DISCOVER_SIZE, byte_of(d->height));
    }
}
