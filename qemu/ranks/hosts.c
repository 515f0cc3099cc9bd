/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/hosts.h"

#include "qemu/ranks/ranks.h"
#include "qemu/ranks/roll.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

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
