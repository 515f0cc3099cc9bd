/* SPDX-License-Identifier: Apache-2.0 */
/* How ranks, the processes that mpirun or srun has started, exchange bytes. The
   only implementation, ranks/mpi/mpi.c, is a shared object that is loaded only
   if there are several ranks, so the command itself needs no MPI. */
#ifndef QEMU_RANKS_TRANSPORT_H
#define QEMU_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_VERSION 1u
#define TRANSPORT_SYMBOL "ranks_transport"

struct transport {
    uint32_t version;

    /* Joins the other ranks. Returns 0, or -1 after a message on stderr. */
    int (*begin)(unsigned *rank, unsigned *ranks);

    /* Sends bytes without waiting; bytes to one rank stay in order. `data`
       comes from malloc(), and is freed once sent. */
    void (*send)(unsigned to, void *data, size_t bytes);

    /* Returns received bytes, in order from each rank, or NULL. The caller
       frees them. */
    void *(*receive)(unsigned *from, size_t *bytes);

    /* Returns whether all data passed to send() have left. */
    bool (*sent)(void);

    /* Ends MPI. Waits until all ranks do the same. */
    void (*end)(void);

    void (*abort)(int status);
};

#endif
