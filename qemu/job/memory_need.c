/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/memory_need.h"

#include "qemu/board/emulator.h"
#include "qemu/fabric/injection.h"
#include "qemu/job/batches.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/ranks/roll.h"
#include "qemu/ranks/ranks.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/limits.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

/* Copies of the load that all nodes together hold: the originator's, those of
   nodes that pass it on, and those in the work area of native nodes. */
#define LOAD_COPIES 4u

/* RANK_BYTES: memory of an MPI rank besides its nodes. COPY_BYTES: memory of
   each copy of a board's shared memory that rank 0 keeps. */
#define RANK_BYTES (24 * MIB)
#define COPY_BYTES (32 * KIB)

/* Memory of one kind of nodes, bytes: a fixed amount, plus an amount for each
   node. */
struct need {
    uint64_t fixed;
    uint64_t node;
};

/* Forked boards share memory with their zygote (qemu/board/zygote.h). Boards
   that are started one by one share only the text of QEMU. */
static const struct need forked = {34 * MIB, 1420 * KIB};
static const struct need forked_early = {34 * MIB, 2500 * KIB};
static const struct need executed = {24 * MIB, 11500 * KIB};
static const struct need native = {8 * MIB, 36 * KIB};
static const struct need serial = {24 * MIB, 15 * MIB};

/* Version of QEMU whose boards take less memory: they are forked after their
   machine is made (qemu/board/DESIGN.md). Asking QEMU for its version takes 20
   ms. For fewer than FEW_BOARDS boards the larger need is taken without asking;
   it is at most 100 MiB more. */
#define LATE_QEMU "version 7."
#define FEW_BOARDS 100u

static struct need need_of_forks(const struct request *request)
{
    char version[EMULATOR_VERSION_BYTES];

    if (torus_nodes(request->size) < FEW_BOARDS) {
        return forked_early;
    }
    emulator_version(version);
    return strstr(version, LATE_QEMU) != NULL ? forked : forked_early;
}

static struct need need_of(const struct request *request)
{
    if (!request->mesh->has_images) {
        return request->mesh->has_fabric ? native : (struct need){MIB, 0};
    }
    if (!request->mesh->has_fabric) {
        return serial;
    }
    return request->one_by_one || request->gdb ? executed
                                               : need_of_forks(request);
}

static uint64_t load_bytes(const struct request *request)
{
    uint64_t bytes = 0;

    if (request->originators == 1 && request->kernel != NULL) {
        struct job_task task = job_task_of(request);

        return task.originator->load.units == 0
                   ? 0
                   : (uint64_t)batches_units(&task) *
                         task.originator->load.unit_bytes;
    }
    for (uint32_t i = 0; i < request->originators; ++i) {
        const struct format_load *load = &request->originator[i].load;

        bytes += load->units * load->unit_bytes;
    }
    return bytes;
}

/* Returns the memory, bytes, of boards that a test slows down later. Each is a
   process of its own with its own image. */
static uint64_t alone_bytes(const struct request *request)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < request->injections.count; ++i) {
        const struct injection *injection = &request->injections.injection[i];

        if (injection->what == INJECTION_SLOW && injection->from_ps > 0) {
            bytes += executed.node;
        }
    }
    return request->mesh->has_images ? bytes : 0;
}

uint64_t memory_need(const struct request *request)
{
    struct need need = need_of(request);

    return need.fixed + need.node * torus_nodes(request->size) +
           LOAD_COPIES * load_bytes(request) + alone_bytes(request);
}

static void print_bytes(uint64_t bytes)
{
    double mib = (double)bytes / (double)MIB;

    if (mib >= 1000) {
        fprintf(stderr, "%.2f GiB", mib / 1024);
    } else {
        fprintf(stderr, "%.0f MiB", mib);
    }
}

/* Returns the memory, bytes, that one host of an MPI run needs. Each rank has a
   copy of its boards' shared memory; rank 0 has copies of all. */
static uint64_t host_need(const struct request *request,
                          const struct host *host)
{
    struct need need = need_of(request);
    uint64_t bytes = (need.fixed + RANK_BYTES) * host->ranks +
                     (need.node + COPY_BYTES) * host->nodes +
                     LOAD_COPIES * load_bytes(request) + alone_bytes(request);

    return host->first ? bytes + COPY_BYTES * torus_nodes(request->size)
                       : bytes;
}

static int check_hosts(struct request *request, bool force)
{
    unsigned count;
    struct host *host = hosts_find(&count, request->size, request->map);
    int status = host != NULL ? 0 : EXIT_FAILED;

    request->memory_hosts = 0;
    for (unsigned i = 0; status == 0 && i < count; ++i) {
        uint64_t need = host_need(request, &host[i]);

        request->memory_hosts += need;
        if (need > host[i].left_bytes) {
            fprintf(stderr, "quincunx: %u %s on %s need about ", host[i].nodes,
                    request->mesh->nodes, host[i].name);
            print_bytes(need);
            fputs(" of memory; it has ", stderr);
            print_bytes(host[i].left_bytes);
            fputs(force ? "; --force: goes on\n"
                        : "; take more hosts, a smaller --mesh, or --force\n",
                  stderr);
            status = force ? 0 : EXIT_FAILED;
        }
    }
    free(host);
    return status;
}

int memory_need_check(struct request *request, bool force)
{
    struct limits_memory limit;

    request->memory_need = memory_need(request);
    if (ranks_count() > 1) {
        return check_hosts(request, force);
    }
    limits_read_memory(&limit, "");
    if (request->memory_need <= limit.bytes) {
        return 0;
    }
    fprintf(stderr, "quincunx: %u %s need about ",
            (unsigned)torus_nodes(request->size), request->mesh->nodes);
    print_bytes(request->memory_need);
    fputs(" of memory; ", stderr);
    if (limit.group[0] != '\0') {
        fprintf(stderr, "the control group %s leaves ",
                quote_shown(limit.group));
    } else {
        fputs("the system has ", stderr);
    }
    print_bytes(limit.bytes);
    if (force) {
        fputs("; --force: goes on\n", stderr);
    } else {
        fprintf(stderr, "; take a smaller --mesh%s, or --force\n",
                request->mesh->has_fabric ? ", --on native" : "");
    }
    return force ? 0 : EXIT_FAILED;
}
