/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How ranks, the processes that mpirun or srun has started, pass bytes to each
 * other. The one implementation, ranks/mpi/mpi.c, is an object of its own,
 * which is loaded only where there are several ranks: the command itself needs
 * no MPI, and a run on one machine does not load it.
 */
#ifndef QEMU_RANKS_TRANSPORT_H
#define QEMU_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_VERSION 1u
#define TRANSPORT_SYMBOL "ranks_transport"

struct transport {
    uint32_t version;

    /* Joins the others. Result: 0; -1 after a message on stderr. */
    int (*begin)(unsigned *rank, unsigned *ranks);

    /* Sends bytes, in order to each rank; at once, without waiting. `data` was
       allocated by malloc(), and is freed when it has gone out. */
    void (*send)(unsigned to, void *data, size_t bytes);

    /* What has come, in order from each rank; NULL: nothing yet. The caller
       frees it. */
    void *(*receive)(unsigned *from, size_t *bytes);

    /* Whether all that was sent has gone out. */
    bool (*sent)(void);

    /* Takes leave: all ranks do, and wait for each other. */
    void (*end)(void);

    /* Ends all ranks at once, with this exit status. */
    void (*abort)(int status);
};

#endif
