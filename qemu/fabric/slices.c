/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/slices.h"

#include "qemu/base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct slice {
    uint32_t node;
    bool done;
};

struct slices {
    slices_run *run;
    void *context;
    uint32_t nodes;
    pthread_t *thread;
    unsigned threads; /* number of threads besides the caller's */

    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t due;   /* a slice is due, or threads must end */
    pthread_cond_t first_done;
    unsigned idle; /* number of threads that wait for `due` */
    bool ending;
    /* A ring buffer with slice i at i % nodes. Slices first .. end - 1 were
       added and not yet returned; those from `taken` on have not begun to
       run. */
    struct slice *slice;
    uint64_t first;
    uint64_t taken;
    uint64_t end;
};

unsigned slices_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0
               ? (unsigned)CPU_COUNT(&set)
               : 1;
}

static struct slice *slice_at(struct slices *slices, uint64_t number)
{
    return &slices->slice[number % slices->nodes];
}

/* Runs the next slice. The caller holds the lock, which is released
   meanwhile. */
static void carry_out(struct slices *slices)
{
    uint64_t number = slices->taken++;
    struct slice *slice = slice_at(slices, number);

    pthread_mutex_unlock(&slices->lock);
    slices->run(slices->context, slice->node);
    pthread_mutex_lock(&slices->lock);
    slice->done = true;
    if (number == slices->first) {
        pthread_cond_signal(&slices->first_done);
    }
}

static void *work(void *context)
{
    struct slices *slices = context;

    pthread_mutex_lock(&slices->lock);
    while (!slices->ending) {
        if (slices->taken < slices->end) {
            carry_out(slices);
        } else {
            slices->idle += 1;
            pthread_cond_wait(&slices->due, &slices->lock);
            slices->idle -= 1;
        }
    }
    pthread_mutex_unlock(&slices->lock);
    return NULL;
}

struct slices *slices_new(uint32_t nodes, unsigned threads, slices_run *run,
                          void *context)
{
    struct slices *slices = memory_or_exit(calloc(1, sizeof *slices));
    unsigned others = threads - 1;

    slices->run = run;
    slices->context = context;
    slices->nodes = nodes;
    slices->slice = memory_or_exit(calloc(nodes, sizeof *slices->slice));
    slices->thread =
        memory_or_exit(calloc(others + 1u, sizeof *slices->thread));
    pthread_mutex_init(&slices->lock, NULL);
    pthread_cond_init(&slices->due, NULL);
    pthread_cond_init(&slices->first_done, NULL);
    while (slices->threads < others &&
           pthread_create(&slices->thread[slices->threads], NULL, work,
                          slices) == 0) {
        slices->threads += 1;
    }
    return slices;
}

void slices_add(struct slices *slices, uint32_t node)
{
    bool wakes;

    pthread_mutex_lock(&slices->lock);
    *slice_at(slices, slices->end) = (struct slice){.node = node};
    slices->end += 1;
    /* The caller's thread runs one slice itself: to wake another thread takes
       as long as most slices. */
    wakes = slices->idle > 0 && slices->end - slices->taken > 1;
    pthread_mutex_unlock(&slices->lock);
    if (wakes) {
        pthread_cond_signal(&slices->due);
    }
}

bool slices_next(struct slices *slices, uint32_t *node)
{
    struct slice *slice;
    bool found;

    pthread_mutex_lock(&slices->lock);
    found = slices->first < slices->end;
    if (found) {
        slice = slice_at(slices, slices->first);
        while (!slice->done) {
            if (slices->taken < slices->end) {
                carry_out(slices);
            } else {
                pthread_cond_wait(&slices->first_done, &slices->lock);
            }
        }
        *node = slice->node;
        slices->first += 1;
    }
    pthread_mutex_unlock(&slices->lock);
    return found;
}

void slices_free(struct slices *slices)
{
    pthread_mutex_lock(&slices->lock);
    slices->ending = true;
    pthread_mutex_unlock(&slices->lock);
    pthread_cond_broadcast(&slices->due);
    for (unsigned i = 0; i < slices->threads; ++i) {
        pthread_join(slices->thread[i], NULL);
    }
    pthread_cond_destroy(&slices->first_done);
    pthread_cond_destroy(&slices->due);
    pthread_mutex_destroy(&slices->lock);
    free(slices->thread);
    free(slices->slice);
    free(slices);
}
