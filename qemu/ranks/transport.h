/* SPDX-License-Identifier: Apache-2.0 */
/* Carries bytes between ranks, the processes that mpirun or srun has started.
   The only implementation, ranks/mpi/mpi.c, is a shared object. It is loaded
   only if there are several ranks, so the command itself needs no MPI. */
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

    /* Sends bytes without waiting. Bytes to one rank arrive in their order.
       `data` must come from malloc(); it is freed when sent. */
    void (*send)(unsigned to, void *data, size_t bytes);

    /* Returns bytes that have come, in their order from each rank; or NULL. The
       caller frees them. */
    void *(*receive)(unsigned *from, size_t *bytes);

    /* Returns whether all bytes given to send() have left. */
    bool (*sent)(void);

    /* Ends MPI; waits until all ranks do. */
    void (*end)(void);

    void (*abort)(int status);
};

#endif
