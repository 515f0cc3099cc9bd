/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/discover/internal.h"

#include "hal/check.h"
#include "hal/crc32.h"
#include "hal/err.h"

#include <string.h>

#define CHECK_FILE CHECK_DISCOVER_WAVE

#define FAULT_BYTES 8u

static_assert(sizeof(struct discover_fault) == FAULT_BYTES, "as on the wire");
/* Bound of valid positions, hops from the originator. */
#define FAR 4000

static uint32_t tag_of(const uint8_t *uid)
{
    uint32_t crc = crc32_update(0, uid, 12);

    return crc == 0 ? 1 : crc; /* tag 0 means: nobody */
}

/* `head`: the first DISCOVER_AT_BITS bytes of the wave's STATUS. */
static void begin(struct discover *d, const uint8_t *head)
{
    memset(d->link, 0, sizeof d->link);
    memcpy(d->own, head, DISCOVER_AT_BITS);
    memset(d->own + DISCOVER_AT_BITS, 0, DISCOVER_AT_UID - DISCOVER_AT_BITS);
    memset(d->own + DISCOVER_AT_TAGS, 0,
           DISCOVER_STATUS_BYTES - DISCOVER_AT_TAGS);
    d->state = 0;
    d->parent = TORUS_PORTS;
    d->stale = DISCOVER_ALL_PORTS;
    d->error = ERR_OK;
    d->faults = 0;
    d->nodes = 1;
    d->width = 0;
    d->height = 0;
    d->skew = 0;
    d->woken_us = d->now_us;
    d->retried_us = d->now_us;
}

void discover_init(struct discover *d, const struct discover_config *config,
                   uint32_t now_us)
{
    memset(d, 0, sizeof *d);
    d->config = *config;
    d->now_us = now_us;
    memcpy(d->own + DISCOVER_AT_UID, config->uid, sizeof config->uid);
    d->tag = tag_of(d->own + DISCOVER_AT_UID);
    d->parent = TORUS_PORTS;
}

/* Starts a wave with the next epoch; d->own has size, coordinates and flags. */
static void start(struct discover *d)
{
    uint16_t epoch = (uint16_t)(discover_epoch(d) + 1);
    uint8_t head[DISCOVER_AT_BITS];

    memcpy(head, d->own, DISCOVER_AT_BITS);
    bytes_store_u16(head + DISCOVER_AT_EPOCH, epoch != 0 ? epoch : 1);
    bytes_store_u32(head + DISCOVER_AT_ORIGIN_TAG, d->tag);
    begin(d, head);
    d->state = DISCOVER_ORIGIN;
    discover_set(d, DISCOVER_PLACED);
}

int discover_start(struct discover *d, struct torus_size size,
                   struct torus_coord at, uint8_t flags)
{
    if (at.x >= size.width || at.y >= size.height ||
        size.width > DISCOVER_SIDE_MAX || size.height > DISCOVER_SIDE_MAX) {
        return ERR_RANGE;
    }
    if (d->busy) {
        return ERR_PORT_BUSY;
    }
    if (discover_epoch(d) == 0) {
        bytes_store_u16(d->own + DISCOVER_AT_EPOCH, d->config.epoch);
    }
    d->own[DISCOVER_AT_WIDTH] = (uint8_t)size.width;
    d->own[DISCOVER_AT_HEIGHT] = (uint8_t)size.height;
    d->own[DISCOVER_AT_ORIGIN_X] = (uint8_t)at.x;
    d->own[DISCOVER_AT_ORIGIN_Y] = (uint8_t)at.y;
    d->own[DISCOVER_AT_FLAGS] = flags;
    start(d);
    return ERR_OK;
}

uint16_t discover_epoch(const struct discover *d)
{
    return bytes_load_u16(d->own + DISCOVER_AT_EPOCH);
}

uint8_t discover_flags(const struct discover *d)
{
    return d->own[DISCOVER_AT_FLAGS];
}

struct torus_size discover_size(const struct discover *d)
{
    return (struct torus_size){d->own[DISCOVER_AT_WIDTH],
                               d->own[DISCOVER_AT_HEIGHT]};
}

struct torus_coord discover_origin(const struct discover *d)
{
    return (struct torus_coord){d->own[DISCOVER_AT_ORIGIN_X],
                                d->own[DISCOVER_AT_ORIGIN_Y]};
}

void discover_busy(struct discover *d, bool busy)
{
    d->busy = busy;
}

bool discover_ready(const struct discover *d)
{
    return discover_has(d, DISCOVER_FINISHED);
}

bool discover_at(const struct discover *d, struct torus_coord *at)
{
    if (d->config.strapped) {
        *at = d->config.strap;
        return true;
    }
    if (!discover_has(d, DISCOVER_PLACED)) {
        return false;
    }
    *at = discover_place(d);
    return true;
}

bool discover_other(const struct discover *d, unsigned port,
                    struct torus_coord *at, uint8_t *other_port)
{
    const struct discover_link *link = &d->link[port];

    if (link->tag == 0 ||
        (link->told[DISCOVER_AT_BITS] & DISCOVER_PLACED) == 0) {
        return false;
    }
    *at = discover_there(d, port);
    *other_port = (uint8_t)discover_port_there(link);
    return true;
}

static bool waits_for_echo(const struct discover_link *link)
{
    return (link->told[DISCOVER_AT_BITS] & DISCOVER_PARENT) != 0 &&
           (link->state &
            (DISCOVER_ECHOED | DISCOVER_SILENT | DISCOVER_REFUSED)) == 0;
}

static void settle(struct discover *d, unsigned port)
{
    struct discover_link *link = &d->link[port];
    bool answers = discover_is_mutual(d, port);
    bool pending = waits_for_echo(link);

    if ((link->state & (DISCOVER_SILENT | DISCOVER_REFUSED)) != 0) {
        link->state |= DISCOVER_SETTLED;
    } else if (discover_is_over(d, answers ? link->heard_us : d->woken_us,
                                DISCOVER_PATIENCE)) {
        link->state |= DISCOVER_SILENT | DISCOVER_SETTLED;
        if (pending && (d->state & DISCOVER_JUDGED) != 0) {
            discover_find_alone(d, port, DISCOVER_MISSING, 0);
        }
    } else if (answers && (link->told[DISCOVER_AT_BITS] & DISCOVER_COMPLETE) ==
                              DISCOVER_COMPLETE) {
        link->state |= DISCOVER_SETTLED;
    }
}

static void finish(struct discover *d, unsigned bits)
{
    ASSERT(discover_epoch(d) != 0);
    discover_set(d, (d->own[DISCOVER_AT_BITS] & DISCOVER_KEPT) |
                        DISCOVER_FINISHED | bits);
    d->finished_us = d->now_us;
}

static void conclude(struct discover *d)
{
    discover_judge_size(d);
    finish(d, d->faults > 0 || d->error != ERR_OK ? DISCOVER_FAULTY : 0);
}

static void echo(struct discover *d)
{
    if ((d->state & DISCOVER_ORIGIN) != 0) {
        conclude(d);
    } else {
        d->state |= DISCOVER_ECHOING | DISCOVER_ECHO_DUE;
    }
}

static void advance(struct discover *d)
{
    bool known = true;
    bool settled = discover_has(d, DISCOVER_PLACED);
    bool waits = false;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct discover_link *link = &d->link[port];

        settle(d, port);
        known &= discover_is_mutual(d, port) ||
                 (link->state & (DISCOVER_SILENT | DISCOVER_REFUSED)) != 0;
        settled &= (link->state & DISCOVER_SETTLED) != 0;
        waits |= waits_for_echo(link);
    }
    if (known && !discover_has(d, DISCOVER_KNOWN)) {
        discover_set(d, d->own[DISCOVER_AT_BITS] | DISCOVER_KNOWN);
    }
    if (known && settled && (d->state & DISCOVER_JUDGED) == 0) {
        discover_judge(d);
    }
    if ((d->state & (DISCOVER_JUDGED | DISCOVER_ECHOING)) == DISCOVER_JUDGED &&
        !waits) {
        echo(d);
    }
}

static void give_up(struct discover *d)
{
    d->error = ERR_DEAD_LINK;
    if ((d->state & DISCOVER_ORIGIN) != 0) {
        conclude(d);
    } else {
        finish(d, DISCOVER_FAILED | DISCOVER_FAULTY);
    }
}

static void store_status(const struct discover *d, uint8_t *out, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    memcpy(out, d->own, DISCOVER_STATUS_BYTES);
    out[DISCOVER_AT_BITS] |=
        (uint8_t)((port == d->parent ? DISCOVER_PARENT : 0) |
                  (link->sent == DISCOVER_TESTS ? DISCOVER_TESTED : 0));
    out[DISCOVER_AT_TAKEN] = link->taken;
}

static uint8_t pattern(unsigned number, unsigned i)
{
    return (uint8_t)(number * DISCOVER_PATTERN_BYTES + i);
}

static void store_test(const struct discover *d, uint8_t *out, unsigned port)
{
    out[DISCOVER_AT_NUMBER] = d->link[port].sent;
    for (unsigned i = 0; i < DISCOVER_PATTERN_BYTES; ++i) {
        out[DISCOVER_AT_PATTERN + i] = pattern(out[DISCOVER_AT_NUMBER], i);
    }
}

static unsigned listed(unsigned faults)
{
    return faults < DISCOVER_FAULTS_MAX ? faults : DISCOVER_FAULTS_MAX;
}

/* Returns the number of echo frames that the parent has taken. */
static unsigned echo_taken(const struct discover *d)
{
    ASSERT(d->parent < TORUS_PORTS);
    return d->link[d->parent].told[DISCOVER_AT_TAKEN];
}

static void store_echo(const struct discover *d, uint8_t *out)
{
    unsigned number = echo_taken(d);

    out[DISCOVER_AT_NUMBER] = (uint8_t)number;
    out[DISCOVER_AT_LAST] = (uint8_t)listed(d->faults);
    bytes_store_u16(out + DISCOVER_AT_NODES, d->nodes);
    bytes_store_u16(out + DISCOVER_AT_FAULTS, d->faults);
    bytes_store_u16(out + DISCOVER_AT_REAL_WIDTH, d->width);
    bytes_store_u16(out + DISCOVER_AT_REAL_HEIGHT, d->height);
    bytes_store_u32(out + DISCOVER_AT_SKEW, (uint32_t)d->skew);
    memcpy(out + DISCOVER_AT_FAULT, &d->fault[number % DISCOVER_FAULTS_MAX],
           FAULT_BYTES);
}

/* Returns the kind of the most urgent frame due at a port; 0 if none is due. */
static enum discover_kind due(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    if ((d->refuse >> port & 1u) != 0) {
        return DISCOVER_REFUSE;
    }
    if ((d->stale >> port & 1u) != 0) {
        return DISCOVER_STATUS;
    }
    if (link->tag != 0 && link->sent < DISCOVER_TESTS) {
        return DISCOVER_TEST;
    }
    if (port == d->parent && (d->state & DISCOVER_ECHO_DUE) != 0 &&
        echo_taken(d) <= listed(d->faults)) {
        return DISCOVER_ECHO;
    }
    return (enum discover_kind)0;
}

/* Result: length of the frame; 0: no frame is due. */
static unsigned store(const struct discover *d, uint8_t *out, unsigned port)
{
    enum discover_kind kind = due(d, port);
    unsigned bytes = 0;

    memcpy(out, kind == DISCOVER_REFUSE ? d->refused : d->own,
           DISCOVER_HEAD_BYTES);
    if (kind == DISCOVER_REFUSE) {
        bytes = DISCOVER_HEAD_BYTES;
    } else if (kind == DISCOVER_STATUS) {
        store_status(d, out, port);
        bytes = DISCOVER_STATUS_BYTES;
    } else if (kind == DISCOVER_TEST) {
        store_test(d, out, port);
        bytes = DISCOVER_TEST_BYTES;
    } else if (kind == DISCOVER_ECHO) {
        store_echo(d, out);
        bytes = DISCOVER_ECHO_BYTES;
    }
    out[DISCOVER_AT_KIND] = (uint8_t)kind;
    out[DISCOVER_AT_PORT] = (uint8_t)port;
    return bytes;
}

static void check_off(struct discover *d, unsigned port,
                      enum discover_kind kind)
{
    uint8_t bit = (uint8_t)(1u << port);

    if (kind == DISCOVER_REFUSE) {
        d->refuse &= (uint8_t)~bit;
    } else if (kind == DISCOVER_STATUS) {
        d->stale &= (uint8_t)~bit;
    } else if (kind == DISCOVER_TEST) {
        ASSERT(d->link[port].sent < DISCOVER_TESTS);
        d->link[port].sent += 1;
        if (d->link[port].sent == DISCOVER_TESTS) {
            d->stale |= bit;
        }
    } else {
        d->state &= (uint8_t)~DISCOVER_ECHO_DUE;
    }
}

bool discover_has_frame(const struct discover *d, unsigned port)
{
    return due(d, port) != 0;
}

void discover_speak(struct discover *d, unsigned port)
{
    _Alignas(4) uint8_t out[DISCOVER_FRAME_BYTES_MAX];
    unsigned bytes = store(d, out, port);

    if (bytes > 0 &&
        d->config.tell(d->config.context, port, out, bytes) == ERR_OK) {
        check_off(d, port, (enum discover_kind)out[DISCOVER_AT_KIND]);
    }
}

/* Whether the neighbour at a port needs STATUS again. */
static bool listens(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    if (discover_has(d, DISCOVER_FINISHED)) {
        return discover_is_mutual(d, port) &&
               (link->told[DISCOVER_AT_BITS] & DISCOVER_FINISHED) == 0 &&
               !discover_is_over(d, d->finished_us, DISCOVER_PATIENCE);
    }
    return (link->state & (DISCOVER_SILENT | DISCOVER_REFUSED)) == 0;
}

static void retry(struct discover *d)
{
    d->retried_us = d->now_us;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        d->stale |= (uint8_t)(listens(d, port) << port);
    }
    if ((d->state & DISCOVER_ECHOING) != 0 &&
        !discover_has(d, DISCOVER_FINISHED)) {
        d->state |= DISCOVER_ECHO_DUE;
    }
}

void discover_tick(struct discover *d, uint32_t now_us)
{
    d->now_us = now_us;
    if (discover_epoch(d) != 0 && !discover_has(d, DISCOVER_FINISHED)) {
        if (!discover_has(d, DISCOVER_PLACED)) {
            discover_find_place(d);
        }
        advance(d);
        if (!discover_has(d, DISCOVER_FINISHED) &&
            discover_is_over(d, d->woken_us, 200 + 20 * discover_sides(d))) {
            give_up(d);
        }
    }
    if (discover_is_over(d, d->retried_us, 1) && discover_epoch(d) != 0) {
        retry(d);
    }
}

static bool is_near(int hops)
{
    return hops > -FAR && hops < FAR;
}

static bool status_valid(const uint8_t *in, unsigned bytes)
{
    return bytes == DISCOVER_STATUS_BYTES &&
           in[DISCOVER_AT_ORIGIN_X] < in[DISCOVER_AT_WIDTH] &&
           in[DISCOVER_AT_ORIGIN_Y] < in[DISCOVER_AT_HEIGHT] &&
           is_near(discover_x_of(in)) && is_near(discover_y_of(in));
}

/* Result: above 0 if the frame's wave is newer, below 0 if it is older. */
static int compare(const struct discover *d, const uint8_t *in)
{
    uint32_t tag = bytes_load_u32(in + DISCOVER_AT_ORIGIN_TAG);
    uint32_t own_tag = bytes_load_u32(d->own + DISCOVER_AT_ORIGIN_TAG);
    int later =
        (int16_t)(bytes_load_u16(in + DISCOVER_AT_EPOCH) - discover_epoch(d));

    if (discover_epoch(d) == 0) {
        return 1;
    }
    return later != 0 ? later : (tag > own_tag) - (tag < own_tag);
}

static void meet_newer(struct discover *d, unsigned port, const uint8_t *in)
{
    if (d->busy) {
        d->refuse |= (uint8_t)(1u << port);
        memcpy(d->refused, in, DISCOVER_HEAD_BYTES);
    } else if ((d->state & DISCOVER_ORIGIN) != 0 &&
               !discover_has(d, DISCOVER_FINISHED) &&
               (bytes_load_u32(in + DISCOVER_AT_ORIGIN_TAG) == d->tag ||
                (in[DISCOVER_AT_BITS] & DISCOVER_FINISHED) != 0)) {
        /* the wave in the frame began before this board's reset, or is over */
        memcpy(d->own + DISCOVER_AT_EPOCH, in + DISCOVER_AT_EPOCH, 2);
        start(d);
    } else {
        begin(d, in);
    }
}

/* Notes that `port` leads to port `port_of_it` of the node with this tag. */
static void meet(struct discover *d, unsigned port, uint32_t tag,
                 unsigned port_of_it)
{
    unsigned bit = 1u << port;
    unsigned others = d->own[DISCOVER_AT_FACING] & ~bit;

    ASSERT(port < TORUS_PORTS && port_of_it < TORUS_PORTS);
    d->link[port].tag = tag;
    bytes_store_u32(d->own + DISCOVER_AT_TAGS + 4 * port, tag);
    d->own[DISCOVER_AT_FACING] =
        (uint8_t)(port_of_it == (port + 2) % TORUS_PORTS ? others | bit
                                                         : others);
    d->stale = DISCOVER_ALL_PORTS;
}

static void hear_status(struct discover *d, unsigned port, const uint8_t *in)
{
    struct discover_link *link = &d->link[port];
    uint32_t tag = tag_of(in + DISCOVER_AT_UID);
    uint8_t bits = in[DISCOVER_AT_BITS];

    if (link->tag != tag || discover_port_there(link) != in[DISCOVER_AT_PORT]) {
        meet(d, port, tag, in[DISCOVER_AT_PORT]);
    }
    if (link->told[DISCOVER_AT_TAKEN] != in[DISCOVER_AT_TAKEN] &&
        (d->state & DISCOVER_ECHOING) != 0) {
        d->state |= DISCOVER_ECHO_DUE;
    }
    link->heard_us = d->now_us;
    memcpy(link->told, in, DISCOVER_STATUS_BYTES);
    if ((bits & DISCOVER_FINISHED) == 0) {
        /* Sends STATUS if the wave has ended here, but not there. */
        d->stale |= (uint8_t)(discover_ready(d) << port);
    } else if ((d->state & DISCOVER_ORIGIN) != 0) {
        if (!discover_ready(d)) {
            /* The wave that has ended began before this board's reset. */
            start(d);
        }
    } else if ((bits & DISCOVER_FAILED) == 0 &&
               (!discover_ready(d) || d->error != ERR_OK)) {
        d->error = ERR_OK;
        finish(d, bits & DISCOVER_FAULTY);
    }
}

static void hear_test(struct discover *d, unsigned port, const uint8_t *in,
                      unsigned bytes)
{
    if (bytes != DISCOVER_TEST_BYTES ||
        in[DISCOVER_AT_NUMBER] >= DISCOVER_TESTS) {
        return;
    }
    for (unsigned i = 0; i < DISCOVER_PATTERN_BYTES; ++i) {
        if (in[DISCOVER_AT_PATTERN + i] != pattern(in[DISCOVER_AT_NUMBER], i)) {
            return;
        }
    }
    d->link[port].passed |= (uint16_t)(1u << in[DISCOVER_AT_NUMBER]);
}

static void take_sums(struct discover *d, struct discover_link *link,
                      const uint8_t *in)
{
    unsigned faults = bytes_load_u16(in + DISCOVER_AT_FAULTS);
    unsigned sum = d->faults + faults - listed(faults);

    link->state |= DISCOVER_ECHOED;
    d->nodes = (uint16_t)(d->nodes + bytes_load_u16(in + DISCOVER_AT_NODES));
    d->faults = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
    discover_close_way(d, bytes_load_u16(in + DISCOVER_AT_REAL_WIDTH),
                       (int32_t)bytes_load_u32(in + DISCOVER_AT_SKEW));
    discover_close_way(d, 0, bytes_load_u16(in + DISCOVER_AT_REAL_HEIGHT));
}

static bool echo_valid(const uint8_t *in, unsigned bytes)
{
    int32_t skew;

    if (bytes != DISCOVER_ECHO_BYTES) {
        return false;
    }
    skew = (int32_t)bytes_load_u32(in + DISCOVER_AT_SKEW);
    return skew >= -DISCOVER_SKEW_MAX && skew <= DISCOVER_SKEW_MAX &&
           bytes_load_u16(in + DISCOVER_AT_REAL_WIDTH) <= 2 * FAR;
}

static void hear_echo(struct discover *d, unsigned port, const uint8_t *in)
{
    struct discover_link *link = &d->link[port];
    struct discover_fault fault;

    d->stale |= (uint8_t)(1u << port);
    if (!discover_is_mutual(d, port) || !waits_for_echo(link) ||
        in[DISCOVER_AT_NUMBER] != link->taken) {
        return; /* a repeated frame: the answer (STATUS) was lost */
    }
    ASSERT(link->taken <= DISCOVER_FAULTS_MAX);
    link->taken += 1;
    if (in[DISCOVER_AT_NUMBER] >= in[DISCOVER_AT_LAST] ||
        in[DISCOVER_AT_NUMBER] >= DISCOVER_FAULTS_MAX) {
        take_sums(d, link, in);
        return;
    }
    memcpy(&fault, in + DISCOVER_AT_FAULT, FAULT_BYTES);
    discover_add_fault(d, &fault);
}

static void hear(struct discover *d, unsigned port, const uint8_t *in,
                 unsigned bytes)
{
    switch (in[DISCOVER_AT_KIND]) {
    case DISCOVER_STATUS:
        hear_status(d, port, in);
        break;
    case DISCOVER_TEST:
        hear_test(d, port, in, bytes);
        break;
    case DISCOVER_ECHO:
        if (echo_valid(in, bytes)) {
            hear_echo(d, port, in);
        }
        break;
    case DISCOVER_REFUSE:
        d->link[port].state |= DISCOVER_REFUSED;
        break;
    default:
        break;
    }
}

void discover_heard(struct discover *d, unsigned port, const uint8_t *data,
                    unsigned bytes)
{
    bool status;

    if (port >= TORUS_PORTS || bytes < DISCOVER_HEAD_BYTES ||
        bytes > DISCOVER_FRAME_BYTES_MAX ||
        data[DISCOVER_AT_PORT] >= TORUS_PORTS ||
        bytes_load_u16(data + DISCOVER_AT_EPOCH) == 0) {
        return;
    }
    status = data[DISCOVER_AT_KIND] == DISCOVER_STATUS;
    if (status && !status_valid(data, bytes)) {
        return;
    }
    if (status && compare(d, data) > 0) {
        meet_newer(d, port, data);
    }
    if (discover_epoch(d) == 0) {
        return;
    }
    if (compare(d, data) == 0) {
        hear(d, port, data, bytes);
    } else if (status && compare(d, data) < 0) {
        d->stale |= (uint8_t)(1u << port); /* sends STATUS of the newer wave */
    }
}
