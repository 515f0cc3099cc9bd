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

#include "hal/discover/state.h"
#include "hal/nodiscard.h"

#define DISCOVER_TEXT_BYTES 96u

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

/* While busy, the node refuses new waves: its neighbours report it. */
void discover_busy(struct discover *d, bool busy);

/*
 * A frame came in on a port, with its CRC checked; anything else in it is
 * checked here. Never calls tell(). About 300 instructions.
 */
void discover_heard(struct discover *d, unsigned port, const uint8_t *data,
                    unsigned bytes);

/* At least every millisecond, before any wave, too; now_us wraps. */
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

/* Whether the originator found or got a fault: as told to all. */
bool discover_faulty(const struct discover *d);

/* The wave that came last: the originator's mesh, and this node's place in
   it. */
uint16_t discover_epoch(const struct discover *d); /* 0: there was none */
uint8_t discover_flags(const struct discover *d);
struct torus_size discover_size(const struct discover *d);
struct torus_coord discover_origin(const struct discover *d);

/* The node's coordinates: the strap's, or the wave's once it has been here. */
bool discover_at(const struct discover *d, struct torus_coord *at);

/* Where a port leads, as its neighbour told in the last wave: to whose port.
   False: it told nothing, or knows no place. */
bool discover_other(const struct discover *d, unsigned port,
                    struct torus_coord *at, uint8_t *other_port);

/* How many of the neighbour's DISCOVER_TESTS test frames did not come in. */
unsigned discover_lost(const struct discover *d, unsigned port);

/* Whether the fault's `other` means anything; of a strap, but for its port. */
static inline bool discover_leads(const struct discover_fault *fault)
{
    return fault->code == DISCOVER_MISWIRED ||
           fault->code == DISCOVER_DOUBLED || fault->code == DISCOVER_STRAP;
}

/*
 * A fault as a line for people, without its newline, NUL at its end: such as
 * "(3,1) east: leads to (0,2) west, not to (4,1) west". Result: its length.
 * (hal/discover/text.c, of which a board needs nothing.)
 */
unsigned discover_text(char out[DISCOVER_TEXT_BYTES], struct torus_size size,
                       const struct discover_fault *fault);

#endif
