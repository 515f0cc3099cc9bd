/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node with all its descendants, which run the engine (scatter/engine/), and
 * circuits between them that are made up, in place of hal/window/window.c. What
 * the first node, the top, receives from its parent is the caller's; all else
 * is what the nodes send to each other:
 *
 *   caller --next()--> top --> children --> ..
 *   caller <-returned()-- top <-- children <-- ..
 *
 * There are no threads of control. A node runs until it ends, and its sends
 * wait; as soon as it waits for a result, they are carried out, and the others
 * to which something was sent run, one after the other. A follower that has
 * received all rounds needs nothing else. A message that never comes is
 * ERR_DEAD_LINK.
 *
 * The switch carries out a send when the node waits or drains, not earlier: so
 * bytes that the engine overwrites too soon arrive as what they are then.
 */
#ifndef TEST_FUZZ_SUBTREE_H
#define TEST_FUZZ_SUBTREE_H

#include "scatter/engine/core.h"

#define SUBTREE_NODES_MAX 48u
#define SUBTREE_MESH 7u

/* A message without its header; malloc(). */
struct letter {
    struct letter *next;
    uint8_t kind;
    uint8_t port; /* at which it arrives */
    uint16_t job;
    struct torus_coord to; /* whom it reached */
    bool head_only; /* its head is delivered first, if the node asks so */
    bool damaged;   /* as its last byte tells */
    uint32_t bytes;
    uint8_t data[];
};

struct letter *letter_new(uint32_t bytes);

/* A send that waits for the switch. */
struct subtree_send;

struct subtree_node {
    struct torus_coord at;
    bool running;
    bool ended;        /* and never runs again */
    bool corrupt;      /* what it received last turned out to be */
    unsigned runs;     /* of the kernel in this job, for whoever counts them */
    unsigned returned; /* results that it sent */
    struct letter *inbox;
    struct subtree_send *sends;
    struct subtree_send **sends_end;
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
    uint8_t *memory;
    struct circuit circuit;
    struct clock clock;
    struct node node;
    struct node_log log;
    struct scatter scatter;
};

struct subtree {
    struct torus_size size;
    enum wire_policy policy;
    const struct kernel *kernel; /* the only one */
    /* The message that the top is waiting for: of any kind if `kind` is 0, else
       of that; NULL: none comes. The subtree frees it. */
    struct letter *(*next)(void *context, unsigned kind);
    /* A result of the top, which stays the subtree's; or, if it is alone, any
       message of it. */
    void (*returned)(void *context, const struct letter *letter);
    void *context;
    /* No other node runs. What the top sends leaves before it receives: those
       of a farm send nothing ahead of what they have been asked for. */
    bool alone;
    bool builds;  /* the top writes behind what it received */
    bool has_end; /* the receive for which next() is called: NULL ends it */
    /* The subtree's own: */
    struct subtree_node *current; /* which runs */
    bool stopped; /* a switch was told nonsense: nothing is delivered */
    struct subtree_node *node[SUBTREE_NODES_MAX];
    uint32_t count;
};

/* Runs the node at `top`, whose originator is at 0, 0, with its descendants
   until its jobs are done. Result: 0 or its error. Then subtree_free(). */
int subtree_run(struct subtree *subtree, struct torus_coord top);
void subtree_free(struct subtree *subtree);

/* The subtree that runs: a kernel knows of no other way to it. */
struct subtree *subtree_now(void);

/* Lets the node write all its memory from here on. */
void subtree_show(struct subtree_node *node);

#endif
