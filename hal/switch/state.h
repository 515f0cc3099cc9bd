/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the switch (hal/switch/switch.h), its configuration, and its
   messages. */
#ifndef HAL_SWITCH_STATE_H
#define HAL_SWITCH_STATE_H

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

/* Whether a message or a receive is the caller's again: what the switch's
   interrupts left in it is read behind this, never before. The compiler may
   move reads of plain fields ahead of that of a volatile one; one core needs no
   more than its order. */
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
    uint32_t accepted_us; /* by the destination, the last time; queued_us if it
                             never was */
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
    struct switch_receive *next;
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
    /* Writes the answer to a peek of `bytes` bytes, the first
       SWITCH_QUESTION_BYTES of which are at `question` (zeros behind a shorter
       one): at most SWITCH_STATUS_BYTES to `out`. Result: how many. Called when
       all of the question has come and its check was right, for every answer
       that is sent, again and again if they are lost. May be NULL: none. */
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
    uint8_t mode; /* enum switch_mode: of what comes in */
    uint8_t code; /* the first byte of the frame that comes in */
    /* The circuit that holds the port. */
    uint8_t role;   /* enum switch_role */
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
    struct switch_receive *receive; /* those that are not done; NULL: none */
    struct switch_last last;
    struct switch_counters counters[SWITCH_PORTS];
    struct frame_reader reader[SWITCH_PORTS];
    struct switch_memory memory[SWITCH_REMEMBERED];
    uint8_t ring[SWITCH_PORTS][SWITCH_RING_BYTES];
};

#endif
