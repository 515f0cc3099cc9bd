/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the nodes of a mesh run: QEMU processes or coroutines. The mesh driver
 * sees windows and doorbells only.
 */
#ifndef QEMU_FABRIC_BACKEND_H
#define QEMU_FABRIC_BACKEND_H

#include "hal/nodiscard.h"
#include "hal/window/window.h"
#include "qemu/board/gdb.h"
#include "qemu/board/table.h"
#include "qemu/fabric/message.h"
#include "qemu/fabric/windows.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct host_program; /* hal/host/host.h */

enum backend_event {
    BACKEND_RANG,        /* a node rang its doorbell */
    BACKEND_DIED,        /* a node's process is gone */
    BACKEND_TIMEOUT,     /* nobody rang in time */
    BACKEND_QUIET,       /* no node runs that could ring */
    BACKEND_INTERRUPTED, /* the user wants to stop */
    BACKEND_FAILED       /* a node could not be started; said on stderr */
};

struct backend {
    const char *board; /* as in the report: "mps2-an385", "host" */
    void *context;

    /* The node's window, mapped for as long as the backend lives. */
    struct window *(*window)(void *context, uint32_t node);

    /* Makes a node slow: from mesh time from_ps on an instruction takes
       32 ns << shift; shift is at most BACKEND_SLOW_SHIFT_MAX. Before the first
       wait; if from_ps is not 0, with any time, and again as soon as the time
       is known, while the node waits, as it has since it started. */
    void (*slow)(void *context, uint32_t node, unsigned shift,
                 uint64_t from_ps);

    /* Waits for a node that rings, starting nodes that are not yet started; at
       most `ns` nanoseconds. */
    enum backend_event (*wait)(void *context, uint32_t *node, uint64_t ns);

    /* Brings all windows up to date after a wait in vain; NULL: they are. */
    void (*refresh)(void *context);

    /* Rings the node back. */
    void (*ring)(void *context, uint32_t node);

    /* Ends one node at once, as if its board had died: for tests. NULL: nodes
       of this kind cannot. */
    void (*kill)(void *context, uint32_t node);

    /* Ends everything and frees the context. */
    void (*stop)(void *context);

    /* Prints what is known about a node that died; NULL: nothing. */
    void (*explain)(void *context, uint32_t node, FILE *out);

    /* Where a node runs, behind its name in messages, such as " on rank 1";
       NULL, also the function: there is nothing to say. */
    const char *(*place)(void *context, uint32_t node);

    /* Copies a message to `offset` of the node's window before the node is
       rung. The header, and the first two pieces if their source windows are in
       this process, are there when the function returns. NULL: all windows are
       in this process, and the caller copies. */
    void (*deliver)(void *context, uint32_t node, uint32_t offset,
                    const struct message *message, enum message_damage damage);
};

#define BACKEND_SLOW_SHIFT_MAX 3u

/*
 * Native nodes, whose compute slices go into `threads` threads, 1 or more, the
 * caller's counted (qemu/fabric/slices.h): what is seen of them is the same
 * with any number. The identity of every window is to be filled by the caller
 * before the first wait. The program, as of host_node_new(), outlives the
 * nodes. Result: 0; -1 with a message on stderr.
 */
NODISCARD int native_start(struct backend *backend, uint32_t nodes,
                           unsigned threads,
                           const struct host_program *program);

struct boards_config {
    const struct board_kind *board;
    const char *firmware; /* path of the image */
    /* The same of boards that become slow later; NULL: there are none. */
    const char *firmware_slow;
    const char *qemu; /* program name */
    uint32_t nodes;
    uint32_t first; /* the number in the mesh of the first of these nodes */
    /* Path of the object for a zygote (qemu/board/zygote.h); NULL: every board
       is started by itself. */
    const char *zygote_object;
    bool verbose; /* says on stderr how boards are started */
    /* By node, for debuggers; or NULL. */
    const struct gdb_door *gdb;
};

NODISCARD int boards_start(struct backend *backend,
                           const struct boards_config *config);

#endif
