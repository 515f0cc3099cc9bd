/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery finds the position of every node in the mesh, and finds cables that
 * are plugged in wrongly. To this end neighbours exchange frames, the
 * originator first. No I/O, no clock, no allocation; the caller serialises the
 * calls. A frame goes over one link and may be lost: a node repeats what it
 * knows until the neighbour's own frames show that the neighbour has it.
 *
 * The wave: a node wakes when a STATUS frame of a newer epoch (number of the
 * wave) comes in. The node tells its four neighbours its id and, for each port,
 * the neighbour whose frames come in there. A link counts once both ends hear
 * each other. Each end then sends DISCOVER_TESTS test frames, which contain
 * every byte value twice, and counts the test frames that come in.
 *
 * Positions: a swapped cable must not hand wrong positions on. So a node takes
 * its position from a link that lies in a closed square: the neighbours tell
 * that the way east, then north leads to the same board as north, then east. A
 * cable that leads elsewhere closes no square (unless a side has 2 nodes), so
 * a wrong cable gives no wrong position. After a bounded time, a node without
 * such a link takes the position that most of its neighbours claim.
 *
 * The echo: a node's parent is the neighbour whose claim gave the node its
 * position. A node sends its parent an echo once it has looked for faults at
 * its links, and its children have sent their echoes. The echo has the number
 * of nodes, the faults and the measured size, of the node and its descendants.
 * After the last echo the originator tells all nodes that the wave is over.
 *
 * Size: a way around the mesh to the east returns after `width` hops, a way to
 * the north after `height` hops. If cables are swapped along a side of 2 nodes,
 * the way to the east ends `skew` hops north of its start; else the skew is 0.
 * Positions do not wrap: where the mesh closes, a neighbour claims another
 * position for a node than the node has. Over closed squares the difference, in
 * hops (east, north), is a sum of multiples of (width, skew) and (0, height).
 * The echoes find width, skew and height from all differences (Hermite normal
 * form of a lattice); the originator compares them with the size it was told.
 *
 * Frames are little-endian; a tag is the CRC-32 of a node's unique id. Each
 * frame begins with
 *    0  u8  kind and version          2  u16 epoch
 *    1  u8  port of the sender        4  u32 tag of the originator
 *   STATUS  8  u8 width, u8 height of the mesh; u8 x, u8 y of the originator
 *          12  u8 flags (discover_start()), u8 bits (enum discover_bit),
 *              u8 number of the receiver's echo frames that came in,
 *              u8 mask of the sender's ports that lead to the opposite port
 *          16  u32[3] unique id of the sender
 *          28  u32[4] tag of the neighbour heard at each port; 0: none
 *          44  i16 x, i16 y: the sender's hops east and north of the originator
 *   TEST    8  u8 number, u8[32] pattern
 *   ECHO    8  u8 number of this frame, u8 number of the last frame, which
 *              carries no fault; u16 nodes, u16 faults, as counted by the
 *              sender; u16 width, u16 height, i32 skew, as measured; width or
 *              height 0: unknown
 *          22  a fault: u8 x, y, port, code; u8 x, y, port of the other end;
 *              u8 count
 *   REFUSE     nothing more: the sender is busy
 */
#ifndef HAL_DISCOVER_DISCOVER_H
#define HAL_DISCOVER_DISCOVER_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define DISCOVER_FRAME_BYTES_MAX 48u
#define DISCOVER_SIDE_MAX 255u
#define DISCOVER_FAULTS_MAX 32u
#define DISCOVER_TESTS 16u

/* Kinds of faults. "other": the fields other_x, other_y and other_port. */
enum discover_code {
    DISCOVER_MISSING = 1,  /* no neighbour answers at the port */
    DISCOVER_MISWIRED = 2, /* other: the node and port at the other end */
    DISCOVER_DOUBLED = 3,  /* miswired, and another port leads to that node */
    DISCOVER_NOISY = 4,    /* count: test frames that this node did not get */
    DISCOVER_BUSY = 5,     /* the neighbour refuses the wave: it has a job */
    DISCOVER_STRAP = 6,    /* other: the strap's coordinates */
    DISCOVER_SIZE = 7,     /* count: measured width (east) or height (north) */
    DISCOVER_TWISTED = 8   /* count: measured skew, hops */
};

/* A fault at a port of the node at x, y; port TORUS_PORTS: at no port. */
struct discover_fault {
    uint8_t x;
    uint8_t y;
    uint8_t port;
    uint8_t code; /* enum discover_code */
    uint8_t other_x;
    uint8_t other_y;
    uint8_t other_port;
    uint8_t count;
};

struct discover_config {
    uint32_t uid[3]; /* unique id of this node */
    bool strapped;   /* the board's strap gives the node's coordinates */
    struct torus_coord strap; /* the strap's coordinates, if strapped */
    uint8_t lost_max;         /* most test frames that a good link loses */
    uint16_t epoch;    /* epoch of the first wave, minus 1; new at each reset */
    uint32_t retry_us; /* time until an unanswered frame is repeated */
    /* Sends a frame to the neighbour at the port; copies the frame. Result: 0;
       ERR_PORT_BUSY: the frame has to be sent again later. */
    int (*tell)(void *context, unsigned port, const uint8_t *data,
                unsigned bytes);
    void *context;
};

/* What a node knows of the link at one of its ports, and of the neighbour. */
struct discover_link {
    uint8_t state;     /* mask of enum discover_link_state (internal.h) */
    uint8_t sent;      /* number of test frames that this node has sent */
    uint8_t taken;     /* number of the neighbour's echo frames that came in */
    uint16_t passed;   /* bit n: the neighbour's test frame n has come in */
    uint32_t tag;      /* tag of the neighbour; 0: none was heard */
    uint32_t heard_us; /* now_us when the neighbour's last STATUS came */
    _Alignas(4) uint8_t told[DISCOVER_FRAME_BYTES_MAX]; /* that STATUS */
};

/* Discovery at one node. "Below" a node are its children, and the nodes below
   them. The caller may read error, faults, nodes, width, height and fault[]. */
struct discover {
    uint8_t state;   /* mask of enum discover_node_state (internal.h) */
    uint8_t parent;  /* port to the parent; TORUS_PORTS: none yet */
    uint8_t stale;   /* mask of the ports out of which STATUS is due */
    uint8_t refuse;  /* mask of the ports out of which REFUSE is due */
    bool busy;       /* the node refuses new waves */
    int8_t error;    /* ERR_DEAD_LINK if the time limit passed, else 0 */
    uint16_t faults; /* number of all faults here and below, listed or not */
    uint16_t nodes;  /* number of nodes: this node and the nodes below */
    uint16_t width;  /* width measured here and below, nodes; 0: unknown */
    uint16_t height; /* height measured here and below, nodes; 0: unknown */
    _Alignas(4) uint8_t own[DISCOVER_FRAME_BYTES_MAX]; /* this node's STATUS */
    int32_t skew;        /* skew measured here and below, hops */
    uint32_t tag;        /* this node's tag */
    uint32_t now_us;     /* time of the last discover_tick() */
    uint32_t woken_us;   /* time when the wave reached this node */
    uint32_t retried_us; /* time when frames were last repeated */
    uint32_t finished_us;
    uint8_t refused[8]; /* first bytes of the frame that REFUSE answers */
    struct discover_config config;
    struct discover_link link[TORUS_PORTS];
    struct discover_fault fault[DISCOVER_FAULTS_MAX];
};

/* The names of enum discover_code from 0 on, each with its NUL. */
#define DISCOVER_CODES                                                         \
    "?\0missing\0miswired\0doubled\0noisy\0busy\0strap\0size\0twisted"

/* Initialises a node that knows no wave. Copies *config. now_us: time, us. */
void discover_init(struct discover *d, const struct discover_config *config,
                   uint32_t now_us);

/* Starts a wave; this node, at the coordinates `at`, is the originator. The
   previous wave ends. `flags`: bits of the caller for every node. Result: 0;
   ERR_RANGE: a side or a coordinate is out of range; ERR_PORT_BUSY: busy. */
NODISCARD int discover_start(struct discover *d, struct torus_size size,
                             struct torus_coord at, uint8_t flags);

/* Makes the node busy, or not. A busy node refuses new waves. */
void discover_busy(struct discover *d, bool busy);

/* Takes a frame that came in at a port. Precondition: the frame's CRC is right.
   Cost: about 300 instructions. */
void discover_heard(struct discover *d, unsigned port, const uint8_t *data,
                    unsigned bytes);

/* Sets the time (us, wraps), and advances the wave. To be called every
   millisecond or more often. */
void discover_tick(struct discover *d, uint32_t now_us);

/* Sends one frame out of the port, if discover_has_frame(). To be called for
   each port after each tick. */
void discover_speak(struct discover *d, unsigned port);
bool discover_has_frame(const struct discover *d, unsigned port);

/* Whether the wave is over at this node. At the originator d->faults and
   d->nodes then count the whole mesh. d->error is ERR_DEAD_LINK after the time
   limit: (200 + 20 * (width + height)) * retry_us. */
bool discover_ready(const struct discover *d);

/* Return what the last wave told: its epoch, its flags, the size of the mesh
   and the originator's coordinates. */
uint16_t discover_epoch(const struct discover *d); /* 0: there was no wave */
uint8_t discover_flags(const struct discover *d);
struct torus_size discover_size(const struct discover *d);
struct torus_coord discover_origin(const struct discover *d);

/* Sets *at to the coordinates of the node's strap, else to those of the last
   wave. Result: false if the node has no coordinates. */
bool discover_at(const struct discover *d, struct torus_coord *at);

/* Sets *at and *other_port to the coordinates and the port of the neighbour.
   Result: false if the neighbour has told no coordinates. */
bool discover_other(const struct discover *d, unsigned port,
                    struct torus_coord *at, uint8_t *other_port);

/* Returns how many of the neighbour's DISCOVER_TESTS frames did not come in. */
unsigned discover_lost(const struct discover *d, unsigned port);

/* Whether the fault's other_x and other_y have a meaning. If so, other_port has
   a meaning, too, unless code is DISCOVER_STRAP. */
static inline bool discover_leads(const struct discover_fault *fault)
{
    return fault->code == DISCOVER_MISWIRED ||
           fault->code == DISCOVER_DOUBLED || fault->code == DISCOVER_STRAP;
}

#endif
