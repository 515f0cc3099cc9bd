/* SPDX-License-Identifier: Apache-2.0 */
/* Carries bytes between ranks by MPI (qemu/ranks/transport.h). This is a shared
   object that is loaded at run time. */
#include "qemu/ranks/transport.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG 1

struct item {
    struct item *next;
    MPI_Request request;
    void *data;
    size_t bytes;
    int from;
};

/* Messages that are being sent or received, in the order in which that
   began. */
struct list {
    struct item *first;
    struct item **end;
};

/* Global state, since a process is one rank. */
static struct list out = {.end = &out.first};
static struct list in = {.end = &in.first};

static void *or_exit(void *memory)
{
    if (memory == NULL) {
        fputs("quincunx: no memory left for messages between ranks\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return memory;
}

static struct item *add(struct list *list)
{
    struct item *item = or_exit(calloc(1, sizeof *item));

    *list->end = item;
    list->end = &item->next;
    return item;
}

static void drop(struct list *list, struct item **place)
{
    struct item *item = *place;

    *place = item->next;
    if (list->end == &item->next) {
        list->end = place;
    }
    free(item);
}

static bool is_complete(struct item *item)
{
    int complete = 0;

    MPI_Test(&item->request, &complete, MPI_STATUS_IGNORE);
    return complete != 0;
}

static bool is_one_host(void)
{
    const char *all = getenv("OMPI_COMM_WORLD_SIZE");
    const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");

    return all != NULL && here != NULL && strcmp(all, here) == 0;
}

/* Starts MPI with all signals blocked, so that its threads take none of this
   process's signals. */
static int init_thread(void)
{
    sigset_t all;
    sigset_t before;
    int provided;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int begin(unsigned *rank, unsigned *ranks)
{
    int number;

    if (is_one_host()) {
        /* MPI would search for fast networks, which is not needed on one host
           and takes 0.2 s of the 0.3 s until it is ready. What the user has set
           stays. */
        setenv("OMPI_MCA_pml", "ob1", 0);
        setenv("OMPI_MCA_osc", "^ucx", 0);
    }
    if (init_thread() != MPI_SUCCESS) {
        fputs("quincunx: MPI could not be started\n", stderr);
        return -1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    *rank = (unsigned)number;
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    *ranks = (unsigned)number;
    return 0;
}

static void sweep(void)
{
    struct item **place = &out.first;

    while (*place != NULL) {
        if (is_complete(*place)) {
            free((*place)->data);
            drop(&out, place);
        } else {
            place = &(*place)->next;
        }
    }
}

static void send_bytes(unsigned to, void *data, size_t bytes)
{
    struct item *item = add(&out);

    item->data = data;
    if (bytes > INT_MAX) {
        fputs("quincunx: more bytes than MPI takes at once\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD,
              &item->request);
    sweep();
}

static void begin_receiving(void)
{
    int there = 1;

    while (there) {
        MPI_Message message;
        MPI_Status status;
        struct item *item;
        int bytes = 0;

        MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &message,
                    &status);
        if (!there) {
            return;
        }
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        item = add(&in);
        item->bytes = (size_t)bytes;
        item->from = status.MPI_SOURCE;
        item->data = or_exit(malloc(item->bytes + 1));
        MPI_Imrecv(item->data, bytes, MPI_BYTE, &message, &item->request);
    }
}

/* Returns whether an earlier message of the same rank is not completely
   received. */
static bool is_behind(const struct item *item)
{
    for (const struct item *i = in.first; i != item; i = i->next) {
        if (i->from == item->from) {
            return true;
        }
    }
    return false;
}

static void *receive_bytes(unsigned *from, size_t *bytes)
{
    begin_receiving();
    if (out.first != NULL) {
        sweep();
    }
    for (struct item **i = &in.first; *i != NULL; i = &(*i)->next) {
        if (!is_behind(*i) && is_complete(*i)) {
            void *data = (*i)->data;

            *from = (unsigned)(*i)->from;
            *bytes = (*i)->bytes;
            drop(&in, i);
            return data;
        }
    }
    return NULL;
}

static bool all_sent(void)
{
    sweep();
    return out.first == NULL;
}

static void end(void)
{
    MPI_Finalize();
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

extern const struct transport ranks_transport;

const struct transport ranks_transport = {.version = TRANSPORT_VERSION,
                                          .begin = begin,
                                          .send = send_bytes,
                                          .receive = receive_bytes,
                                          .sent = all_sent,
                                          .end = end,
                                          .abort = abort_all};
