/* SPDX-License-Identifier: Apache-2.0 */
/* A backend runs the nodes of a mesh: as QEMU processes, as coroutines, or on
   several MPI ranks. The mesh driver (mesh.h) sees of a node its window, which
   is memory that the node shares with its emulated switch, and its doorbell, by
   which the two wake each other. */
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
    BACKEND_RANG,
    BACKEND_DIED,
    BACKEND_TIMEOUT, /* no doorbell rang in this time */
    BACKEND_QUIET,   /* every node waits for an answer, or has ended */
    BACKEND_INTERRUPTED,
    BACKEND_FAILED /* a node did not start; stderr says why */
};

struct backend {
    const char *board; /* board name in reports: "mps2-an385", "host" */
    void *context;

    /* Returns a node's window. It stays mapped until stop(). */
    struct window *(*window)(void *context, uint32_t node);

    /* Makes a node slow: from mesh time from_ps on, each instruction takes 32
       ns << shift, with a shift of at most BACKEND_SLOW_SHIFT_MAX. Must be
       called before the first wait(). If the time is not yet known, the caller
       passes any from_ps but 0, and calls slow() again with the right time
       before the node first gets an answer. */
    void (*slow)(void *context, uint32_t node, unsigned shift,
                 uint64_t from_ps);

    /* Waits until a node rings its doorbell, at most `ns` nanoseconds of host
       time. Starts nodes that have not started yet. */
    enum backend_event (*wait)(void *context, uint32_t *node, uint64_t ns);

    /* Brings all windows up to date after a wait that timed out. NULL: windows
       are always up to date, because they lie in this process. */
    void (*refresh)(void *context);

    /* Rings the doorbell of a node, whose window has an answer for it. */
    void (*ring)(void *context, uint32_t node);

    /* Kills one node as if its board had died, for tests. NULL: the backend
       cannot do that. */
    void (*kill)(void *context, uint32_t node);

    void (*stop)(void *context);

    /* Prints what is known about a node that died. NULL: the backend knows
       nothing. */
    void (*explain)(void *context, uint32_t node, FILE *out);

    /* Returns text for messages that says where a node runs, such as " on rank
       1"; or NULL. The function itself may be NULL, too. */
    const char *(*place)(void *context, uint32_t node);

    /* Copies a message to `offset` of the node's window. It is complete there
       when ring() wakes the node. On return, window() shows its header and the
       first bytes of its pieces, unless the message is damaged. NULL: the
       caller copies messages, because all windows are in this process. */
    void (*deliver)(void *context, uint32_t node, uint32_t offset,
                    const struct message *message, enum message_damage damage);
};

#define BACKEND_SLOW_SHIFT_MAX 3u

/* Starts native nodes, which compute in `threads` threads, the caller's
   included. The number of threads changes no result. The caller fills in every
   window's identity before the first wait(). `program` (hal/host's
   host_node_new()) must outlive the nodes. Returns 0, or -1 after a message on
   stderr. */
NODISCARD int native_start(struct backend *backend, uint32_t nodes,
                           unsigned threads,
                           const struct host_program *program);

struct boards_config {
    const struct board_kind *board;
    const char *firmware;
    /* Path of the image of boards that become slow during the run; or NULL. */
    const char *firmware_slow;
    const char *qemu;
    uint32_t nodes;
    uint32_t first; /* index of the first of these nodes in the whole mesh */
    /* Path of zygote.so, to fork boards from one QEMU (qemu/board/zygote.h).
       NULL: each board is a QEMU of its own. */
    const char *zygote_object;
    bool verbose;
    /* sockets on which boards listen for gdb, one for each node; or NULL */
    const struct gdb_door *gdb;
};

NODISCARD int boards_start(struct backend *backend,
                           const struct boards_config *config);

#endif
