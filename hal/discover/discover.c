/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/discover/discover.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "hal/err.h"

#include <string.h>

enum kind {
    STATUS = 0x11,
    TEST = 0x12,
    ECHO = 0x13,
    REFUSE = 0x14
};

enum field {
    AT_KIND = 0,
    AT_PORT = 1,
    AT_EPOCH = 2,
    AT_ORIGIN_TAG = 4,
    HEAD_BYTES = 8,
    AT_WIDTH = 8,
    AT_HEIGHT = 9,
    AT_ORIGIN_X = 10,
    AT_ORIGIN_Y = 11,
    AT_FLAGS = 12,
    AT_BITS = 13,
    AT_TAKEN = 14,
    AT_FACING = 15,
    AT_UID = 16,
    AT_TAGS = 28,
    AT_X = 44,
    AT_Y = 46,
    STATUS_BYTES = 48,
    AT_NUMBER = 8,
    AT_PATTERN = 9,
    PATTERN_BYTES = 32,
    TEST_BYTES = 41,
    AT_LAST = 9,
    AT_NODES = 10,
    AT_FAULTS = 12,
    AT_REAL_WIDTH = 14,
    AT_REAL_HEIGHT = 16,
    AT_SKEW = 18,
    AT_FAULT = 22,
    ECHO_BYTES = 30
};

#define FAULT_BYTES 8u

static_assert(sizeof(struct discover_fault) == FAULT_BYTES, "as on the wire");
static_assert(sizeof(struct discover) <= 1024, "it is one of many on a board");

/* Bits of a STATUS. */
enum bit {
    PLACED = 1, /* x and y hold */
    PARENT = 2, /* the receiver is the sender's parent */
    TESTED = 4, /* all test frames went before */
    KNOWN = 8,  /* tags and mask will not change any more */
    FINISHED = 16,
    FAULTY = 32,
    FAILED = 64 /* finished for lack of an answer */
};

/* The states that the end of discovery leaves as they are. */
#define KEPT ((unsigned)(PLACED | KNOWN))

/* Messages of a neighbour that must have come before its link is judged. */
#define COMPLETE (PLACED | TESTED | KNOWN)

enum link_state {
    SETTLED = 1, /* it can be judged */
    SILENT = 2,
    REFUSED = 4,
    ECHOED = 8 /* a child, all of whose echo is here */
};

enum node_state {
    ORIGIN = 1,
    JUDGED = 2,
    ECHOING = 4, /* below here all is known */
    ECHO_DUE = 8
};

/* Tries until a neighbour counts as missing. */
#define PATIENCE 24u

/* A position further away is none: the longest way through the mesh is less
   than its nodes, but a wave does not go a fraction of that astray. */
#define FAR 4000

/* Of skews; no sum overflows. */
#define SKEW_MAX 65535

#define ALL_PORTS 15u

static const int8_t east_of[TORUS_PORTS] = {1, 0, -1, 0};
static const int8_t north_of[TORUS_PORTS] = {0, 1, 0, -1};

static uint32_t tag_of(const uint8_t *uid)
{
    uint32_t crc = crc32_update(0, uid, 12);

    return crc == 0 ? 1 : crc; /* 0 is nobody's */
}

static int16_t load_i16(const uint8_t *at)
{
    return (int16_t)bytes_load_u16(at);
}

/* value modulo side, 0 .. side - 1. */
static unsigned wrap(int value, int side)
{
    int rest = value % side;

    return (unsigned)(rest < 0 ? rest + side : rest);
}

static bool has(const struct discover *d, unsigned bits)
{
    return (d->own[AT_BITS] & bits) != 0;
}

/* Says more, or less, from now on; to all. */
static void set(struct discover *d, unsigned bits)
{
    d->own[AT_BITS] = (uint8_t)bits;
    d->stale = ALL_PORTS;
}

static int x_of(const uint8_t *status)
{
    return load_i16(status + AT_X);
}

static int y_of(const uint8_t *status)
{
    return load_i16(status + AT_Y);
}

/* The node at an x and y of a STATUS. */
static struct torus_coord wrapped(const struct discover *d, int x, int y)
{
    return (struct torus_coord){
        (uint16_t)wrap(d->own[AT_ORIGIN_X] + x, d->own[AT_WIDTH]),
        (uint16_t)wrap(d->own[AT_ORIGIN_Y] + y, d->own[AT_HEIGHT])};
}

static struct torus_coord place(const struct discover *d)
{
    return wrapped(d, x_of(d->own), y_of(d->own));
}

/* Where the neighbour at a port says that it is. */
static struct torus_coord there(const struct discover *d, unsigned port)
{
    const uint8_t *told = d->link[port].told;

    return wrapped(d, x_of(told), y_of(told));
}

static bool over(const struct discover *d, uint32_t since_us, uint32_t retries)
{
    return d->now_us - since_us > retries * d->config.retry_us;
}

static uint32_t sides(const struct discover *d)
{
    return (uint32_t)d->own[AT_WIDTH] + d->own[AT_HEIGHT];
}

static unsigned port_there(const struct discover_link *link)
{
    return link->told[AT_PORT];
}

/* Whether both ends hear each other. */
static bool mutual(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    return link->tag != 0 && (link->state & (SILENT | REFUSED)) == 0 &&
           bytes_load_u32(link->told + AT_TAGS + 4 * port_there(link)) ==
               d->tag;
}

/* Whether a link joins opposite ports. */
static bool facing(const struct discover *d, unsigned port)
{
    return (d->own[AT_FACING] >> port & 1u) != 0;
}

static bool sound(const struct discover *d, unsigned port)
{
    return mutual(d, port) && facing(d, port);
}

/* Whether out of `port` and then left is where left and then `port` is. */
static bool square_closes(const struct discover *d, unsigned port)
{
    unsigned left = (port + 1) % TORUS_PORTS;
    const uint8_t *ahead = d->link[port].told;
    const uint8_t *aside = d->link[left].told;
    uint32_t corner = bytes_load_u32(ahead + AT_TAGS + 4 * left);

    return sound(d, port) && sound(d, left) &&
           (ahead[AT_FACING] >> left & 1u) != 0 &&
           (aside[AT_FACING] >> port & 1u) != 0 && corner != 0 &&
           corner == bytes_load_u32(aside + AT_TAGS + 4 * port);
}

static bool trusted(const struct discover *d, unsigned port)
{
    return square_closes(d, port) ||
           square_closes(d, (port + TORUS_PORTS - 1) % TORUS_PORTS);
}

/* ---- the wave ---- */

/* Takes part in the wave of this head of a STATUS. */
static void begin(struct discover *d, const uint8_t *head)
{
    memset(d->link, 0, sizeof d->link);
    memcpy(d->own, head, AT_BITS);
    memset(d->own + AT_BITS, 0, AT_UID - AT_BITS);
    memset(d->own + AT_TAGS, 0, STATUS_BYTES - AT_TAGS);
    d->state = 0;
    d->parent = TORUS_PORTS;
    d->stale = ALL_PORTS;
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
    memcpy(d->own + AT_UID, config->uid, sizeof config->uid);
    d->tag = tag_of(d->own + AT_UID);
    d->parent = TORUS_PORTS;
}

/* The originator's wave, or the next one: as `own` has it. */
static void start(struct discover *d)
{
    uint16_t epoch = (uint16_t)(discover_epoch(d) + 1);
    uint8_t head[AT_BITS];

    memcpy(head, d->own, AT_BITS);
    bytes_store_u16(head + AT_EPOCH, epoch != 0 ? epoch : 1);
    bytes_store_u32(head + AT_ORIGIN_TAG, d->tag);
    begin(d, head);
    d->state = ORIGIN;
    set(d, PLACED);
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
        bytes_store_u16(d->own + AT_EPOCH, d->config.epoch);
    }
    d->own[AT_WIDTH] = (uint8_t)size.width;
    d->own[AT_HEIGHT] = (uint8_t)size.height;
    d->own[AT_ORIGIN_X] = (uint8_t)at.x;
    d->own[AT_ORIGIN_Y] = (uint8_t)at.y;
    d->own[AT_FLAGS] = flags;
    start(d);
    return ERR_OK;
}

uint16_t discover_epoch(const struct discover *d)
{
    return bytes_load_u16(d->own + AT_EPOCH);
}

uint8_t discover_flags(const struct discover *d)
{
    return d->own[AT_FLAGS];
}

struct torus_size discover_size(const struct discover *d)
{
    return (struct torus_size){d->own[AT_WIDTH], d->own[AT_HEIGHT]};
}

struct torus_coord discover_origin(const struct discover *d)
{
    return (struct torus_coord){d->own[AT_ORIGIN_X], d->own[AT_ORIGIN_Y]};
}

void discover_busy(struct discover *d, bool busy)
{
    d->busy = busy;
}

bool discover_ready(const struct discover *d)
{
    return has(d, FINISHED);
}

bool discover_faulty(const struct discover *d)
{
    return has(d, FAULTY);
}

bool discover_at(const struct discover *d, struct torus_coord *at)
{
    if (d->config.strapped) {
        *at = d->config.strap;
        return true;
    }
    if (!has(d, PLACED)) {
        return false;
    }
    *at = place(d);
    return true;
}

bool discover_other(const struct discover *d, unsigned port,
                    struct torus_coord *at, uint8_t *other_port)
{
    const struct discover_link *link = &d->link[port];

    if (link->tag == 0 || (link->told[AT_BITS] & PLACED) == 0) {
        return false;
    }
    *at = there(d, port);
    *other_port = (uint8_t)port_there(link);
    return true;
}

unsigned discover_lost(const struct discover *d, unsigned port)
{
    unsigned lost = DISCOVER_TESTS;

    for (unsigned left = d->link[port].passed; left != 0; left &= left - 1) {
        lost -= 1;
    }
    return lost;
}

/* ---- positions ---- */

/* Where the neighbour at a port says that this node is. */
static bool claimed(const struct discover *d, unsigned port, int *x, int *y)
{
    const struct discover_link *link = &d->link[port];

    if (!mutual(d, port) ||
        (link->told[AT_BITS] & (PLACED | TESTED)) != (PLACED | TESTED)) {
        return false;
    }
    *x = x_of(link->told) + east_of[port_there(link)];
    *y = y_of(link->told) + north_of[port_there(link)];
    return true;
}

static unsigned votes(const struct discover *d, int x, int y)
{
    unsigned count = 0;
    int other_x;
    int other_y;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        count += claimed(d, port, &other_x, &other_y) && other_x == x &&
                 other_y == y;
    }
    return count;
}

/*
 * How much a claim weighs: that of a trusted link at any time. When these have
 * had time to tell all, that of the originator (which may have no trusted
 * link), with time for trusted links to tell on; then that of ports that face
 * each other; then any.
 */
static unsigned weight(const struct discover *d, unsigned port, int x, int y)
{
    uint32_t patience = PATIENCE + 8 + 2 * sides(d);

    if (trusted(d, port)) {
        return TORUS_PORTS + 1;
    }
    if (d->link[port].tag != bytes_load_u32(d->own + AT_ORIGIN_TAG)) {
        patience += 8 + sides(d);
    }
    if (!facing(d, port)) {
        patience += 8 + sides(d);
    }
    return over(d, d->woken_us, patience) ? votes(d, x, y) : 0;
}

static void find_place(struct discover *d)
{
    unsigned best = 0;
    int x;
    int y;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        unsigned now = claimed(d, port, &x, &y) ? weight(d, port, x, y) : 0;

        if (now > best) {
            best = now;
            d->parent = (uint8_t)port;
            bytes_store_u16(d->own + AT_X, (uint16_t)x);
            bytes_store_u16(d->own + AT_Y, (uint16_t)y);
        }
    }
    if (best > 0) {
        set(d, d->own[AT_BITS] | PLACED);
    }
}

/* ---- faults ---- */

static void add(struct discover *d, const struct discover_fault *fault)
{
    if (d->faults < DISCOVER_FAULTS_MAX) {
        d->fault[d->faults] = *fault;
    }
    if (d->faults < UINT16_MAX) {
        d->faults += 1;
    }
}

/* A fault of this node. */
static void find(struct discover *d, unsigned port, enum discover_code code,
                 struct torus_coord other, unsigned other_port, unsigned count)
{
    struct torus_coord at = place(d);

    add(d, &(struct discover_fault){(uint8_t)at.x, (uint8_t)at.y, (uint8_t)port,
                                    (uint8_t)code, (uint8_t)other.x,
                                    (uint8_t)other.y, (uint8_t)other_port,
                                    (uint8_t)count});
}

static void find_alone(struct discover *d, unsigned port,
                       enum discover_code code, unsigned count)
{
    find(d, port, code, (struct torus_coord){0, 0}, 0, count);
}

static bool same(struct torus_coord a, struct torus_coord b)
{
    return a.x == b.x && a.y == b.y;
}

/* Whether another port leads to the same place, and must not: as opposite
   ports do on a side of 2. */
static bool doubled(const struct discover *d, unsigned port)
{
    unsigned across = (port + 2) % TORUS_PORTS;

    for (unsigned p = 0; p < TORUS_PORTS; ++p) {
        if (p == port || (p == across && d->own[AT_WIDTH + p % 2] <= 2)) {
            continue;
        }
        if (mutual(d, p) && (d->link[p].tag == d->link[port].tag ||
                             same(there(d, p), there(d, port)))) {
            return true;
        }
    }
    return false;
}

/*
 * Takes a way on which the mesh closes into (width, skew) and (0, height), of
 * which all such ways are sums: Euclid's algorithm, on x with (width, skew),
 * then on what is left with the height. At most 20 divisions each.
 */
static void close_way(struct discover *d, int32_t x, int32_t y)
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
        skew = (int32_t)wrap(skew, d->height);
    }
    d->skew = skew >= -SKEW_MAX && skew <= SKEW_MAX ? skew : 0;
}

static void judge_wiring(struct discover *d, unsigned port)
{
    int x = 0;
    int y = 0;

    claimed(d, port, &x, &y);
    x -= x_of(d->own);
    y -= y_of(d->own);
    if (trusted(d, port)) {
        close_way(d, x, y);
    } else if (x % d->own[AT_WIDTH] != 0 || y % d->own[AT_HEIGHT] != 0 ||
               !facing(d, port)) {
        find(d, port, doubled(d, port) ? DISCOVER_DOUBLED : DISCOVER_MISWIRED,
             there(d, port), port_there(&d->link[port]), 0);
    }
}

static void judge_link(struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];
    unsigned lost = discover_lost(d, port);

    if ((link->state & REFUSED) != 0) {
        find_alone(d, port, DISCOVER_BUSY, 0);
    } else if ((link->state & SILENT) != 0) {
        find_alone(d, port, DISCOVER_MISSING, 0);
    } else {
        judge_wiring(d, port);
        if (lost > d->config.lost_max) {
            find_alone(d, port, DISCOVER_NOISY, lost);
        }
    }
}

static void judge(struct discover *d)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        judge_link(d, port);
    }
    if (d->config.strapped && !same(d->config.strap, place(d))) {
        find(d, TORUS_PORTS, DISCOVER_STRAP, d->config.strap, 0, 0);
    }
    d->state |= JUDGED;
}

static unsigned byte_of(int32_t value)
{
    return value < UINT8_MAX ? (unsigned)value : UINT8_MAX;
}

/* The mesh that was found is not the one that was asked for. */
static void judge_size(struct discover *d)
{
    unsigned skew =
        wrap(d->skew, d->height != 0 ? d->height : d->own[AT_HEIGHT]);

    if (skew != 0) {
        find_alone(d, TORUS_PORTS, DISCOVER_TWISTED, byte_of((int32_t)skew));
        return; /* width and height mean nothing then */
    }
    if (d->width != 0 && d->width != d->own[AT_WIDTH]) {
        find_alone(d, TORUS_EAST, DISCOVER_SIZE, byte_of(d->width));
    }
    if (d->height != 0 && d->height != d->own[AT_HEIGHT]) {
        find_alone(d, TORUS_NORTH, DISCOVER_SIZE, byte_of(d->height));
    }
}

/* ---- progress ---- */

static bool waits_for_echo(const struct discover_link *link)
{
    return (link->told[AT_BITS] & PARENT) != 0 &&
           (link->state & (ECHOED | SILENT | REFUSED)) == 0;
}

static void settle(struct discover *d, unsigned port)
{
    struct discover_link *link = &d->link[port];
    bool answers = mutual(d, port);
    bool pending = waits_for_echo(link);

    if ((link->state & (SILENT | REFUSED)) != 0) {
        link->state |= SETTLED;
    } else if (over(d, answers ? link->heard_us : d->woken_us, PATIENCE)) {
        link->state |= SILENT | SETTLED;
        if (pending && (d->state & JUDGED) != 0) {
            find_alone(d, port, DISCOVER_MISSING, 0);
        }
    } else if (answers && (link->told[AT_BITS] & COMPLETE) == COMPLETE) {
        link->state |= SETTLED;
    }
}

static void finish(struct discover *d, unsigned bits)
{
    set(d, (d->own[AT_BITS] & KEPT) | FINISHED | bits);
    d->finished_us = d->now_us;
}

/* The end at the originator. */
static void conclude(struct discover *d)
{
    judge_size(d);
    finish(d, d->faults > 0 || d->error != ERR_OK ? FAULTY : 0);
}

static void echo(struct discover *d)
{
    if ((d->state & ORIGIN) != 0) {
        conclude(d);
    } else {
        d->state |= ECHOING | ECHO_DUE;
    }
}

/* Links become known and settled; then the node judges and answers. */
static void advance(struct discover *d)
{
    bool known = true;
    bool settled = has(d, PLACED);
    bool waits = false;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct discover_link *link = &d->link[port];

        settle(d, port);
        known &= mutual(d, port) || (link->state & (SILENT | REFUSED)) != 0;
        settled &= (link->state & SETTLED) != 0;
        waits |= waits_for_echo(link);
    }
    if (known && !has(d, KNOWN)) {
        set(d, d->own[AT_BITS] | KNOWN);
    }
    if (known && settled && (d->state & JUDGED) == 0) {
        judge(d);
    }
    if ((d->state & (JUDGED | ECHOING)) == JUDGED && !waits) {
        echo(d);
    }
}

static void give_up(struct discover *d)
{
    d->error = ERR_DEAD_LINK;
    if ((d->state & ORIGIN) != 0) {
        conclude(d);
    } else {
        finish(d, FAILED | FAULTY);
    }
}

/* ---- frames out ---- */

static void store_status(const struct discover *d, uint8_t *out, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    memcpy(out, d->own, STATUS_BYTES);
    out[AT_BITS] |= (uint8_t)((port == d->parent ? PARENT : 0) |
                              (link->sent == DISCOVER_TESTS ? TESTED : 0));
    out[AT_TAKEN] = link->taken;
}

static uint8_t pattern(unsigned number, unsigned i)
{
    return (uint8_t)(number * PATTERN_BYTES + i);
}

static void store_test(const struct discover *d, uint8_t *out, unsigned port)
{
    out[AT_NUMBER] = d->link[port].sent;
    for (unsigned i = 0; i < PATTERN_BYTES; ++i) {
        out[AT_PATTERN + i] = pattern(out[AT_NUMBER], i);
    }
}

static unsigned listed(unsigned faults)
{
    return faults < DISCOVER_FAULTS_MAX ? faults : DISCOVER_FAULTS_MAX;
}

/* The faults that the parent has taken: also the number of the next one. */
static unsigned echo_taken(const struct discover *d)
{
    return d->link[d->parent].told[AT_TAKEN];
}

static void store_echo(const struct discover *d, uint8_t *out)
{
    unsigned number = echo_taken(d);

    out[AT_NUMBER] = (uint8_t)number;
    out[AT_LAST] = (uint8_t)listed(d->faults);
    bytes_store_u16(out + AT_NODES, d->nodes);
    bytes_store_u16(out + AT_FAULTS, d->faults);
    bytes_store_u16(out + AT_REAL_WIDTH, d->width);
    bytes_store_u16(out + AT_REAL_HEIGHT, d->height);
    bytes_store_u32(out + AT_SKEW, (uint32_t)d->skew);
    memcpy(out + AT_FAULT, &d->fault[number % DISCOVER_FAULTS_MAX],
           FAULT_BYTES);
}

/* The message that is due at the port, the most urgent first; 0: none. */
static enum kind due(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    if ((d->refuse >> port & 1u) != 0) {
        return REFUSE;
    }
    if ((d->stale >> port & 1u) != 0) {
        return STATUS;
    }
    if (link->tag != 0 && link->sent < DISCOVER_TESTS) {
        return TEST;
    }
    if (port == d->parent && (d->state & ECHO_DUE) != 0 &&
        echo_taken(d) <= listed(d->faults)) {
        return ECHO;
    }
    return (enum kind)0;
}

/* Writes what is due; result: its length. */
static unsigned store(const struct discover *d, uint8_t *out, unsigned port)
{
    enum kind kind = due(d, port);
    unsigned bytes = 0;

    memcpy(out, kind == REFUSE ? d->refused : d->own, HEAD_BYTES);
    if (kind == REFUSE) {
        bytes = HEAD_BYTES;
    } else if (kind == STATUS) {
        store_status(d, out, port);
        bytes = STATUS_BYTES;
    } else if (kind == TEST) {
        store_test(d, out, port);
        bytes = TEST_BYTES;
    } else if (kind == ECHO) {
        store_echo(d, out);
        bytes = ECHO_BYTES;
    }
    out[AT_KIND] = (uint8_t)kind;
    out[AT_PORT] = (uint8_t)port;
    return bytes;
}

/* Notes that a message which was due has been sent. */
static void check_off(struct discover *d, unsigned port, enum kind kind)
{
    uint8_t bit = (uint8_t)(1u << port);

    if (kind == REFUSE) {
        d->refuse &= (uint8_t)~bit;
    } else if (kind == STATUS) {
        d->stale &= (uint8_t)~bit;
    } else if (kind == TEST) {
        d->link[port].sent += 1;
        if (d->link[port].sent == DISCOVER_TESTS) {
            d->stale |= bit;
        }
    } else {
        d->state &= (uint8_t)~ECHO_DUE;
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
        check_off(d, port, (enum kind)out[AT_KIND]);
    }
}

/* Whether a neighbour is still to be told what it may have missed. */
static bool listens(const struct discover *d, unsigned port)
{
    const struct discover_link *link = &d->link[port];

    if (has(d, FINISHED)) {
        return mutual(d, port) && (link->told[AT_BITS] & FINISHED) == 0 &&
               !over(d, d->finished_us, PATIENCE);
    }
    return (link->state & (SILENT | REFUSED)) == 0;
}

static void retry(struct discover *d)
{
    d->retried_us = d->now_us;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        d->stale |= (uint8_t)(listens(d, port) << port);
    }
    if ((d->state & ECHOING) != 0 && !has(d, FINISHED)) {
        d->state |= ECHO_DUE;
    }
}

void discover_tick(struct discover *d, uint32_t now_us)
{
    d->now_us = now_us;
    if (discover_epoch(d) != 0 && !has(d, FINISHED)) {
        if (!has(d, PLACED)) {
            find_place(d);
        }
        advance(d);
        if (!has(d, FINISHED) && over(d, d->woken_us, 200 + 20 * sides(d))) {
            give_up(d);
        }
    }
    if (over(d, d->retried_us, 1) && discover_epoch(d) != 0) {
        retry(d);
    }
}

/* ---- frames in ---- */

static bool status_valid(const uint8_t *in, unsigned bytes)
{
    int x;
    int y;

    if (bytes != STATUS_BYTES) {
        return false;
    }
    x = x_of(in);
    y = y_of(in);
    return in[AT_ORIGIN_X] < in[AT_WIDTH] && in[AT_ORIGIN_Y] < in[AT_HEIGHT] &&
           x > -FAR && x < FAR && y > -FAR && y < FAR;
}

/* How a frame's wave compares with this node's: > 0: it is newer. */
static int compare(const struct discover *d, const uint8_t *in)
{
    uint32_t tag = bytes_load_u32(in + AT_ORIGIN_TAG);
    uint32_t own_tag = bytes_load_u32(d->own + AT_ORIGIN_TAG);
    int later = (int16_t)(bytes_load_u16(in + AT_EPOCH) - discover_epoch(d));

    if (discover_epoch(d) == 0) {
        return 1;
    }
    return later != 0 ? later : (tag > own_tag) - (tag < own_tag);
}

/* A newer wave: takes part, or refuses, or goes beyond it. */
static void meet_newer(struct discover *d, unsigned port, const uint8_t *in)
{
    if (d->busy) {
        d->refuse |= (uint8_t)(1u << port);
        memcpy(d->refused, in, HEAD_BYTES);
    } else if ((d->state & ORIGIN) != 0 && !has(d, FINISHED) &&
               (bytes_load_u32(in + AT_ORIGIN_TAG) == d->tag ||
                (in[AT_BITS] & FINISHED) != 0)) {
        /* A wave of before this board's reset, or one that is over. */
        memcpy(d->own + AT_EPOCH, in + AT_EPOCH, 2);
        start(d);
    } else {
        begin(d, in);
    }
}

/* Another neighbour than before, or another of its ports. */
static void meet(struct discover *d, unsigned port, uint32_t tag,
                 unsigned port_of_it)
{
    unsigned bit = 1u << port;
    unsigned others = d->own[AT_FACING] & ~bit;

    d->link[port].tag = tag;
    bytes_store_u32(d->own + AT_TAGS + 4 * port, tag);
    d->own[AT_FACING] =
        (uint8_t)(port_of_it == (port + 2) % TORUS_PORTS ? others | bit
                                                         : others);
    d->stale = ALL_PORTS;
}

static void hear_status(struct discover *d, unsigned port, const uint8_t *in)
{
    struct discover_link *link = &d->link[port];
    uint32_t tag = tag_of(in + AT_UID);
    uint8_t bits = in[AT_BITS];

    if (link->tag != tag || port_there(link) != in[AT_PORT]) {
        meet(d, port, tag, in[AT_PORT]);
    }
    if (link->told[AT_TAKEN] != in[AT_TAKEN] && (d->state & ECHOING) != 0) {
        d->state |= ECHO_DUE;
    }
    link->heard_us = d->now_us;
    memcpy(link->told, in, STATUS_BYTES);
    if ((bits & FINISHED) == 0) {
        /* Neighbours that still ask are answered, also after the end. */
        d->stale |= (uint8_t)(discover_ready(d) << port);
    } else if ((d->state & ORIGIN) != 0) {
        if (!discover_ready(d)) {
            /* It can only mean a wave of before this board's reset. */
            start(d);
        }
    } else if ((bits & FAILED) == 0 &&
               (!discover_ready(d) || d->error != ERR_OK)) {
        d->error = ERR_OK;
        finish(d, bits & FAULTY);
    }
}

static void hear_test(struct discover *d, unsigned port, const uint8_t *in,
                      unsigned bytes)
{
    if (bytes != TEST_BYTES || in[AT_NUMBER] >= DISCOVER_TESTS) {
        return;
    }
    for (unsigned i = 0; i < PATTERN_BYTES; ++i) {
        if (in[AT_PATTERN + i] != pattern(in[AT_NUMBER], i)) {
            return;
        }
    }
    d->link[port].passed |= (uint16_t)(1u << in[AT_NUMBER]);
}

/* The last frame has come: the sums count. */
static void take_sums(struct discover *d, struct discover_link *link,
                      const uint8_t *in)
{
    unsigned faults = bytes_load_u16(in + AT_FAULTS);
    unsigned sum = d->faults + faults - listed(faults);

    link->state |= ECHOED;
    d->nodes = (uint16_t)(d->nodes + bytes_load_u16(in + AT_NODES));
    d->faults = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
    close_way(d, bytes_load_u16(in + AT_REAL_WIDTH),
              (int32_t)bytes_load_u32(in + AT_SKEW));
    close_way(d, 0, bytes_load_u16(in + AT_REAL_HEIGHT));
}

static bool echo_valid(const uint8_t *in, unsigned bytes)
{
    int32_t skew = (int32_t)bytes_load_u32(in + AT_SKEW);

    return bytes == ECHO_BYTES && skew >= -SKEW_MAX && skew <= SKEW_MAX &&
           bytes_load_u16(in + AT_REAL_WIDTH) <= 2 * FAR;
}

static void hear_echo(struct discover *d, unsigned port, const uint8_t *in)
{
    struct discover_link *link = &d->link[port];
    struct discover_fault fault;

    d->stale |= (uint8_t)(1u << port);
    if (!mutual(d, port) || !waits_for_echo(link) ||
        in[AT_NUMBER] != link->taken) {
        return; /* told again: the answer was lost */
    }
    link->taken += 1;
    if (in[AT_NUMBER] >= in[AT_LAST] || in[AT_NUMBER] >= DISCOVER_FAULTS_MAX) {
        take_sums(d, link, in);
        return;
    }
    memcpy(&fault, in + AT_FAULT, FAULT_BYTES);
    add(d, &fault);
}

/* A frame of this node's wave. */
static void hear(struct discover *d, unsigned port, const uint8_t *in,
                 unsigned bytes)
{
    switch (in[AT_KIND]) {
    case STATUS:
        hear_status(d, port, in);
        break;
    case TEST:
        hear_test(d, port, in, bytes);
        break;
    case ECHO:
        if (echo_valid(in, bytes)) {
            hear_echo(d, port, in);
        }
        break;
    case REFUSE:
        d->link[port].state |= REFUSED;
        break;
    default:
        break;
    }
}

void discover_heard(struct discover *d, unsigned port, const uint8_t *data,
                    unsigned bytes)
{
    bool status;

    if (port >= TORUS_PORTS || bytes < HEAD_BYTES ||
        bytes > DISCOVER_FRAME_BYTES_MAX || data[AT_PORT] >= TORUS_PORTS ||
        bytes_load_u16(data + AT_EPOCH) == 0) {
        return;
    }
    status = data[AT_KIND] == STATUS;
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
        d->stale |= (uint8_t)(1u << port); /* it learns of the newer one */
    }
}
