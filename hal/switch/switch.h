/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The circuit switch in software, for boards whose four ports are serial lines.
 * A message goes along its path over a circuit: links that are held for the
 * message, in both directions, and freed after it. A node between the ends is a
 * relay, which passes bytes on as they come in, whatever the program does.
 *
 * No I/O, no clock, no allocation: the caller passes bytes and times in, asks
 * for the bytes that go out, and owns the struct with all state.
 *
 * Frames (hal/switch/frame.h) are little-endian; a CRC-32 follows each. The
 * first byte: bits 0 to 2: type; bit 3: 1 if parity follows the CRC; bits 4 to
 * 7: round of sending (struct switch_source) in DATA and answers to it, else 0.
 *
 *   type       bytes after the first
 *   SETUP      enum switch_setup_field (internal.h); each hop checks the frame,
 *              holds the ports where the frame comes in and goes out, and
 *              removes a hop from the frame's path
 *   DATA       u16: offset in the message modulo 2^16; 0 to 240 bytes of data
 *   ACK        u32: number of the message's bytes that have come in
 *   AGAIN      as ACK; asks for all further bytes: some were lost
 *   DONE       0 to 64 bytes: answer to a peek; all bytes have come in
 *   RELEASE    u8: enum switch_reason; frees the circuit, or refuses a SETUP
 *   NEIGHBOUR  1 to 128 bytes for the neighbour, not relayed
 *
 * A circuit's life, over one relay:
 *
 *   source              relay            destination
 *     |-- SETUP ---------->|                  |   the relay holds the ports
 *     |                    |-- SETUP -------->|   that lead back and on
 *     |<-------------------|<--------- ACK 0 -|   a receive is posted: send
 *     |-- DATA 0 --------->|----------------->|   from byte 0 on; up to
 *     |-- DATA 240 ------->|-- damaged ------>|   SWITCH_WINDOW frames are on
 *     |-- DATA 480 ------->|----------------->|   the way
 *     |<-------------------|<----- AGAIN 240 -|   bytes 0 to 239 are there
 *     |-- DATA 240, ... -->|----------------->|
 *     |<-------------------|<---------- DONE -|   all bytes are there
 *     |-- RELEASE -------->|-- RELEASE ------>|   each hop frees its two ports
 *
 * Refusals: a relay whose port onward is held, or a destination without a
 * posted receive, answers SETUP by RELEASE, which frees the hops back to the
 * source. The source tries again after a random time, whose bound doubles from
 * 2 to 64 times the time of 32 bytes. No node waits while it holds links.
 *
 * Breaks: a node of the path to which no frame comes in time frees its ports
 * and sends RELEASE both ways. The source sets the circuit up again; the first
 * ACK names the bytes that are there, and the source continues behind them.
 *
 * Meetings: if two set-ups meet on a link, the set-up to the east or north
 * wins. A SETUP over a held link says that the neighbour forgot the circuit.
 *
 * Damage: after AGAIN, or if no answer comes in time, the source goes back to
 * the first missing byte and halves its frames. At most SWITCH_WINDOW frames
 * are on the way, fewer while frames are short: any ring has room for them.
 *
 * Bad lines: after damage, DATA frames are short, and frames of this node have
 * parity, by which the reader corrects four bytes. Frames with parity that the
 * other end waits for (SETUP, RELEASE, DONE, AGAIN, the first ACK) go out
 * twice. An answer has parity if the answered frame has parity; NEIGHBOUR
 * always has parity. A line is good again after 32 answers without damage.
 *
 * A frame's CRC starts from a number that both ends know:
 *
 *   SETUP, NEIGHBOUR           SWITCH_VERSION: other versions count as damaged
 *   ACK, AGAIN, DONE, RELEASE  the CRC of bytes 1 to 8 of the SETUP: an answer
 *                              to an earlier try counts as damaged
 *   DATA                       the CRC of bytes 2 to 13 of the SETUP, then of
 *                              the offset (u32) and the type
 *
 * A relay looks only at the first two bytes of DATA, ACK, AGAIN and DONE.
 *
 * Bounds: an answer is late by at most B: slack_us, plus the line time of 256
 * bytes, plus that of 128 bytes for each hop. The source waits twice as long as
 * recent answers took; this time doubles for every second wait without an
 * answer, and is B / 32 to B. A node frees a silent circuit after 2 (B + line
 * time of SWITCH_RING_BYTES), at most 32 s. A message ends with ERR_DEAD_LINK
 * after SWITCH_TRIES set-ups in a row without progress that took SWITCH_VAIN_US
 * or more, and with ERR_PORT_BUSY after patience_us of refusals.
 *
 * Exactly once: a destination remembers the last message of each of the last
 * SWITCH_REMEMBERED streams (a stream: all messages of one source and port). So
 * a message is not taken twice if its DONE was lost. A message that ends with
 * an error may have been delivered.
 *
 * Peeks: a peek is a message that a node answers from its interrupts, by
 * status() of struct switch_config, whatever its program does. A peek goes
 * ahead of messages of its port that wait for their next try, and ends after
 * SWITCH_PEEK_TRIES set-ups: with ERR_PORT_BUSY if the last was refused.
 *
 * Memory: struct switch_core, 11.4 KiB. Stack: below 400 bytes, plus the
 * caller's functions. Longest call: 12,800 instructions (an answer comes in,
 * two frames of 240 bytes are made); 25,500 on a bad line (a frame is
 * corrected); test/bench/chip.py measures how long interrupts are masked. Bytes
 * that come in during a call wait in a queue of the caller's.
 *
 * The caller serialises all calls: it masks the interrupts from which it calls
 * switch_bytes(), or makes all calls from one interrupt. kick() and neighbour()
 * may call only switch_pending(), switch_taken() and switch_tell().
 */
#ifndef HAL_SWITCH_SWITCH_H
#define HAL_SWITCH_SWITCH_H

#include "hal/nodiscard.h"
#include "hal/switch/state.h"

/* Makes the switch idle, with counters and time 0; copies the configuration. */
void switch_init(struct switch_core *core, const struct switch_config *config);

/* Takes bytes that came in at a port. Stops behind a frame for this node.
   Result: number of bytes taken. Cost of a relayed byte: 5 instructions. */
unsigned switch_bytes(struct switch_core *core, unsigned port,
                      const uint8_t *data, unsigned bytes);

/* Tells the switch that a byte was lost at a port (overrun). A byte with an
   error flag is not lost: pass it to switch_bytes(). */
void switch_line_error(struct switch_core *core, unsigned port);

/* Sets the time, us, which wraps. To be called before any call but
   switch_init(), and every millisecond or more often. */
void switch_set_time(struct switch_core *core, uint32_t now_us);

/* Whether switch_attend() has work at this port, now or later. *due_us: time of
   the work, us; may be past. Any other call may change this time. */
bool switch_is_due(const struct switch_core *core, unsigned port,
                   uint32_t *due_us);

/* Does the work that is due at this port. Cost: up to 7,000 instructions. */
void switch_attend(struct switch_core *core, unsigned port);

/* Sets the time and attends to all ports. A caller without a timer for
   switch_is_due() calls this every millisecond or more often. */
void switch_tick(struct switch_core *core, uint32_t now_us);

/* Sets *data to bytes to send at this port, valid until switch_taken(). Result:
   number of bytes; 0: none. More may be pending after switch_taken(). */
unsigned switch_pending(struct switch_core *core, unsigned port,
                        const uint8_t **data);

/* Tells the switch that the first `bytes` pending bytes went out. No kick()
   follows: call switch_pending() again. */
void switch_taken(struct switch_core *core, unsigned port, unsigned bytes);

/* Queues a message at the port of its path. An invalid message ends at once.
   Errors: ERR_NO_ROUTE: the path is invalid; ERR_RANGE: the kind is 0, the
   length is 2^32 bytes or more, or a peek has no `reply`. */
void switch_send(struct switch_core *core, struct switch_message *message);

/* Adds a receive to the end of the list. A message fills the first waiting
   receive for its port and kind. Precondition: the receive is not posted. */
void switch_post(struct switch_core *core, struct switch_receive *receive);

/* Takes back all receives that are not done: frees their circuits, and sets
   their `state` to SWITCH_IDLE. */
void switch_cancel(struct switch_core *core);

/* Sends a copy of 1 to SWITCH_TELL_BYTES bytes to the neighbour at this port,
   once and unacknowledged. Result: ERR_OK; ERR_RANGE: port or bytes is out of
   range; ERR_PORT_BUSY: try again later. */
NODISCARD int switch_tell(struct switch_core *core, unsigned port,
                          const uint8_t *data, unsigned bytes);

/* Frees all circuits, and sends RELEASE to their other nodes. Ends all messages
   with ERR_PORT_BUSY. Takes all receives back. Pending bytes still go out.
   Counters, sequence numbers and memory[] stay. */
void switch_reset(struct switch_core *core);

/* Whether no circuit holds a port of this node. */
bool switch_idle(const struct switch_core *core);

#endif
