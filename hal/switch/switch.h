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
 * The check of SETUP and NEIGHBOUR covers the frame; it begins with the number
 * SWITCH_VERSION, so that those of another version are damaged ones here. That
 * of ACK, AGAIN, DONE and RELEASE continues from the CRC of bytes 1 to 8 of the
 * set-up: an answer to an earlier try is no answer. That of DATA continues from
 * the CRC of bytes 2 to 13 over the offset (u32), the type and the bytes. DATA,
 * ACK, AGAIN and DONE are relayed without a look at more than their first two
 * bytes.
 *
 * The first ACK accepts the circuit and says where to go on: a message whose
 * circuit broke is resumed. Frames are lost and damaged: the destination asks
 * AGAIN, the source goes back, with frames half as long; and if nothing comes
 * in time. At most SWITCH_WINDOW frames are on the way, so that they fit into
 * the ring of any relay: that is the back-pressure. Fewer where they are
 * short, as all behind a damaged one are lost.
 *
 * A line is a bad one after damage: then what this node sends over it has
 * parity, by which four bytes of a frame are put right where it is read, DATA
 * are short, and of what is waited for and short (SETUP, RELEASE, DONE, AGAIN,
 * the first ACK) two go out. NEIGHBOUR always has parity. Answers are like what
 * they answer. The line is a good one again after 32 answers that came whole.
 *
 * Nothing waits while it holds links. A hop whose way is held, and a
 * destination that has no receive posted for the message, refuse; the source
 * tries again after a random time, which doubles up to 64 times 32 bytes'
 * time. Of two set-ups that meet on one link that one wins which goes out to
 * the east or north. A set-up over a link that is held says that the neighbour
 * has forgotten what held it.
 *
 * Bounds. An answer may be late by slack_us, and the time of 256 bytes and of
 * 128 for every hop. It is waited for twice as long as the last ones took, at
 * least a 32nd of that bound, and twice as long every second time that it did
 * not come, up to the bound. A circuit without frames is freed by every hop
 * after twice the bound and the time of SWITCH_RING_BYTES, at most 32 s. A
 * message ends with ERR_DEAD_LINK after SWITCH_TRIES set-ups that nobody
 * answered (and circuits that broke) without a byte of progress; with
 * ERR_PORT_BUSY if it was refused for patience_us.
 *
 * Exactly once: a destination knows the last message of each port of each
 * source, of the SWITCH_REMEMBERED that it heard last; a message whose DONE was
 * lost is not taken again. A message that ends with an error may have been
 * delivered or not.
 *
 * A peek is a message that any node answers from its interrupts, whatever its
 * program does: with what the configuration's status() says. Its first bytes,
 * SWITCH_QUESTION_BYTES at most, say what is asked for. status() may be called
 * several times for one question: it must not matter. A peek goes ahead of
 * messages of its port that wait for their next try, and ends after
 * SWITCH_PEEK_TRIES set-ups: with ERR_PORT_BUSY if the last was refused.
 *
 * Memory: struct switch_core, 11.4 KiB. Stack: below 400 bytes and what the
 * caller's functions take. Longest call: an answer comes and two frames of 240
 * bytes are made, some 12,800 instructions, or on a bad line a frame is put
 * right, 25,500 (test/bench/relay.py); so bytes should come in through a queue
 * where four lines are fast.
 *
 * The caller serialises all calls: it masks the interrupts from which it calls
 * switch_byte(), or calls all from one. kick() and neighbour() are called from
 * within and may call switch_pending(), switch_taken() and switch_tell(), and
 * nothing else.
 */
#ifndef HAL_SWITCH_SWITCH_H
#define HAL_SWITCH_SWITCH_H

#include "hal/err.h"
#include "hal/switch/frame.h"
#include "torus/torus.h"

#define SWITCH_VERSION 2u
#define SWITCH_PORTS 4u
#define SWITCH_SEGMENTS 4u
#define SWITCH_PING 0xffu /* a kind: the destination swallows it, unasked */
#define SWITCH_PEEK 0xfeu /* likewise, and answers with its status */
#define SWITCH_STATUS_BYTES 64u
#define SWITCH_QUESTION_BYTES 8u /* of a peek, that are looked at */
#define SWITCH_PEEK_TRIES 12u
#define SWITCH_DATA_BYTES 240u
#define SWITCH_TELL_BYTES 128u
#define SWITCH_RING_BYTES 2048u
#define SWITCH_WINDOW 7u /* frames as long as the next, on the way */
#define SWITCH_TRIES 64u
#define SWITCH_REMEMBERED 128u
#define SWITCH_SLACK_US 5000u         /* if the configuration says 0 */
#define SWITCH_PATIENCE_US 600000000u /* likewise: 10 minutes */

enum switch_state {
    SWITCH_IDLE,
    SWITCH_QUEUED, /* waits for its turn, its next try, a message */
    SWITCH_ACTIVE, /* a circuit was asked for, or is there */
    SWITCH_DONE
};

struct switch_segment {
    const uint8_t *data; /* may be NULL if bytes is 0 */
    uint32_t bytes;
};

/*
 * A message to send. The caller's, who sets the first part and leaves all of
 * it, and the bytes, alone until state is SWITCH_DONE.
 */
struct switch_message {
    struct torus_path path; /* 1 <= hops, hops_after < 2^14 */
    uint8_t kind; /* 1 to 253, the caller's; SWITCH_PING, SWITCH_PEEK */
    struct switch_segment segment[SWITCH_SEGMENTS]; /* one after the other */
    uint8_t *reply; /* room for SWITCH_STATUS_BYTES; NULL unless it is a peek */

    /* The switch's. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error;           /* enum err, when done */
    uint32_t sequence;
    uint32_t bytes;       /* of all segments */
    uint32_t queued_us;   /* as of the last switch_tick() before it */
    uint32_t accepted_us; /* by the destination, the last time */
    uint32_t done_us;
    uint32_t refused_us; /* since when it is being refused */
    uint32_t top;        /* the most bytes that were ever sent */
    uint8_t reply_bytes;
    uint8_t tries; /* without an answer, one after the other */
    bool tried;
    bool refused;
    struct switch_message *next;
};

/* Where a message comes from. */
struct switch_id {
    uint32_t sequence;
    uint16_t source;
    uint8_t port; /* of the source */
};

/*
 * A receive: of one message. The caller's, who leaves it and the buffer alone
 * from switch_post() until state is SWITCH_DONE, or switch_cancel().
 */
struct switch_receive {
    uint8_t *buffer;
    uint32_t capacity_bytes;
    uint8_t ports; /* mask: of ports at which it may come in */
    uint8_t kind;  /* only this one; 0: any of the callers' */

    /* The switch's. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error; /* ERR_OK, or ERR_BUFFER: `bytes` did not fit; it is gone */
    uint8_t port; /* at which it came in */
    uint8_t delivered_kind;
    uint32_t bytes; /* of the message */
    struct switch_id from;
    uint32_t offset; /* what is there of it */
};

/* Of one port; they wrap. A peek's source counts none of what it sends. */
struct switch_counters {
    uint32_t sent_messages; /* that were acknowledged, and their bytes */
    uint32_t sent_bytes;
    uint32_t received_messages; /* that were delivered (or pings) */
    uint32_t received_bytes;
    uint32_t relayed_circuits; /* that came in at this port */
    uint32_t relayed_frames;   /* likewise */
    uint32_t refused;          /* set-ups that this node refused */
    uint32_t retries;          /* set-ups after a message's first */
    uint32_t retransmitted;    /* times that a source went back */
    uint32_t damaged;  /* frames: check, type or length are wrong, or a late
                          answer to an earlier try */
    uint32_t lost;     /* switch_line_error(), and frames for a full ring */
    uint32_t stale;    /* frames of no circuit, twice, or after a gap */
    uint32_t meetings; /* set-ups that met one of ours, and gave way */
    uint32_t expired;  /* circuits held too long without a frame */
    uint32_t broken;   /* circuits that ended before their message */
    uint32_t dead;     /* messages that ended with ERR_DEAD_LINK */
    uint32_t mended;   /* frames that had damage and were put right */
};

struct switch_config {
    uint16_t node; /* tells sources apart; may change while all is idle */
    uint32_t seed; /* of back-off and first sequence: best another each time */
    uint32_t byte_ns;     /* on the line: sets the time limits */
    uint32_t slack_us;    /* by how much a node may be late; 0: 5 ms */
    uint32_t patience_us; /* how long to be refused, < 2^31; 0: 10 minutes */
    /* There is something to send, where before there was nothing. */
    void (*kick)(void *context, unsigned port);
    /* A NEIGHBOUR frame came; `data` lasts until the return. May be NULL. */
    void (*neighbour)(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes);
    /* What a peek of `bytes` bytes gets, the first SWITCH_QUESTION_BYTES of
       which are at `question` (zeros behind a shorter one): at most
       SWITCH_STATUS_BYTES at `out`. Result: how many. Called when all of the
       question has come and its check was right, for every answer that is
       sent, again and again if they are lost. May be NULL: none. */
    unsigned (*status)(void *context, const uint8_t *question, uint32_t bytes,
                       uint8_t *out);
    void *context;
};

/* The last message, no ping and no peek, that ended here. */
struct switch_last {
    uint32_t count; /* of them, ever; wraps */
    uint32_t bytes;
    uint8_t port;
    bool sent; /* from here; else it came in */
    int8_t error;
    uint8_t kind;
};

/* A port's message that is on the way. */
struct switch_source {
    struct switch_message *first; /* the queue; NULL: empty */
    struct switch_message *last;
    uint32_t until_us; /* when to try again, or to stop waiting */
    uint32_t base;     /* acknowledged bytes */
    uint32_t next;     /* sent bytes */
    uint32_t timed;    /* acknowledged, they tell how long an answer takes; */
    uint32_t timed_us; /* that is when they were sent, or the set-up */
    uint32_t late_us;  /* how long answers take */
    uint16_t frame_bytes;
    uint16_t vain_bytes; /* that are on the way before those to wait for */
    uint8_t attempt;
    uint8_t round;
    uint8_t timed_round; /* in which `timed` was sent first */
    uint8_t backoff;
    uint8_t timeouts; /* of this circuit, without progress */
    uint8_t clean;    /* answers, one after the other, that had come whole */
    bool complete;    /* all of it was sent in this round */
    bool bad;         /* the line: frames have parity */
    bool timing;      /* `timed` bytes have not been acknowledged yet */
    bool yields;      /* the neighbour gave way, and is to be next */
};

/* A message that comes in at a port. */
struct switch_destination {
    struct switch_id from;
    struct switch_receive *receive; /* NULL: a ping or peek */
    uint32_t bytes;
    uint32_t offset;
    uint8_t kind;
    uint8_t round; /* of the last frame */
    bool done;
    uint8_t question[SWITCH_QUESTION_BYTES]; /* a peek's first bytes */
};

struct switch_port {
    uint8_t mode; /* enum part_mode: of what comes in */
    uint8_t code; /* the first byte of the frame that comes in */
    /* The circuit that holds the port. */
    uint8_t role;   /* enum part_role */
    uint8_t peer;   /* a relay's other port */
    bool onward;    /* a relay's set-up went out here */
    bool answered;  /* and was answered; likewise a source's */
    uint8_t parity; /* FRAME_PARITY: what this node says has it; else 0 */
    /* The ring of what goes out, in order: free-running indices. */
    uint32_t written;
    uint32_t taken;
    uint32_t tag;         /* where the CRC of the circuit's answers begins */
    uint32_t message_tag; /* and that of its data */
    uint32_t active_us;   /* its last frame */
    uint32_t hold_us;
    struct switch_source source;
    struct switch_destination destination;
    uint32_t heard;    /* tag of the last set-up with parity */
    uint32_t spare[3]; /* 128 bytes on the board: an index is a shift */
};

/* The last message of a port of a source. */
struct switch_memory {
    struct switch_id from;
    uint16_t heard; /* when: counts deliveries */
};

/* Small things first: their offsets make the code short. */
struct switch_core {
    struct switch_port port[SWITCH_PORTS];
    struct switch_config config;
    uint32_t now_us;
    uint32_t random;
    uint32_t sequence;
    uint16_t heard;
    uint16_t remembered;
    uint8_t kicks; /* mask: of ports to kick before the return */
    struct switch_receive *receive;
    struct switch_last last;
    struct switch_counters counters[SWITCH_PORTS];
    struct frame_reader reader[SWITCH_PORTS];
    struct switch_memory memory[SWITCH_REMEMBERED];
    uint8_t ring[SWITCH_PORTS][SWITCH_RING_BYTES];
};

/* Everything idle, counters 0. The configuration is copied. switch_tick() comes
   before anything else: until then it is time 0. */
void switch_init(struct switch_core *core, const struct switch_config *config);

/*
 * A byte came in. 26 instructions where it is relayed, but for the first two
 * of a frame; with switch_pending() and switch_taken() 54 from line to line
 * (Cortex-M4, -Os), besides what kick() does.
 */
void switch_byte(struct switch_core *core, unsigned port, uint8_t byte);

/*
 * The same for bytes that came in one behind the other, at a fraction of the
 * cost: what is relayed is copied, 5 instructions a byte. Result: how many were
 * taken, at least one: all, or those up to the end of a frame that was for this
 * node, so that other ports need not wait for more than one frame.
 */
unsigned switch_bytes(struct switch_core *core, unsigned port,
                      const uint8_t *data, unsigned bytes);

/* A byte was lost on the line (overrun). What may be wrong is a byte: that it
   came at all is worth more than the doubt, which checks and parity settle. */
void switch_line_error(struct switch_core *core, unsigned port);

/*
 * It is now_us, which wraps: to be said before any other call, as exactly as
 * times in struct switch_message are wanted; at least every millisecond.
 */
void switch_set_time(struct switch_core *core, uint32_t now_us);

/*
 * Whether something is to be done at this port at a certain time, and when:
 * *due_us, which may have passed. It changes with every other call.
 */
bool switch_is_due(const struct switch_core *core, unsigned port,
                   uint32_t *due_us);

/* Does what is due at this port. May make the frames of a window: 7,000
   instructions. */
void switch_attend(struct switch_core *core, unsigned port);

/* Both for all ports: for a caller who has no timer for what is due, at least
   every millisecond. */
void switch_tick(struct switch_core *core, uint32_t now_us);

/*
 * What is to go out next on this port: its length, and *data, which stay until
 * switch_taken(); 0: nothing now. There may be more behind it.
 */
unsigned switch_pending(struct switch_core *core, unsigned port,
                        const uint8_t **data);

/*
 * The first `bytes` of what is pending went out. There may be more now, without
 * a kick: ask again. Makes the next frame of a message, where one is due: some
 * 20 instructions for each of its bytes.
 */
void switch_taken(struct switch_core *core, unsigned port, unsigned bytes);

/*
 * Queues a message at its path's port, behind others there. It is done at once
 * with ERR_NO_ROUTE if the path is none, with ERR_RANGE if the kind is 0, the
 * segments have 2^32 bytes or more, or a peek has no room for its reply.
 */
void switch_send(struct switch_core *core, struct switch_message *message);

/* Posts a receive. Precondition: there is none that is not done. */
void switch_post(struct switch_core *core, struct switch_receive *receive);

/* Takes the posted receive back, if there is one; its state becomes IDLE. */
void switch_cancel(struct switch_core *core);

/*
 * Sends 1 to SWITCH_TELL_BYTES bytes to the neighbour at this port, once and
 * unacknowledged, also beside a circuit; they are copied. Result: 0;
 * ERR_PORT_BUSY (in the middle of a relayed frame, or the ring is full: later
 * it will do), ERR_RANGE.
 */
int switch_tell(struct switch_core *core, unsigned port, const uint8_t *data,
                unsigned bytes);

/*
 * Frees all circuits, with a RELEASE to all whom they concern; ends all
 * messages with ERR_PORT_BUSY; takes the receive back. What is pending goes
 * out still. Counters, sequences and what was delivered stay.
 */
void switch_reset(struct switch_core *core);

/* Whether no circuit holds a port of this node. */
bool switch_idle(const struct switch_core *core);

#endif
