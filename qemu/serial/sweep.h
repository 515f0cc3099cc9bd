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
#ifndef QEMU_SERIAL_SWEEP_H
#define QEMU_SERIAL_SWEEP_H

#include "hal/nodiscard.h"
#include "hal/switch/peek.h"
#include "hal/switch/switch.h"
#include "qemu/serial/client.h"
#include "torus/torus.h"

#include <jansson.h>

#define SWEEP_PATHS 3u /* most paths to a node that are tried */
#define SWEEP_PATH_BYTES 20u
#define SWEEP_TEXT_BYTES (SWEEP_PATHS * (SWEEP_PATH_BYTES + 2) + 32)

/* A node after a sweep. `path` and `why` are those of the last sweep that asked
   the node. */
struct sweep_node {
    struct torus_coord at;
    bool skip;    /* set by the caller: the node is not asked */
    bool asked;   /* or known to be out of reach */
    bool answers; /* over the last of the paths */
    char path[SWEEP_PATHS][SWEEP_PATH_BYTES]; /* "E2 N1"; "": none, or here */
    const char *why; /* reason of a node that does not answer */
    /* State of the sweep. */
    struct torus_path last; /* path of the last peek */
    uint8_t tried;          /* mask of ways */
    uint8_t paths;          /* number of paths that were tried */
    uint8_t busy;           /* number of answers that the way was busy */
    bool failed;            /* a peek ended at a dead link, in any sweep */
    bool gone;              /* did not answer an earlier sweep: is not asked */
};

struct sweep {
    struct console *console; /* the originator's, the caller's */
    struct torus_size size;
    struct torus_coord originator;
    struct sweep_node *node; /* row-major */
    uint8_t *link;           /* state of each link, by torus_link() */
};

/* Nothing is known yet. */
void sweep_begin(struct sweep *sweep, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void sweep_end(struct sweep *sweep);

/*
 * Reads a page from every node, except from those that did not answer before,
 * and calls use() for each answer of this version with at least `bytes` bytes,
 * in any order; the rest of the page, up to SWITCH_STATUS_BYTES, is zeros. The
 * state of the links is kept for the next sweep. Result: number of nodes,
 * without those that are skipped, that did not answer; -1: the console is
 * silent, or knows no peeks: see console_why().
 */
typedef void sweep_use(void *context, uint32_t index, const uint8_t *page);
NODISCARD int sweep_read(struct sweep *sweep, enum peek_page page,
                         unsigned bytes, sweep_use *use, void *context);

/* The next sweep asks nodes again that did not answer: they may have come
   back. */
void sweep_forgive(struct sweep *sweep);

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
