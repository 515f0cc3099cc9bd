/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The circuit switch in software, for boards whose four ports are serial
 * lines. A message goes along its path over a circuit: links that are held for
 * it from end to end, in both directions, and freed after it. Other nodes pass
 * its bytes on as they come, while they send, receive and compute themselves.
 *
 * No I/O, no clock, no allocation: bytes and times are arguments, what is to
 * go out is asked for. All state is in one struct, the caller's.
 *
 * Frames (hal/switch/frame.h; numbers little-endian; CRC-32 behind, 4 bytes).
 * The first byte has the type in bits 0 to 2, bit 3 if parity follows the CRC,
 * and from bit 4 on the round of DATA and of the answers to it, else 0.
 *
 *   SETUP      0  u8   type                       store and forward: each hop
 *              1  u8   attempt                    checks it, holds the port it
 *              2  u16  source, a node's number    came in at and the port it
 *              4  u32  sequence \ of the source   goes out of, and takes a hop
 *              8  u8   port     / and its port    off the path
 *              9  u8   kind
 *             10  u32  length of the message
 *             14  u16  hops to go, from bit 14 the turn after them
 *             16  u16  hops after the turn
 *             18  u16  how long each hop holds without a frame, ms
 *   DATA       0  type   1  u16 offset, low half   3  0 to 240 bytes
 *   ACK        0  type   1  u32 bytes that the destination has
 *   AGAIN      the same: there was a gap after them, or damage
 *   DONE       0  type: the destination has all of it
 *              1  0 to 64 bytes: what a peek is answered
 *   RELEASE    0  type   1  u8 reason: a refusal, too; frees hop by hop
 *   NEIGHBOUR  0  type   1  1 to 128 bytes: for this neighbour only
 *
 * A circuit's life, over one relay:
 *
 *   source              relay            destination
 *     |-- SETUP ---------->|                  |   the relay holds the ports
 *     |                    |-- SETUP -------->|   that lead back and on
 *     |<-------------------|<--------- ACK 0 -|   a receive is posted: go on
 *     |-- DATA 0 --------->|----------------->|   from byte 0; up to
 *     |-- DATA 240 ------->|-- damaged ------>|   SWITCH_WINDOW frames are on
 *     |-- DATA 480 ------->|----------------->|   the way
 *     |<-------------------|<----- AGAIN 240 -|   240 bytes are there
 *     |-- DATA 240, ... -->|----------------->|
 *     |<-------------------|<---------- DONE -|   all bytes, the check is right
 *     |-- RELEASE -------->|                  |   each hop frees its two ports
 *     |                    |-- RELEASE ------>|
 *
 * Refusals: a relay whose port onward is held, or a destination without a
 * receive, answers SETUP by RELEASE, which frees the hops back to the source.
 * The source tries again after a random time, which doubles up to 64 times the
 * time of 32 bytes. No node waits while it holds links.
 *
 * Breaks: a hop that hears nothing in time frees its ports and sends RELEASE
 * both ways. The source sets the circuit up again and goes on behind the bytes
 * that the first ACK names.
 *
 * Meetings: of two set-ups that meet on one link, the one that goes out to the
 * east or north wins. A SETUP over a link that is held says that the neighbour
 * has forgotten what held it.
 *
 * Damage: the destination asks AGAIN, and the source goes back, with frames
 * half as long; it goes back, too, if no answer comes in time. At most
 * SWITCH_WINDOW frames are on the way, which the ring of any relay holds: that
 * is the back-pressure. Short frames are fewer, as a damaged one loses those
 * behind it.
 *
 * Bad lines: after damage, frames that this node sends over the line have
 * parity, by which their reader puts four bytes right; DATA are short; and
 * short frames that the other end waits for (SETUP, RELEASE, DONE, AGAIN, the
 * first ACK) go out twice. An answer has parity if its frame had it, NEIGHBOUR
 * always. The line is good again after 32 answers without damage.
 *
 * A frame's CRC starts from a number that both ends know:
 *
 *   SETUP, NEIGHBOUR           SWITCH_VERSION: other versions count as damaged
 *   ACK, AGAIN, DONE, RELEASE  the CRC of bytes 1 to 8 of the SETUP: an answer
 *                              to an earlier try counts as damaged
 *   DATA                       the CRC of bytes 2 to 13 of the SETUP, then of
 *                              the offset (u32) and the type
 *
 * A relay looks at the first two bytes of DATA, ACK, AGAIN and DONE only.
 *
 * Bounds: an answer is late by slack_us, the time of 256 bytes, and of 128
 * bytes a hop, at most. The source waits twice as long as answers took lately,
 * at least a 32nd of that bound, twice as long for every second wait in vain,
 * and never longer than the bound. A hop frees a silent circuit after twice
 * the bound and the time of SWITCH_RING_BYTES, 32 s at most. A message ends
 * with ERR_DEAD_LINK after SWITCH_TRIES set-ups without an answer, or circuits
 * that broke, and no byte of progress; with ERR_PORT_BUSY after patience_us of
 * refusals.
 *
 * Exactly once: a destination knows the last message of each stream (a port of
 * a source), of the SWITCH_REMEMBERED streams that it heard last; a message
 * whose DONE was lost is not taken again. A message that ends with an error
 * may have been delivered or not.
 *
 * Peeks: a peek is a message that any node answers from its interrupts,
 * whatever its program does, by the configuration's status(). Its first bytes,
 * SWITCH_QUESTION_BYTES at most, are the question. status() may be called
 * several times for one question, which must not matter. A peek goes ahead of
 * messages of its port that wait for their next try, and ends after
 * SWITCH_PEEK_TRIES set-ups: with ERR_PORT_BUSY if the last was refused.
 *
 * Memory: struct switch_core, 11.4 KiB. Stack: below 400 bytes, and that of
 * the caller's functions. Longest call: an answer comes and two frames of 240
 * bytes are made, some 12,800 instructions, or on a bad line a frame is put
 * right, 25,500 (test/bench/chip.py measures how long interrupts are held
 * back); where four lines are fast, bytes should come in through a queue.
 *
 * The caller serialises all calls: it masks the interrupts from which it calls
 * switch_bytes(), or calls all from one. kick() and neighbour() are called
 * from within and may call switch_pending(), switch_taken() and switch_tell(),
 * and nothing else.
 */
#ifndef HAL_SWITCH_SWITCH_H
#define HAL_SWITCH_SWITCH_H

#include "hal/nodiscard.h"
#include "hal/switch/state.h"

/* Makes all idle, and counters 0; copies the configuration. Time is 0 until
   switch_set_time(). */
void switch_init(struct switch_core *core, const struct switch_config *config);

/*
 * Takes bytes that came in at a port, one behind the other. Result: how many
 * were taken, at least one: all, or those up to the end of a frame that was for
 * this node, so that other ports wait for one frame at most. What is relayed is
 * copied, 5 instructions a byte (Cortex-M4), besides what kick() does.
 */
unsigned switch_bytes(struct switch_core *core, unsigned port,
                      const uint8_t *data, unsigned bytes);

/* Says that a byte was lost on the line (overrun). A byte with an error flag
   goes to switch_bytes() all the same: most are right, and checks and parity
   settle the rest. */
void switch_line_error(struct switch_core *core, unsigned port);

/* Sets the time, which wraps: before any other call, every millisecond or more
   often. Times in struct switch_message are as exact. */
void switch_set_time(struct switch_core *core, uint32_t now_us);

/* Whether something will be due at this port, and its time, *due_us, which may
   have passed. Every other call may change both. */
bool switch_is_due(const struct switch_core *core, unsigned port,
                   uint32_t *due_us);

/* Does what is due at this port. May make the frames of a window: 7,000
   instructions. */
void switch_attend(struct switch_core *core, unsigned port);

/* Sets the time and attends to all ports: for a caller without a timer for what
   is due, at least every millisecond. */
void switch_tick(struct switch_core *core, uint32_t now_us);

/* The bytes that go out next on this port, at *data until switch_taken().
   Result: their number; 0: none now. There may be more behind them. */
unsigned switch_pending(struct switch_core *core, unsigned port,
                        const uint8_t **data);

/*
 * Says that the first `bytes` of the pending bytes went out. There may be more
 * now, without a kick: ask switch_pending() again. Makes the next frame of a
 * message, if one is due: some 20 instructions for each of its bytes.
 */
void switch_taken(struct switch_core *core, unsigned port, unsigned bytes);

/*
 * Queues a message at its path's port, behind others there. It is done at once
 * with ERR_NO_ROUTE if its path is not valid; with ERR_RANGE if the kind is 0,
 * the segments have 2^32 bytes or more, or a peek has no room for its reply.
 */
void switch_send(struct switch_core *core, struct switch_message *message);

/* Posts a receive behind those that are not done. A message comes to the first
   one that takes its port and kind; messages at different ports fill several at
   once. Precondition: the receive is not posted. Cost: a few instructions for
   each posted one. */
void switch_post(struct switch_core *core, struct switch_receive *receive);

/* Takes back all posted receives that are not done: their state is IDLE. */
void switch_cancel(struct switch_core *core);

/*
 * Sends 1 to SWITCH_TELL_BYTES bytes to the neighbour at this port, once and
 * unacknowledged, also beside a circuit; they are copied. Result: 0; ERR_RANGE;
 * ERR_PORT_BUSY: a relayed frame is in the way, or the ring is full, for now.
 */
NODISCARD int switch_tell(struct switch_core *core, unsigned port,
                          const uint8_t *data, unsigned bytes);

/*
 * Frees all circuits, with a RELEASE to all whom they concern; ends all
 * messages with ERR_PORT_BUSY; takes the receives back. Pending bytes still go
 * out. Counters, sequences and what was delivered stay.
 */
void switch_reset(struct switch_core *core);

/* Whether no circuit holds a port of this node. */
bool switch_idle(const struct switch_core *core);

#endif
