/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peeks (hal/switch/peek.h) at every node of a mesh of boards, through the
 * console of its originator: many at once, one out of each of its ports at a
 * time.
 *
 * Near nodes come first, and the way to a farther one leads over links that
 * answered. So a link whose far end does not answer is known to be dead: no
 * other path leads over it, and a node that no path is left to is not asked. A
 * dead board costs the time of SWITCH_PEEK_TRIES set-ups for each of its links
 * that is tried, an originator without neighbours that time once.
 */
#ifndef QEMU_SURVEY_SWEEP_H
#define QEMU_SURVEY_SWEEP_H

#include "hal/nodiscard.h"
#include "hal/switch/peek.h"
#include "hal/switch/switch.h"
#include "qemu/console/client.h"
#include "torus/torus.h"

#include <jansson.h>

#define SWEEP_PATHS 3u /* ways to a node that are tried at most */
#define SWEEP_PATH_BYTES 20u
#define SWEEP_WHY_BYTES 24u
#define SWEEP_TEXT_BYTES (SWEEP_WHY_BYTES + SWEEP_PATHS * SWEEP_PATH_BYTES + 16)

/* A node after a sweep; `path` and `why` are those of the last sweep that asked
   the node. */
struct sweep_node {
    struct torus_coord at;
    bool skip;    /* set by the caller: is not asked */
    bool asked;   /* or known to be out of reach */
    bool answers; /* over the last of these paths: */
    char path[SWEEP_PATHS][SWEEP_PATH_BYTES]; /* "E2 N1"; "": none, or here */
    char why[SWEEP_WHY_BYTES];                /* it does not answer */
    /* The sweep's. */
    struct torus_path last; /* that is under way */
    uint8_t tried;          /* mask of ways */
    uint8_t paths;          /* tried */
    uint8_t busy;           /* times that the way was held */
    bool failed;            /* over one of them, ever */
    bool gone;              /* it did not answer before */
};

struct sweep {
    struct console *console; /* the originator's, the caller's */
    struct torus_size size;
    struct torus_coord originator;
    struct sweep_node *node; /* row-major */
    uint8_t *link;           /* what is known of each */
};

/* Nothing is known yet. */
void sweep_begin(struct sweep *sweep, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void sweep_end(struct sweep *sweep);

/*
 * Reads a page from every node, except from those that did not answer before,
 * and calls use() for each answer, in any order, with at least `bytes` bytes of
 * this version. The state of the links is kept for the next sweep. Result: how
 * many that are not skipped did not answer; -1: the console is silent, or knows
 * no peeks: see console_why().
 */
typedef void sweep_use(void *context, uint32_t index, const uint8_t *page,
                       unsigned bytes);
NODISCARD int sweep_read(struct sweep *sweep, enum peek_page page,
                         unsigned bytes, sweep_use *use, void *context);

/* The next sweep asks nodes again that did not answer: they may have come
   back. */
void sweep_forgive(struct sweep *sweep);

/* The next sweep takes links and nodes for dead that another one, of the same
   mesh and originator, does. */
void sweep_learn(struct sweep *sweep, const struct sweep *other);

/* Over which path a node was asked last: "E2 N1"; "" for the originator. */
const char *sweep_path(const struct sweep_node *node);

/* Links from the originator, the shortest way. */
unsigned sweep_distance(const struct sweep *sweep, struct torus_coord at);

/* Why a node does not answer. */
const char *sweep_why(const struct sweep_node *node);

/* Writes the reason and the paths that were tried: "busy; tried E1, N1". */
void sweep_explain(char text[SWEEP_TEXT_BYTES], const struct sweep_node *node);

/* Adds the paths that were tried to an object, and, if the node does not
   answer, why. */
void sweep_add_json(json_t *json, const struct sweep_node *node, bool answers);

#endif
