/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep asks every node of a mesh of serial boards for a page of data,
 * through the originator's console. It asks by peeks, messages that a node
 * answers from its interrupts (hal/switch/peek.h). Many peeks run at once, one
 * through each port of the originator.
 *
 * Near nodes come first. Paths to farther nodes use links over which nodes have
 * answered. So if a farther node does not answer, the last link of its path is
 * dead, and no other path uses it. A node to which no path is left is not
 * asked. A dead board costs SWITCH_PEEK_TRIES attempts at a circuit for each of
 * its links that is tried; an originator without neighbours costs them once.
 */
#ifndef QEMU_SERIAL_SWEEP_H
#define QEMU_SERIAL_SWEEP_H

#include "hal/nodiscard.h"
#include "hal/switch/peek.h"
#include "hal/switch/switch.h"
#include "qemu/serial/client.h"
#include "torus/torus.h"

#include <jansson.h>

#define SWEEP_PATHS 3u /* most paths tried for a node */
#define SWEEP_PATH_BYTES 20u
#define SWEEP_TEXT_BYTES (SWEEP_PATHS * (SWEEP_PATH_BYTES + 2) + 32)

/* A node after a sweep. `path` and `why` are of the last sweep that asked the
   node. */
struct sweep_node {
    struct torus_coord at;
    bool skip;    /* the caller sets it: the node is not asked */
    bool asked;   /* true: it was asked, or no path leads to it */
    bool answers; /* true: it answered over the last of the paths */
    /* paths as "E2 N1"; "": not used, or the originator's */
    char path[SWEEP_PATHS][SWEEP_PATH_BYTES];
    const char *why;
    /* The members below are the sweep's own. */
    struct torus_path last;
    uint8_t tried; /* bits of the paths that were tried */
    uint8_t paths;
    uint8_t busy;
    bool failed; /* true: in some sweep a peek ended at a dead link */
    bool gone;   /* true: silent in an earlier sweep, so not asked again */
};

struct sweep {
    struct console *console; /* the originator's console; the caller's */
    struct torus_size size;
    struct torus_coord originator;
    struct sweep_node *node;
    uint8_t *link; /* states of links, indexed by torus_link() */
};

void sweep_begin(struct sweep *sweep, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void sweep_end(struct sweep *sweep);

/* Asks every node for a page, except those that did not answer in an earlier
   sweep. Calls use() for each answer, in any order, if it has PEEK_VERSION and
   at least `bytes` bytes; the page is padded with zeros to SWITCH_STATUS_BYTES.
   The next sweep knows the links' states. Returns the number of nodes that did
   not answer, without skipped ones. Returns -1 if the console does not answer
   or knows no peeks (console_why()). */
typedef void sweep_use(void *context, uint32_t index, const uint8_t *page);
NODISCARD int sweep_read(struct sweep *sweep, enum peek_page page,
                         unsigned bytes, sweep_use *use, void *context);

/* Makes the next sweep ask nodes again that did not answer, since they may be
   back. */
void sweep_forgive(struct sweep *sweep);

/* Returns the last path to a node, as "E2 N1"; "" for the originator. */
const char *sweep_path(const struct sweep_node *node);

/* Returns the fewest links between the originator and a node. */
unsigned sweep_distance(const struct sweep *sweep, struct torus_coord at);

const char *sweep_why(const struct sweep_node *node);

/* Writes why a node did not answer, and which paths were tried: "busy; tried
   E1, N1". */
void sweep_explain(char text[SWEEP_TEXT_BYTES], const struct sweep_node *node);

/* Adds the paths tried to a JSON object and, if `answers` is false, the
   reason. */
void sweep_add_json(json_t *json, const struct sweep_node *node, bool answers);

#endif
