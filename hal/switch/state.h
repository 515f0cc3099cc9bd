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
#define SWITCH_PING 0xffu        /* kind of a ping: a message to be dropped */
#define SWITCH_PEEK 0xfeu        /* kind of a message answered by status() */
#define SWITCH_STATUS_BYTES 64u  /* most bytes of the answer to a peek */
#define SWITCH_QUESTION_BYTES 8u /* first bytes of a peek, for status() */
#define SWITCH_PEEK_TRIES 12u    /* most set-ups of a peek, which then fails */
#define SWITCH_DATA_BYTES 240u
#define SWITCH_TELL_BYTES 128u
#define SWITCH_RING_BYTES 2048u
#define SWITCH_WINDOW 7u       /* most frames that a source has on the way */
#define SWITCH_TRIES 12u       /* failed set-ups in a row that end a message */
#define SWITCH_VAIN_US 500000u /* ... if they took this time, us, or more */
#define SWITCH_REMEMBERED 128u /* streams in memory[] of struct switch_core */
#define SWITCH_SLACK_US 5000u  /* default of slack_us, us */
#define SWITCH_PATIENCE_US 600000000u /* default of patience_us, us: 10 min */

/* States of a message and of a receive. */
enum switch_state {
    SWITCH_IDLE,
    SWITCH_QUEUED, /* message waits for a set-up, or receive for a message */
    SWITCH_ACTIVE, /* message has, or sets up, a circuit; or receive fills */
    SWITCH_DONE
};

/* Whether the message or receive with this `state` belongs to the caller again.
   The barrier keeps the caller's later reads behind this read. */
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
    struct torus_path path; /* 1 <= hops < 2^14; after a turn, hops_after too */
    uint8_t kind; /* 1 to 253: a kind of the caller; SWITCH_PING; SWITCH_PEEK */
    struct switch_segment segment[SWITCH_SEGMENTS]; /* bytes of the message */
    uint8_t *reply; /* peek: buffer of SWITCH_STATUS_BYTES for the answer */
    uint8_t aside;  /* 0 to 3: added to the port at which the message comes in,
                       for receives to see; other than 0 if its way is another
                       than the receiver expects */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error;           /* enum err; valid when `state` is SWITCH_DONE */
    uint32_t sequence;      /* number of the message at its source's node */
    uint32_t bytes;         /* length of the message, all segments together */
    uint32_t queued_us;     /* time of switch_send() */
    uint32_t accepted_us; /* time of the last accepted set-up; else queued_us */
    uint32_t done_us;     /* time when the message ended */
    uint32_t refused_us;  /* time of the first refusal, if `refused` */
    uint32_t vain_us;     /* time of the first failed set-up, if `tries` */
    uint32_t top;         /* number of bytes sent at least once */
    uint8_t reply_bytes;
    uint8_t tries; /* failed set-ups in a row without progress */
    bool tried;    /* a set-up of the message has gone out */
    bool refused;  /* a set-up was refused, and none accepted since */
    struct switch_message *next; /* next in the port's queue; NULL: none */
};

/* Identity of a message. All messages of one source and port are a stream. */
struct switch_id {
    uint32_t sequence; /* number of the message at its source's node */
    uint16_t source;   /* number of the node that sends the message */
    uint8_t port;      /* port of that node where the message goes out */
};

/* A receive: room for one message. The caller leaves the struct and the buffer
   alone from switch_post() until switch_is_done() or switch_cancel(). */
struct switch_receive {
    uint8_t *buffer;
    uint32_t capacity_bytes;
    uint8_t ports; /* bit n: the message may come in at port n */
    uint8_t kind;  /* kind of the message; 0: any but a ping or a peek */

    /* The switch writes these. */
    volatile uint8_t state; /* enum switch_state */
    int8_t error; /* ERR_OK; ERR_BUFFER: message too long for the buffer */
    uint8_t port; /* port at which the message came in */
    uint8_t delivered_kind;
    uint32_t bytes; /* length of the message */
    struct switch_id from;
    uint32_t offset; /* bytes that had come in when the last circuit broke */
    struct switch_receive *next; /* posted after this one; NULL: none */
};

/* Counters of one port, which wrap. Peeks that this node sends do not count. */
struct switch_counters {
    uint32_t sent_messages;     /* messages that were acknowledged */
    uint32_t sent_bytes;        /* bytes of acknowledged messages */
    uint32_t received_messages; /* messages that came in whole, pings too */
    uint32_t received_bytes;    /* bytes of messages that came in whole */
    uint32_t relayed_circuits;  /* relayed circuits whose set-up came in here */
    uint32_t relayed_frames;    /* frames that came in here and went on */
    uint32_t refused;           /* set-ups that this node refused */
    uint32_t retries;           /* repeated set-ups of messages */
    uint32_t retransmitted; /* times that a source went back to send again */
    uint32_t damaged;       /* frames with a wrong CRC, type or length */
    uint32_t lost;  /* bytes lost on the line, and frames lost to full rings */
    uint32_t stale; /* frames dropped: no circuit, repeated, or behind a loss */
    uint32_t meetings; /* set-ups that came in and lost a meeting */
    uint32_t expired;  /* circuits freed because no frame came for too long */
    uint32_t broken;   /* circuits that broke before the message was done */
    uint32_t dead;     /* messages that ended with ERR_DEAD_LINK */
    uint32_t mended;   /* frames that parity corrected */
};

struct switch_config {
    uint16_t node; /* number of this node; may change while no port is held */
    uint32_t seed; /* seed of random numbers; should differ after each reset */
    uint32_t byte_ns;     /* time that a byte takes on a line, ns */
    uint32_t slack_us;    /* longest delay of a node, us; 0: SWITCH_SLACK_US */
    uint32_t patience_us; /* a message ends after this time of refusals, us,
                             below 2^31; 0: SWITCH_PATIENCE_US */
    /* Called when the empty ring of a port gets bytes: they are to be sent. */
    void (*kick)(void *context, unsigned port);
    /* Takes the bytes of a NEIGHBOUR frame; `data` is valid during the call.
       NULL: NEIGHBOUR frames are dropped. */
    void (*neighbour)(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes);
    /* Writes the answer to a peek to `out`: at most SWITCH_STATUS_BYTES.
       Result: length of the answer. question: first SWITCH_QUESTION_BYTES of
       the peek, filled up with zeros. bytes: length of the peek. A peek may be
       answered again. NULL: answers are empty. */
    unsigned (*status)(void *context, const uint8_t *question, uint32_t bytes,
                       uint8_t *out);
    void *context;
};

/* The last message that ended at this node; pings and peeks do not count. */
struct switch_last {
    uint32_t count; /* number of messages that ended so far; wraps */
    uint32_t bytes; /* length of the last message, bytes */
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
 * A round of sending begins when the destination accepts a circuit, and each
 * time that the source goes back to send from `base` again.
 */
struct switch_source {
    struct switch_message *first; /* first message of the queue; NULL: none */
    uint32_t until_us;    /* end of the wait for an answer or the next set-up */
    uint32_t base;        /* number of acknowledged bytes */
    uint32_t next;        /* offset of the next byte to send in this round */
    uint32_t timed;       /* least offset of the answer that is timed */
    uint32_t timed_us;    /* time when the timed bytes or the set-up went out */
    uint32_t late_us;     /* estimated time until an answer comes, us */
    uint16_t frame_bytes; /* data in each DATA frame but the last, bytes */
    uint16_t vain_bytes;  /* bytes on the line that the other end will drop */
    uint8_t attempt;      /* number of set-ups sent out of the port; wraps */
    uint8_t round;        /* number of the round of sending, modulo 16 */
    uint8_t timed_round;  /* round in which the timed bytes were sent */
    uint8_t backoff;      /* number of random waits in a row; at most 6 */
    uint8_t timeouts;     /* waits in a row that ended without an answer */
    uint8_t clean;        /* number of answers in a row without damage */
    bool complete;        /* the message's last byte was sent in this round */
    bool bad;             /* the line damages frames, so frames get parity */
    bool timing;          /* whether an answer is being timed */
    bool yields; /* after this message, pauses for a set-up of the neighbour */
};

/* A message that comes in at a port. */
struct switch_destination {
    struct switch_id from;
    struct switch_receive *receive; /* NULL: ping, peek or repeated message */
    uint32_t bytes;                 /* length of the message */
    uint32_t offset;                /* number of bytes that have come in */
    uint8_t kind;
    uint8_t round; /* round of sending in the last DATA frame */
    bool done;     /* no further byte is needed: delivered, or too long */
    uint8_t question[SWITCH_QUESTION_BYTES]; /* first bytes of a peek */
};

struct switch_port {
    uint8_t mode; /* enum switch_mode: use of the next byte that comes in */
    uint8_t code; /* code (frame.h) that began the last frame */
    /* Fields of the circuit that holds the port, or held the port last. */
    uint8_t role;     /* enum switch_role */
    uint8_t peer;     /* relay: number of the circuit's other port */
    bool onward;      /* relay: the set-up went out here; false: it came in */
    bool answered;    /* the set-up was answered; destination: DATA came */
    uint8_t parity;   /* FRAME_PARITY: this node sends parity; 0: it does not */
    uint32_t written; /* bytes put into the ring so far; wraps */
    uint32_t taken;   /* bytes sent from the ring so far; wraps */
    uint32_t tag;     /* start value of the CRC of answers (switch.h) */
    uint32_t message_tag; /* start value of the CRC of DATA (switch.h) */
    uint32_t active_us;   /* time when the circuit's last frame came in */
    uint32_t hold_us;     /* longest silence of the circuit, us */
    struct switch_source source;
    struct switch_destination destination;
    uint32_t heard;    /* CRC of bytes 1 to 8 of the last set-up with parity */
    uint32_t spare[4]; /* padding to 128 bytes, for fast access to port[i] */
};

/* The last delivered message of a stream. */
struct switch_memory {
    struct switch_id from;
    uint16_t heard; /* number of the delivery at this node; wraps */
};

/* The state of one node's switch. */
struct switch_core {
    struct switch_port port[TORUS_PORTS];
    struct switch_config config;
    uint32_t now_us;
    uint32_t random;     /* state of the random numbers; never 0 */
    uint32_t sequence;   /* number of the message that was last queued here */
    uint16_t heard;      /* number of messages delivered here; wraps */
    uint16_t remembered; /* entries of memory[] that are in use */
    uint8_t kicks;       /* bit n: a kick() of port n is due */
    struct switch_receive *receive; /* first receive not done; NULL: none */
    struct switch_last last;
    struct switch_counters counters[TORUS_PORTS];
    struct frame_reader reader[TORUS_PORTS];
    struct switch_memory memory[SWITCH_REMEMBERED];
    uint8_t ring[TORUS_PORTS][SWITCH_RING_BYTES];
};

#endif
