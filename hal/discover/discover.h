/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery: who sits where in the mesh, told from the originator by neighbour
 * exchange, and which cables are not where they must be. No I/O, no memory of
 * its own, time as an argument; the caller serialises the calls. All frames
 * are hop-local and may be lost: what a node knows is told again until the
 * neighbour shows that it knows it.
 *
 * The wave: a STATUS frame of a newer epoch wakes a node. It tells its four
 * neighbours who it is and whom it hears at each port. A link counts when both
 * ends hear each other; both ends then send DISCOVER_TESTS frames of pattern,
 * in which every byte value occurs twice, and count what arrives.
 *
 * Positions: a swapped cable must not hand wrong positions on. So a node takes
 * its position from a link that lies in a closed square: east then north leads
 * to the same board as north then east, which both neighbours tell. A cable
 * that leads elsewhere closes no square (but where a side is 2, on which it
 * can), so positions are right although cables are wrong. Who has no such link
 * after a bounded time takes the position that most of its neighbours say.
 * Positions do not wrap, so the links at which the mesh closes upon itself show
 * a difference. Over closed squares all differences are sums of two, (width,
 * skew) and (0, height), which the echo reduces them to (a lattice's Hermite
 * normal form): the real size, compared with what the originator was told.
 * Cables swapped where a side is 2 show as a skew: nobody can tell which two.
 *
 * The echo: a node whose links are judged and whose children have answered
 * tells its parent (whose position it took) the number of nodes and the
 * faults. When all has come in, the originator says so to all.
 *
 * Frames, little-endian; every one begins with
 *    0  u8  kind and version          2  u16 epoch
 *    1  u8  port of the sender        4  u32 tag of the originator
 * where a node's tag is the CRC-32 of its unique id.
 *   STATUS  8  u8 width, u8 height, u8 x, u8 y of the originator
 *          12  u8 flags of the job, u8 bits, u8 frames of echo taken,
 *              u8 mask of the ports that face their opposite
 *          16  u32[3] unique id
 *          28  u32[4] tags of whom it hears at each port, 0: nobody
 *          44  i16 x, i16 y: hops to the east and north of the originator
 *   TEST    8  u8 number, u8[32] pattern
 *   ECHO    8  u8 number, u8 of the last: it has no fault; u16 nodes,
 *              u16 faults, u16 width, u16 height, i32 skew (as measured)
 *          22  a fault: u8 x, y, port, code, and of the other end x, y, port;
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

/* `other` and `count` of struct discover_fault mean what the comment says. */
enum discover_code {
    DISCOVER_MISSING = 1,  /* nobody answers at the port any more, or ever */
    DISCOVER_MISWIRED = 2, /* other: the node and port at the other end */
    DISCOVER_DOUBLED = 3,  /* miswired, and another port leads to the same node
                              or to one that says it is at the same place */
    DISCOVER_NOISY = 4,    /* count: test frames that did not come in here */
    DISCOVER_BUSY = 5,     /* the neighbour refuses: it is at work */
    DISCOVER_STRAP = 6,    /* other: the strap; x, y: where the board sits */
    DISCOVER_SIZE = 7,     /* port east or north: count is the real width or
                              height; x, y: the originator */
    DISCOVER_TWISTED = 8   /* going round leads `count` aside: a side of 2
                              has its cables swapped somewhere */
};

/* A fault at node x, y and its port; port TORUS_PORTS: at none. */
struct discover_fault {
    uint8_t x;
    uint8_t y;
    uint8_t port;
    uint8_t code;
    uint8_t other_x;
    uint8_t other_y;
    uint8_t other_port;
    uint8_t count;
};

struct discover_config {
    uint32_t uid[3]; /* unique id: no two nodes have the same */
    bool strapped;   /* the node's coordinates are given: `strap` */
    struct torus_coord strap;
    uint8_t lost_max; /* test frames that may be lost; a link that loses more is
                         noisy */
    uint16_t epoch;   /* epoch of the first wave from here, less one; best
                         another after every reset, since others remember */
    uint32_t retry_us; /* time until a node repeats what was not answered; more
                          than a frame's way there and back */
    /*
     * Takes a frame for the neighbour at the port, at most
     * DISCOVER_FRAME_BYTES_MAX, and copies it. Result: 0, or ERR_PORT_BUSY:
     * later. Called from discover_speak() only.
     */
    int (*tell)(void *context, unsigned port, const uint8_t *data,
                unsigned bytes);
    void *context;
};

/* A port, as far as it is known. */
struct discover_link {
    uint8_t state;     /* mask of enum discover_link_state (internal.h) */
    uint8_t sent;      /* number of test frames sent */
    uint8_t taken;     /* number of the neighbour's echo frames taken */
    uint16_t passed;   /* bit n: test frame n came in */
    uint32_t tag;      /* of the neighbour; 0: never heard */
    uint32_t heard_us; /* time of its last STATUS */
    _Alignas(4) uint8_t told[DISCOVER_FRAME_BYTES_MAX]; /* its last STATUS */
};

/* A node's state, in the caller's memory. Nodes whose parent a node is, and
   theirs, are below it. The caller may read error, faults, nodes, width, height
   and fault[]. */
struct discover {
    uint8_t state;   /* mask of enum discover_node_state (internal.h) */
    uint8_t parent;  /* port to the parent; TORUS_PORTS: none yet */
    uint8_t stale;   /* mask: ports whose neighbour is to be told STATUS */
    uint8_t refuse;  /* mask: ports whose neighbour is to be told REFUSE */
    bool busy;       /* the node takes part in no wave */
    int8_t error;    /* ERR_DEAD_LINK: the time was over */
    uint16_t faults; /* of this node and those below it, listed or not */
    uint16_t nodes;  /* this one and those below it */
    uint16_t width;  /* measured by this node and those below it; 0: unknown */
    uint16_t height; /* likewise */
    _Alignas(4) uint8_t own[DISCOVER_FRAME_BYTES_MAX]; /* its STATUS, without
                                                          what varies by port */
    int32_t skew;         /* hops north when the mesh closes to the east */
    uint32_t tag;         /* CRC-32 of the unique id */
    uint32_t now_us;      /* time of the last discover_tick() */
    uint32_t woken_us;    /* time when the wave came */
    uint32_t retried_us;  /* time of the last repetition */
    uint32_t finished_us; /* time when the wave ended */
    uint8_t refused[8];   /* head of the frame that is to be refused */
    struct discover_config config;
    struct discover_link link[TORUS_PORTS];
    struct discover_fault fault[DISCOVER_FAULTS_MAX];
};

/* The names of enum discover_code, in their order, each with its NUL. */
#define DISCOVER_CODES                                                         \
    "?\0missing\0miswired\0doubled\0noisy\0busy\0strap\0size\0twisted"

/* Copies the config. No wave yet. now_us: as discover_tick() has it. */
void discover_init(struct discover *d, const struct discover_config *config,
                   uint32_t now_us);

/*
 * At the originator, which sits at `at`: starts a wave, in place of any other.
 * Sides 1 to DISCOVER_SIDE_MAX; flags: any, they reach every node. Result: 0;
 * ERR_RANGE; ERR_PORT_BUSY (the node is busy).
 */
NODISCARD int discover_start(struct discover *d, struct torus_size size,
                             struct torus_coord at, uint8_t flags);

/* Makes the node busy, or not: a busy one refuses new waves, and its neighbours
   report that. */
void discover_busy(struct discover *d, bool busy);

/*
 * A frame came in on a port, with its CRC checked; anything else in it is
 * checked here. Never calls tell(). About 300 instructions.
 */
void discover_heard(struct discover *d, unsigned port, const uint8_t *data,
                    unsigned bytes);

/* Does what is due; called at least every millisecond, before any wave, too.
   now_us wraps. */
void discover_tick(struct discover *d, uint32_t now_us);

/* Tells the neighbour at this port one frame, if there is one to tell: after
   each tick, for each port. (All frames of all ports at once would take a
   board a millisecond, in which it takes no bytes off its lines.) */
void discover_speak(struct discover *d, unsigned port);
bool discover_has_frame(const struct discover *d, unsigned port);

/*
 * Whether the wave is over: at the originator, all have answered or their time
 * is up, and faults and nodes are those of the mesh; elsewhere, the originator
 * has said so or the time is up (error). At most 200 + 20 * (width + height)
 * times retry_us after the node woke.
 */
bool discover_ready(const struct discover *d);

/* The wave that came last: the originator's mesh, and this node's place in
   it. */
uint16_t discover_epoch(const struct discover *d); /* 0: there was none */
uint8_t discover_flags(const struct discover *d);
struct torus_size discover_size(const struct discover *d);
struct torus_coord discover_origin(const struct discover *d);

/* The node's coordinates: its strap's, or those that a wave gave it. Result:
   false if it has none. */
bool discover_at(const struct discover *d, struct torus_coord *at);

/* The node and port that a port leads to, as its neighbour told in the last
   wave. Result: false if the neighbour told nothing, or knows no place. */
bool discover_other(const struct discover *d, unsigned port,
                    struct torus_coord *at, uint8_t *other_port);

/* Number of the neighbour's DISCOVER_TESTS test frames that did not come in. */
unsigned discover_lost(const struct discover *d, unsigned port);

/* Whether the fault's other_x and other_y mean a node, and other_port its port,
   which a strap has none of. */
static inline bool discover_leads(const struct discover_fault *fault)
{
    return fault->code == DISCOVER_MISWIRED ||
           fault->code == DISCOVER_DOUBLED || fault->code == DISCOVER_STRAP;
}

#endif
