/* SPDX-License-Identifier: Apache-2.0 */
/* A backend runs the nodes of a mesh: as QEMU processes, as coroutines, or on
   several MPI ranks. The mesh driver sees nodes only as windows (shared memory)
   and doorbells. */
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
    BACKEND_TIMEOUT, /* no node rang within the wait */
    BACKEND_QUIET,   /* every node waits or has ended */
    BACKEND_INTERRUPTED,
    BACKEND_FAILED /* a node did not start; stderr says why */
};

struct backend {
    const char *board; /* board name in the report: "mps2-an385", "host" */
    void *context;

    /* Returns a node's window, which stays mapped as long as the backend
       lives. */
    struct window *(*window)(void *context, uint32_t node);

    /* Makes a node slow: from mesh time from_ps on, an instruction takes 32
       ns << shift; shift is at most BACKEND_SLOW_SHIFT_MAX. Call it before
       the first wait(). If the time is not known yet, pass any from_ps but
       0, and call it again with the right time before the node first gets an
       answer. */
    void (*slow)(void *context, uint32_t node, unsigned shift,
                 uint64_t from_ps);

    /* Waits at most `ns` nanoseconds until a node rings. Starts nodes that are
       not started yet. */
    enum backend_event (*wait)(void *context, uint32_t *node, uint64_t ns);

    /* Brings all windows up to date after a wait that timed out. NULL: windows
       are always up to date. */
    void (*refresh)(void *context);

    /* Rings the doorbell of a node: its answer lies in its window. */
    void (*ring)(void *context, uint32_t node);

    /* Kills one node, as if its board had died; for tests. NULL: this backend
       cannot. */
    void (*kill)(void *context, uint32_t node);

    void (*stop)(void *context);

    /* Prints what is known about a node that died. NULL: nothing is known. */
    void (*explain)(void *context, uint32_t node, FILE *out);

    /* Returns text for messages that says where a node runs, such as " on rank
       1", or NULL. The function may be NULL, too. */
    const char *(*place)(void *context, uint32_t node);

    /* Copies a message to `offset` of the node's window, where it is whole when
       ring() wakes the node. Its header and the first bytes of its pieces can
       be read by window() on return, unless it is damaged. NULL: the caller
       copies, since all windows are in this process. */
    void (*deliver)(void *context, uint32_t node, uint32_t offset,
                    const struct message *message, enum message_damage damage);
};

#define BACKEND_SLOW_SHIFT_MAX 3u

/* Starts native nodes, which compute in `threads` threads, the caller's
   included. The number of threads changes no result. The caller fills in the
   identity of every window before the first wait. `program` (see
   host_node_new()) must outlive the nodes. Returns 0, or -1 after a message on
   stderr. */
NODISCARD int native_start(struct backend *backend, uint32_t nodes,
                           unsigned threads,
                           const struct host_program *program);

struct boards_config {
    const struct board_kind *board;
    const char *firmware;
    /* Path of the firmware of boards that become slow during the run; or
       NULL. */
    const char *firmware_slow;
    const char *qemu;
    uint32_t nodes;
    uint32_t first; /* index in the mesh of the first node */
    /* Path of zygote.so, to fork boards from a zygote (qemu/board/zygote.h).
       NULL: each board starts as a QEMU process of its own. */
    const char *zygote_object;
    bool verbose;
    /* Sockets on which boards listen for gdb, one a node; NULL: none do. */
    const struct gdb_door *gdb;
};

NODISCARD int boards_start(struct backend *backend,
                           const struct boards_config *config);

#endif
