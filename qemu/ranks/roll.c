/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/roll.h"

#include "qemu/fabric/slices.h"
#include "qemu/ranks/ranks.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL_S 30u

#ifndef QUINCUNX_VERSION
#define QUINCUNX_VERSION "unknown"
#endif

/* What each rank has told of its host, on rank 0; NULL before roll_call(). */
static struct record_hello *hello;
static bool incomplete; /* true: a rank is silent, or of another version */

static struct record_hello own(void)
{
    struct record_hello mine = {.cores = slices_processors()};
    struct limits_memory limit;

    snprintf(mine.version, sizeof mine.version, "%s", QUINCUNX_VERSION);
    gethostname(mine.host, sizeof mine.host - 1);
    limits_read_memory(&limit, "");
    mine.memory_left = limit.bytes;
    return mine;
}

void roll_answer(void)
{
    struct record_hello mine = own();

    ranks_put(0, RECORD_HELLO, 0, &(struct ranks_body){&mine, sizeof mine}, 1);
    ranks_flush();
}

static bool is_known(const struct record_hello *one)
{
    return one->cores > 0;
}

static void make_plain(char text[RECORD_NAME_BYTES])
{
    text[RECORD_NAME_BYTES - 1] = '\0';
    for (char *at = text; *at != '\0'; ++at) {
        *at = *at > ' ' && *at <= '~' ? *at : '?';
    }
}

static bool keep(const struct ranks_record *record)
{
    struct record_hello *one = &hello[record->from];

    if (record->head.kind != RECORD_HELLO ||
        record->head.bytes != sizeof *one || is_known(one)) {
        fprintf(stderr,
                "quincunx: rank %u speaks as another version of quincunx\n",
                record->from);
        return false;
    }
    memcpy(one, record->body, sizeof *one);
    make_plain(one->version);
    make_plain(one->host);
    one->cores = one->cores > 0 ? one->cores : 1;
    if (strcmp(one->version, hello[0].version) != 0) {
        fprintf(stderr,
                "quincunx: rank %u on %s is quincunx %s, rank 0 %s: all "
                "hosts need the same\n",
                record->from, one->host, one->version, hello[0].version);
        return false;
    }
    return true;
}

static bool keep_all(void)
{
    double until_s = host_clock_s(host_clock()) + CALL_S;
    struct ranks_record record;
    unsigned known = 1;

    while (known < ranks_count() && ranks_await(&record, until_s)) {
        if (!keep(&record)) {
            return false;
        }
        known += 1;
    }
    for (unsigned rank = 1; rank < ranks_count(); ++rank) {
        if (!is_known(&hello[rank])) {
            fprintf(stderr, "quincunx: rank %u is silent for %u s\n", rank,
                    CALL_S);
        }
    }
    return known == ranks_count();
}

int roll_call(void)
{
    if (hello == NULL) {
        hello = memory_or_exit(calloc(ranks_count(), sizeof *hello));
        hello[0] = own();
        incomplete = !keep_all();
        if (incomplete) {
            ranks_give_up();
        }
    }
    return incomplete ? -1 : 0;
}

const struct record_hello *roll_of(unsigned rank)
{
    return &hello[rank];
}

void roll_share(uint32_t first[], struct torus_size size, enum share_map map)
{
    uint32_t *cores = memory_or_exit(calloc(ranks_count(), sizeof *cores));

    for (unsigned rank = 0; rank < ranks_count(); ++rank) {
        cores[rank] = hello[rank].cores;
    }
    share_out(first, size, ranks_count(), cores, map);
    free(cores);
}

static struct host *host_of(struct host host[], unsigned *count, unsigned rank)
{
    const struct record_hello *hello = roll_of(rank);

    for (unsigned i = 0; i < *count; ++i) {
        if (strcmp(host[i].name, hello->host) == 0) {
            return &host[i];
        }
    }
    host[*count] = (struct host){.name = hello->host, .left_bytes = UINT64_MAX};
    *count += 1;
    return &host[*count - 1];
}

struct host *hosts_find(unsigned *count, struct torus_size size,
                        enum share_map map)
{
    unsigned ranks = ranks_count();
    struct host *host;
    uint32_t *first;

    if (roll_call() != 0) {
        return NULL;
    }
    host = memory_or_exit(calloc(ranks, sizeof *host));
    first = memory_or_exit(calloc(ranks + 1u, sizeof *first));
    roll_share(first, size, map);
    *count = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        struct host *one = host_of(host, count, rank);
        uint64_t left_bytes = roll_of(rank)->memory_left;

        one->ranks += 1;
        one->nodes += first[rank + 1] - first[rank];
        one->first = one->first || rank == 0;
        one->left_bytes =
            left_bytes < one->left_bytes ? left_bytes : one->left_bytes;
    }
    free(first);
    return host;
}
