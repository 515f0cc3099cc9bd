/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the switch (hal/switch/switch.h), its configuration, and its
   messages. Times are on the clock of switch_set_time(): us, which wrap. */
#ifndef HAL_SWITCH_STATE_H
#define HAL_SWITCH_STATE_H

#include "hal/err.h"
#include "hal/switch/frame.h"
#include "torus/torus.h"

#define SWITCH_VERSION 2u
#define SWITCH_SEGMENTS 4u
#define SWITCH_PING 0xffu /* kind of a message that its destination drops */
#define SWITCH_PEEK 0xfeu /* kind of a message that status() answers */
#define SWITCH_STATUS_BYTES 64u  /* most bytes of the answer to a peek */
#define SWITCH_QUESTION_BYTES 8u /* first bytes of a peek, for status() */
#define SWITCH_PEEK_TRIES 12u    /* set-ups until a peek ends with an error */
#define SWITCH_DATA_BYTES 240u
#define SWITCH_TELL_BYTES 128u
#define SWITCH_RING_BYTES 2048u
#define SWITCH_WINDOW 7u       /* frames of a source that may be on the way */
#define SWITCH_TRIES 64u       /* set-ups without progress that end a message */
#define SWITCH_REMEMBERED 128u /* streams in memory[] of struct switch_core */
#define SWITCH_SLACK_US 5000u  /* default of slack_us, us */
#define SWITCH_PATIENCE_US 600000000u /* default of patience_us: 10 min */

/* States of a message and of a receive. */
enum switch_state {
    SWITCH_IDLE,
    SWITCH_QUEUED, /* message: waits for its next try; receive: for a message */
    SWITCH_ACTIVE, /* a circuit is being set up (message only), or is there */
    SWITCH_DONE
};

/* Whether the message or receive with this `state` belongs to the caller again.
   The barrier keeps the compiler from moving the caller's reads of plain fields
   ahead of the read of `state`, so these reads see all that the switch's
   interrupts wrote. One core needs no hardware barrier. */
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

/* A message to send. The caller sets the fields up to `reply`, then leaves the
   struct, the segments' bytes and the reply alone until switch_is_done(). */
struct switch_message {
    struct torus_path path; /* 1 <= hops, hops_after < 2^14 */
    uint8_t kind; /* 1 to 253: the caller's; SWITCH_PING; SWITCH_PEEK */
    struct switch_segment segment[SWITCH_SEGMENTS]; /* all bytes, in order */
    uint8_t *reply; /* peek: room for SWITCH_STATUS_BYTES; else NULL */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error;           /* enum err, when done */
    uint32_t sequence;      /* counts the messages of the source's node */
    uint32_t bytes;         /* length of the message: of all segments */
    uint32_t queued_us;     /* time of switch_send() */
    uint32_t accepted_us; /* time when a destination last accepted a circuit of
                             the message; until then queued_us */
    uint32_t done_us;     /* time when the message ended */
    uint32_t refused_us;  /* time of the first refused set-up, if `refused` */
    uint32_t top;         /* end of the bytes that went out at least once */
    uint8_t reply_bytes;
    uint8_t tries; /* set-ups in a row after which no byte was acknowledged;
                      refused set-ups count for a peek only */
    bool tried;    /* a set-up has gone out */
    bool refused;  /* no set-up was accepted since refused_us */
    struct switch_message *next; /* next message in the port's queue */
};

/* Identity of a message. A stream: all messages of one source and port. */
struct switch_id {
    uint32_t sequence; /* counts the messages of the source's node */
    uint16_t source;   /* number of the node that sends it */
    uint8_t port;      /* port of the source out of which it is sent */
};

/* A receive: room for one message. The caller leaves it and the buffer alone
   from switch_post() until switch_is_done() or switch_cancel(). */
struct switch_receive {
    uint8_t *buffer;
    uint32_t capacity_bytes;
    uint8_t ports; /* mask of the ports at which the message may come in */
    uint8_t kind;  /* kind of the message; 0: any but a ping or a peek */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error; /* ERR_OK; ERR_BUFFER: the message was longer than the buffer
                     and was dropped */
    uint8_t port; /* port at which the message came in */
    uint8_t delivered_kind;
    uint32_t bytes; /* length of the message */
    struct switch_id from;
    uint32_t offset; /* bytes in the buffer when the last circuit broke */
    struct switch_receive *next; /* the receive that was posted next */
};

/* Counters of one port, which wrap. Peeks that this node sends do not count. */
struct switch_counters {
    uint32_t sent_messages;     /* messages that were acknowledged */
    uint32_t sent_bytes;        /* bytes of sent_messages */
    uint32_t received_messages; /* messages that came in whole, also pings */
    uint32_t received_bytes;    /* bytes of received_messages */
    uint32_t relayed_circuits;  /* circuits that came in here and went on */
    uint32_t relayed_frames;    /* frames that came in here and went on */
    uint32_t refused;           /* set-ups that this node refused */
    uint32_t retries;           /* set-ups after the first of a message */
    uint32_t retransmitted;     /* times that this port sent bytes again */
    uint32_t damaged;  /* frames with a wrong check, type or length, and late
                          answers to an earlier try */
    uint32_t lost;     /* bytes lost on the line + frames without ring room */
    uint32_t stale;    /* frames dropped: no circuit, repeated, after a loss */
    uint32_t meetings; /* set-ups of a neighbour that gave way to this node's */
    uint32_t expired;  /* circuits that were held too long without a frame */
    uint32_t broken;   /* circuits that ended before their message did */
    uint32_t dead;     /* messages that ended with ERR_DEAD_LINK */
    uint32_t mended;   /* frames that parity corrected */
};

struct switch_config {
    uint16_t node; /* number of this node; may change while no port is held */
    uint32_t seed; /* seed of random waits and of the first sequence number;
                      should differ after every reset */
    uint32_t byte_ns;     /* time of a byte on the line, ns */
    uint32_t slack_us;    /* time by which nodes may answer late, us; 0:
                             SWITCH_SLACK_US */
    uint32_t patience_us; /* time for which a message may be refused, us, less
                             than 2^31; 0: SWITCH_PATIENCE_US */
    /* Says that bytes are pending at a port whose ring was empty. */
    void (*kick)(void *context, unsigned port);
    /* Takes the bytes of a NEIGHBOUR frame; `data` is valid during the call.
       NULL: NEIGHBOUR frames are dropped. */
    void (*neighbour)(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes);
    /* Writes the answer to a peek to `out`, at most SWITCH_STATUS_BYTES;
       result: the answer's length. `question` has the peek's first
       SWITCH_QUESTION_BYTES, filled up with zeros; `bytes` is the peek's
       length. Called when the peek has come in, and whenever DONE is repeated.
       NULL: empty answers. */
    unsigned (*status)(void *context, const uint8_t *question, uint32_t bytes,
                       uint8_t *out);
    void *context;
};

/* The last message, pings and peeks apart, that ended at this node. */
struct switch_last {
    uint32_t count; /* number of messages that ended so far; wraps */
    uint32_t bytes; /* length of the last message */
    uint8_t port;   /* port where the last message went out or came in */
    bool sent;      /* the last message went out; false: it came in */
    int8_t error;   /* enum err with which the last message ended */
};

/*
 * The queue of messages that go out of a port. The first message may have a
 * circuit, over which its bytes travel:
 *
 *   message  |--------------|=====================|.............|
 *            0              base                  next          bytes
 *             acknowledged   on the way            not sent in this round
 *
 * A round begins when the destination accepts a circuit, and each time that the
 * source goes back to `base`.
 */
struct switch_source {
    struct switch_message *first; /* first message of the queue; NULL: none */
    uint32_t until_us;    /* time limit of the answer; without a circuit: time
                             of the next try */
    uint32_t base;        /* bytes that are acknowledged */
    uint32_t next;        /* end of the bytes sent in this round */
    uint32_t timed;       /* end of the bytes whose answer is timed */
    uint32_t timed_us;    /* time when timed bytes, or the set-up, were sent */
    uint32_t late_us;     /* time that recent answers took, us */
    uint16_t frame_bytes; /* data of a frame, bytes; the last may have less */
    uint16_t vain_bytes;  /* bytes on the line that are dropped behind a loss */
    uint8_t attempt;      /* number of the last set-up; wraps */
    uint8_t round;        /* number of the round, modulo 16 */
    uint8_t timed_round;  /* round in which the timed bytes were sent */
    uint8_t backoff;      /* bound of the last random wait: the time of 32 bytes
                             times 2^backoff */
    uint8_t timeouts;     /* time limits in a row that passed on this circuit */
    uint8_t clean;        /* answers in a row that had no damage */
    bool complete;        /* the message's last byte was sent in this round */
    bool bad;             /* the line damages frames: new frames get parity */
    bool timing;          /* the answer to the timed bytes is still to come */
    bool yields;          /* goes after the neighbour, whose set-up gave way */
};

/* A message that comes in at a port. */
struct switch_destination {
    struct switch_id from;
    struct switch_receive *receive; /* NULL: the message is a ping or a peek,
                                       or was delivered before */
    uint32_t bytes;                 /* length of the message */
    uint32_t offset;                /* bytes that have come in */
    uint8_t kind;
    uint8_t round; /* round of the last DATA */
    bool done;     /* all bytes have come in, or are not wanted */
    uint8_t question[SWITCH_QUESTION_BYTES]; /* first bytes of a peek */
};

struct switch_port {
    uint8_t mode; /* enum switch_mode: use of the next byte that comes in */
    uint8_t code; /* stuffing code (frame.h) with which the frame began */
    /* The circuit that holds the port, or held the port last. */
    uint8_t role;   /* enum switch_role */
    uint8_t peer;   /* the other port of a relay */
    bool onward;    /* relay: the set-up went out here; false: it came in */
    bool answered;  /* relay, source: an answer to the set-up has come */
    uint8_t parity; /* FRAME_PARITY if this node's frames have parity, or 0 */
    /* Free-running indices of the ring of bytes that go out. */
    uint32_t written;
    uint32_t taken;
    uint32_t tag;         /* number from which the CRC of answers starts */
    uint32_t message_tag; /* number from which the CRC of DATA starts */
    uint32_t active_us;   /* time of the circuit's last frame */
    uint32_t hold_us;     /* silence after which a hop frees the circuit, us */
    struct switch_source source;
    struct switch_destination destination;
    uint32_t heard;    /* tag of the last set-up with parity that came in */
    uint32_t spare[4]; /* pad the struct to 128 bytes on a board, so that the
                          address of port[i] takes a shift */
};

/* The last delivered message of a stream. */
struct switch_memory {
    struct switch_id from;
    uint16_t heard; /* value of core->heard at the delivery */
};

/* The switch of one node. Small fields come first: offsets stay short. */
struct switch_core {
    struct switch_port port[TORUS_PORTS];
    struct switch_config config;
    uint32_t now_us;
    uint32_t random;     /* state of switch_random(); never 0 */
    uint32_t sequence;   /* sequence of the last message that was queued */
    uint16_t heard;      /* number of deliveries; wraps */
    uint16_t remembered; /* entries of memory[] that are in use */
    uint8_t kicks;       /* mask of the ports whose kick() is still due */
    struct switch_receive *receive; /* first receive not done; NULL: none */
    struct switch_last last;
    struct switch_counters counters[TORUS_PORTS];
    struct frame_reader reader[TORUS_PORTS];
    struct switch_memory memory[SWITCH_REMEMBERED];
    uint8_t ring[TORUS_PORTS][SWITCH_RING_BYTES];
};

#endif
