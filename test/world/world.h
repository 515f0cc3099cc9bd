/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up world around hal/circuit.h: nodes that run the engine
 * (scatter/engine/), each a coroutine, and circuits between them, in place of
 * hal/window/ or hal/serial/ and of what these need. Whoever makes it says
 *
 *   who      the nodes run that something was sent to
 *   what     world_put() tells a node a message; sent() sees each that a node
 *            sends, and may change it, take it, or tell others
 *   order    equal seeds have equal orders of who runs next; receives that have
 *            a deadline end in vain now and then, or only when no node can go
 *            on (seed 0)
 *   time     nobody waits for it: a node's clock moves by what it accounts for,
 *            by what it receives, and to the deadline of a receive in vain
 *
 * The switch carries out a send when the node drains or waits in vain, not
 * earlier: so bytes that the engine overwrites too soon arrive as what they are
 * then. Memory that a node must not look at, behind a message and behind the
 * head of one that is not there yet, is poisoned.
 *
 * Other worlds stand elsewhere: that of test/hal/serial/ below hal/serial/, at
 * the switch; those of test/hal/switch/ and discover/ at the lines. Conformance
 * makes none up: it runs on windows and the fabric.
 */
#ifndef TEST_WORLD_WORLD_H
#define TEST_WORLD_WORLD_H

#include "scatter/engine/core.h"

#ifdef __arm__
#include "test/target/world_board.h"
#else
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#include <ucontext.h>
#endif

#define WORLD_NODES_MAX 640u
#define WORLD_MESH 7u /* in every message */

/* Of a node: a struct scatter_memory, and 16 KiB for the load. */
#define WORLD_MEMORY_BYTES ((uint32_t)sizeof(struct scatter_memory) + 16384u)

/* The program's: ends it, as a finding or a failed test, unless this holds. */
void world_check(bool holds, const char *what);

/* A message without its header; malloc(). */
struct letter {
    struct letter *next;
    uint64_t sent_ps;
    uint8_t kind;
    uint8_t port;  /* at which it arrives; CIRCUIT_HOST: to or from the host */
    bool any_port; /* or at any other that a node waits on */
    uint16_t job;
    struct torus_coord to;
    bool head_only; /* the head is delivered first, if the node asks so */
    bool damaged;   /* as its last byte tells */
    bool held;      /* until no node can go on without it */
    bool marked;    /* the caller's */
    uint32_t bytes;
    uint8_t data[];
};

/* A message of this kind and job, all zeros, that any port may receive. */
struct letter *letter_new(unsigned kind, uint16_t job, uint32_t bytes);
struct letter *letter_copy(const struct letter *letter, uint32_t more_bytes);

/* A send that waits for the switch. */
struct world_send;

struct world_node {
    struct torus_coord at;
    bool begun;
    bool ended;     /* with `error` */
    bool news;      /* something came since it began to wait */
    bool corrupt;   /* what it received last turned out to be */
    int error;      /* ERR_DEAD_LINK: it still waits for a message */
    unsigned runs;  /* of the kernel in this job, for whoever counts them */
    unsigned ports; /* that it waits on, and for which kind; .. */
    unsigned kind;
    bool has_end;  /* .. with a deadline */
    unsigned vain; /* how often deadlines in the future came before a letter */
    bool in_vain;
    struct letter *inbox;
    struct world_send *sends;
    struct world_send **sends_end;
    uint32_t send_count;
    const struct circuit_message *form[CIRCUIT_FORMS];
    struct circuit_cut cut; /* circuit_expect() */
    uint32_t posted;        /* the label, .. */
    bool is_posted;         /* .. if there is one */
    uint32_t taken_label;   /* the post of the message received last, .. */
    bool has_post;          /* .. if it has one */
    /* What it received last; of a head, bytes from `rest` on are not there
       yet. Nobody may look at [hidden, hidden_end). */
    const uint8_t *message;
    const uint8_t *message_end;
    /* The same of the one that can hold a range: outputs cannot. */
    const uint8_t *range;
    const uint8_t *range_end;
    const uint8_t *rest; /* NULL: all is there */
    bool rest_damaged;
    const uint8_t *hidden;
    const uint8_t *hidden_end;
    uint8_t *region; /* stack, .. */
    uint8_t *memory; /* .. and memory */
    ucontext_t context;
    struct circuit circuit;
    struct clock clock;
    struct node node;
    struct node_log log;
    struct scatter scatter;
};

struct world {
    struct torus_size size;
    enum wire_policy policy;
    const struct kernel *kernel; /* the only one */
    void *context;               /* of the two below, which may be NULL */
    /* A node's message leaves for letter->to. Result: what arrives there, NULL
       if nothing does; the letter is sent()'s then. */
    struct letter *(*sent)(void *context, const struct world_node *from,
                           struct letter *letter);
    /* A node is about to receive it. */
    void (*taken)(void *context, const struct world_node *to,
                  const struct letter *letter);
    bool prompt;  /* sends leave before each receive, too */
    bool builds;  /* nodes write behind what they received: masters do */
    bool goes_on; /* a node whose job fails waits for the next one, as boards
                     with serial ports do */
    uint64_t seed;
    /* The world's own: */
    struct world_node *current; /* which runs */
    bool stopped; /* a switch was told nonsense: nothing is delivered */
    struct letter *held;
    struct world_node *node[WORLD_NODES_MAX];
    uint32_t count;
    ucontext_t caller;
};

/* The world that runs: a kernel knows of no other way to it. */
struct world *world_now(void);

/* Makes it the world that runs; it has no nodes yet. */
void world_begin(struct world *world);
void world_free(struct world *world);

/* The node there, which is made if need be; NULL: there are too many. */
struct world_node *world_node(struct torus_coord at);

/* Gives a node the message, which is the world's from now on. */
void world_put(struct world_node *to, struct letter *letter);

/* Runs all nodes until each has ended or waits in vain. */
void world_run(void);

/* 0 .. below - 1 by the seed; 0 if that is 0. */
uint32_t world_chance(uint32_t below);

/* Lets the node write all its memory from here on. */
void world_show(struct world_node *node);

#endif
