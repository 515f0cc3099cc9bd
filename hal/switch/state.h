/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the switch (hal/switch/switch.h), its configuration, and its
   messages. Times are of switch_set_time(), us, and wrap. */
#ifndef HAL_SWITCH_STATE_H
#define HAL_SWITCH_STATE_H

#include "hal/err.h"
#include "hal/switch/frame.h"
#include "torus/torus.h"

#define SWITCH_VERSION 2u
#define SWITCH_SEGMENTS 4u
#define SWITCH_PING                                                            \
    0xffu                 /* a kind: its message needs no receive and is gone  \
                           */
#define SWITCH_PEEK 0xfeu /* a kind: a ping that is answered with a status */
#define SWITCH_STATUS_BYTES 64u /* at most, of the answer to a peek */
#define SWITCH_QUESTION_BYTES                                                  \
    8u /* of a peek's message, that say what it asks */
#define SWITCH_PEEK_TRIES 12u
#define SWITCH_DATA_BYTES 240u
#define SWITCH_TELL_BYTES 128u
#define SWITCH_RING_BYTES 2048u
#define SWITCH_WINDOW 7u /* frames of a source that may be on the way */
#define SWITCH_TRIES 64u
#define SWITCH_REMEMBERED 128u /* streams whose last message is known */
#define SWITCH_SLACK_US 5000u  /* slack_us if the configuration says 0 */
#define SWITCH_PATIENCE_US                                                     \
    600000000u /* patience_us if it says 0: 10 minutes                         \
                */

enum switch_state {
    SWITCH_IDLE,
    SWITCH_QUEUED, /* a message waits for its next try, a receive for one */
    SWITCH_ACTIVE, /* a circuit for it was asked for, or is there */
    SWITCH_DONE
};

/* Whether a message or a receive belongs to the caller again, whose `state` is
   given. Reads that follow see all that the switch's interrupts wrote: without
   the barrier a compiler may move reads of plain fields ahead of the volatile
   one. One core needs no more. */
static inline bool switch_is_done(const volatile uint8_t *state)
{
    bool done = *state == SWITCH_DONE;

    __asm volatile("" ::: "memory");
    return done;
}

struct switch_segment {
    const uint8_t *data; /* may be NULL if bytes is 0 */
    uint32_t bytes;
};

/*
 * A message to send. The caller sets the first part, then leaves the struct and
 * the bytes that it names alone until switch_is_done().
 */
struct switch_message {
    struct torus_path path; /* 1 <= hops, hops_after < 2^14 */
    uint8_t kind; /* 1 to 253, the caller's; SWITCH_PING, SWITCH_PEEK */
    struct switch_segment segment[SWITCH_SEGMENTS]; /* one after the other */
    uint8_t *reply; /* room for SWITCH_STATUS_BYTES; NULL unless it is a peek */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error;           /* enum err, when done */
    uint32_t sequence;      /* number of the message at its source */
    uint32_t bytes;         /* of all segments */
    uint32_t queued_us;
    uint32_t accepted_us; /* last time that the destination accepted a circuit;
                             queued_us before the first */
    uint32_t done_us;
    uint32_t refused_us; /* time of the first of the refusals in a row */
    uint32_t top;        /* end of the bytes that went out on any circuit */
    uint8_t reply_bytes;
    uint8_t tries; /* set-ups in a row that brought nothing; of a peek, refused
                      ones too */
    bool tried;    /* a set-up went out */
    bool refused;  /* no circuit was accepted since refused_us */
    struct switch_message *next; /* in the port's queue */
};

/* What tells a message from all others. Messages of one source and port are a
   stream, in which they come one after the other. */
struct switch_id {
    uint32_t sequence; /* number of the message at its source */
    uint16_t source;   /* number of the node that sends it */
    uint8_t port;      /* of the source */
};

/*
 * A receive: room for one message. The caller leaves it and the buffer alone
 * from switch_post() until switch_is_done() or switch_cancel().
 */
struct switch_receive {
    uint8_t *buffer;
    uint32_t capacity_bytes;
    uint8_t ports; /* mask of the ports at which the message may come in */
    uint8_t kind;  /* of the message; 0: any but a ping or a peek */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error; /* ERR_OK, or ERR_BUFFER: the message was too long, is gone */
    uint8_t port; /* at which the message came in */
    uint8_t delivered_kind;
    uint32_t bytes; /* of the message */
    struct switch_id from;
    uint32_t offset; /* bytes that are in the buffer, while no circuit is */
    struct switch_receive *next; /* posted later */
};

/* Counters of one port, which wrap. Of the peeks that a node sends they count
   nothing. */
struct switch_counters {
    uint32_t sent_messages;     /* messages that were acknowledged */
    uint32_t sent_bytes;        /* bytes of these */
    uint32_t received_messages; /* messages that were delivered, and pings */
    uint32_t received_bytes;    /* bytes of these */
    uint32_t relayed_circuits;  /* circuits that came in here and went on */
    uint32_t relayed_frames;    /* frames that came in here and went on */
    uint32_t refused;           /* set-ups that this node refused */
    uint32_t retries;           /* set-ups after the first of a message */
    uint32_t retransmitted;     /* times that a source went back */
    uint32_t damaged;  /* frames with a wrong check, type or length, and late
                          answers to an earlier try */
    uint32_t lost;     /* calls of switch_line_error(), frames without room */
    uint32_t stale;    /* frames of no circuit, repeated, or behind a gap */
    uint32_t meetings; /* set-ups that gave way to one of this node */
    uint32_t expired;  /* circuits that were held too long without a frame */
    uint32_t broken;   /* circuits that ended before their message did */
    uint32_t dead;     /* messages that ended with ERR_DEAD_LINK */
    uint32_t mended;   /* frames whose damage was put right */
};

struct switch_config {
    uint16_t node; /* number of this node; may change while all is idle */
    uint32_t seed; /* of random waits and the first sequence: best another after
                      every reset */
    uint32_t byte_ns;  /* time of a byte on the line */
    uint32_t slack_us; /* by how much a node may be late; 0: SWITCH_SLACK_US */
    uint32_t patience_us; /* how long a message may be refused, less than 2^31;
                             0: SWITCH_PATIENCE_US */
    /* Bytes wait at a port whose ring was empty. */
    void (*kick)(void *context, unsigned port);
    /* A NEIGHBOUR frame came; `data` lasts until the return. May be NULL. */
    void (*neighbour)(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes);
    /* Writes the answer to a peek to `out`, SWITCH_STATUS_BYTES at most.
       Result: its length. `question` has the first SWITCH_QUESTION_BYTES of the
       peek's `bytes`, zeros behind a shorter one. Called once all of the peek
       has come, for every answer that is sent: again if one is lost. NULL:
       answers are empty. */
    unsigned (*status)(void *context, const uint8_t *question, uint32_t bytes,
                       uint8_t *out);
    void *context;
};

/* The last message, no ping and no peek, that ended at this node. */
struct switch_last {
    uint32_t count; /* messages that ended so far; wraps */
    uint32_t bytes;
    uint8_t port;
    bool sent; /* it went out; else it came in */
    int8_t error;
    uint8_t kind;
};

/*
 * The messages that go out of a port; the first of them may have a circuit.
 *
 *   message  |--------------|=====================|.............|
 *            0              base                  next          bytes
 *             acknowledged   on the way            not sent in this round
 */
struct switch_source {
    struct switch_message *first; /* of the queue; NULL: it is empty */
    struct switch_message *last;
    uint32_t until_us; /* time limit of the answer; without a circuit, time of
                          the next try */
    uint32_t base;     /* place behind the last acknowledged byte */
    uint32_t next;     /* place behind the last byte sent in this round */
    uint32_t timed;    /* end of the frame whose answer is timed */
    uint32_t timed_us; /* time when that frame, or the set-up, was made */
    uint32_t late_us;  /* time that answers take lately */
    uint16_t frame_bytes; /* data of the next frame, unless the message ends */
    uint16_t vain_bytes;  /* bytes on the line that the destination will pass
                             over, since it asked for earlier ones */
    uint8_t attempt;      /* number of the last set-up; wraps */
    uint8_t round; /* number modulo 16: an accepted circuit begins one, and
                      so does going back */
    uint8_t timed_round; /* round in which the timed frame was sent */
    uint8_t backoff;     /* the next random wait has up to 2^backoff units */
    uint8_t timeouts;    /* time limits in a row that passed on this circuit */
    uint8_t clean;       /* answers in a row that had no damage */
    bool complete;       /* the last byte was sent in this round */
    bool bad;            /* the line damages frames: they get parity */
    bool timing;         /* the timed frame has no answer yet */
    bool yields;         /* the neighbour gave way, and goes next */
};

/* A message that comes in at a port. */
struct switch_destination {
    struct switch_id from;
    struct switch_receive *receive; /* NULL: ping, peek, or had before */
    uint32_t bytes;                 /* of the message */
    uint32_t offset;                /* bytes that have come */
    uint8_t kind;
    uint8_t round; /* of the last frame */
    bool done;     /* all bytes have come, or there is no room for them */
    uint8_t question[SWITCH_QUESTION_BYTES]; /* first bytes of a peek */
};

struct switch_port {
    uint8_t mode; /* enum switch_mode: use of the next byte that comes in */
    uint8_t code; /* first byte of the frame that comes in */
    /* The circuit that holds the port. */
    uint8_t role;   /* enum switch_role */
    uint8_t peer;   /* the other port of a relay */
    bool onward;    /* relay: the set-up went out here */
    bool answered;  /* relay, source: an answer to the set-up has come */
    uint8_t parity; /* FRAME_PARITY if this node's frames on it have parity */
    /* The ring of bytes that go out: free-running indices. */
    uint32_t written;
    uint32_t taken;
    uint32_t tag; /* from which the CRC of the circuit's answers starts */
    uint32_t message_tag; /* from which the CRC of its data starts */
    uint32_t active_us;   /* time of its last frame */
    uint32_t hold_us;     /* silence after which a hop frees it */
    struct switch_source source;
    struct switch_destination destination;
    uint32_t heard;    /* tag of the last set-up with parity */
    uint32_t spare[3]; /* 128 bytes on the board: an index is a shift */
};

/* The last message of a stream that was delivered here. */
struct switch_memory {
    struct switch_id from;
    uint16_t heard; /* value of core->heard at its delivery */
};

/* Small fields come first: short offsets make short code. */
struct switch_core {
    struct switch_port port[TORUS_PORTS];
    struct switch_config config;
    uint32_t now_us;
    uint32_t random;     /* state of switch_random(); never 0 */
    uint32_t sequence;   /* of the last message that was queued */
    uint16_t heard;      /* number of deliveries; wraps */
    uint16_t remembered; /* places of `memory` that are in use */
    uint8_t kicks;       /* mask of the ports to kick before the return */
    struct switch_receive *receive; /* the posted ones that are not done */
    struct switch_last last;
    struct switch_counters counters[TORUS_PORTS];
    struct frame_reader reader[TORUS_PORTS];
    struct switch_memory memory[SWITCH_REMEMBERED];
    uint8_t ring[TORUS_PORTS][SWITCH_RING_BYTES];
};

#endif
