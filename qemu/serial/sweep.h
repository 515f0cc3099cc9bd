/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page of every node of a mesh of boards by peeks (hal/switch/peek.h)
 * through the originator's console. Many peeks run at once, one per port of the
 * originator.
 *
 * Near nodes come first. Paths to farther nodes use links that answered, so if
 * such a node is silent, its last link is dead. No other path uses a dead link.
 * A node without a path is not asked. A dead board costs SWITCH_PEEK_TRIES
 * connection attempts for each of its links that is tried. An originator
 * without neighbours costs these attempts once.
 */
#ifndef QEMU_SERIAL_SWEEP_H
#define QEMU_SERIAL_SWEEP_H

#include "hal/nodiscard.h"
#include "hal/switch/peek.h"
#include "hal/switch/switch.h"
#include "qemu/serial/client.h"
#include "torus/torus.h"

#include <jansson.h>

#define SWEEP_PATHS 3u /* most paths tried per node */
#define SWEEP_PATH_BYTES 20u
#define SWEEP_TEXT_BYTES (SWEEP_PATHS * (SWEEP_PATH_BYTES + 2) + 32)

/* A node after a sweep. `path` and `why` belong to the last sweep that asked
   the node. */
struct sweep_node {
    struct torus_coord at;
    bool skip;    /* set by the caller: do not ask the node */
    bool asked;   /* the node was asked, or is known to be out of reach */
    bool answers; /* the node answered over the last of the paths */
    /* "E2 N1"; "": not used, or originator */
    char path[SWEEP_PATHS][SWEEP_PATH_BYTES];
    const char *why;
    /* The next members are the state of the sweep. */
    struct torus_path last;
    uint8_t tried; /* mask of paths tried */
    uint8_t paths;
    uint8_t busy;
    bool failed; /* a peek of any sweep ended at a dead link */
    bool gone;   /* no answer in an earlier sweep: not asked again */
};

struct sweep {
    struct console *console; /* the originator's console, owned by the caller */
    struct torus_size size;
    struct torus_coord originator;
    struct sweep_node *node;
    uint8_t *link; /* state of each link, by torus_link() */
};

void sweep_begin(struct sweep *sweep, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void sweep_end(struct sweep *sweep);

/*
 * Reads a page from every node, except nodes that were silent before. Calls
 * use() for each answer of PEEK_VERSION with at least `bytes` bytes, in any
 * order. The page is padded with zeros to SWITCH_STATUS_BYTES. Links keep their
 * state for the next sweep. Returns the number of silent nodes, skipped ones
 * excluded; -1: the console is silent or does not support peeks, see
 * console_why().
 */
typedef void sweep_use(void *context, uint32_t index, const uint8_t *page);
NODISCARD int sweep_read(struct sweep *sweep, enum peek_page page,
                         unsigned bytes, sweep_use *use, void *context);

/* Lets the next sweep ask nodes that did not answer: they may be back. */
void sweep_forgive(struct sweep *sweep);

/* Returns the last path to the node: "E2 N1"; "" for the originator. */
const char *sweep_path(const struct sweep_node *node);

/* Returns the least number of links from the originator. */
unsigned sweep_distance(const struct sweep *sweep, struct torus_coord at);

const char *sweep_why(const struct sweep_node *node);

/* Writes why a node does not answer and which paths were tried: "busy; tried
   E1, N1". */
void sweep_explain(char text[SWEEP_TEXT_BYTES], const struct sweep_node *node);

/* Adds the paths tried to a JSON object and, unless `answers`, the reason. */
void sweep_add_json(json_t *json, const struct sweep_node *node, bool answers);

#endif
