/* SPDX-License-Identifier: Apache-2.0 */
/* All that is tried: the kernels with their formats, and what arrives in
   messages. */
#include "test/fuzz/fuzz.h"

#include "qemu/output.h"
#include "scatter/scatter.h"
#include "scatter/wire.h"
#include "test/fuzz/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Looks at every byte. */
static void touch(const uint8_t *data, uint64_t bytes)
{
    uint8_t *copy = malloc(bytes);

    fuzz_check(copy != NULL, "a length is out of all bounds");
    if (bytes > 0) {
        memcpy(copy, data, bytes);
    }
    free(copy);
}

/* ---- orders ---- */

static void try_order(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    struct torus_size size = {5, 5};
    struct wire_order order;

    (void)target;
    if (wire_order_load(&order, in, bytes) != ERR_OK) {
        return;
    }
    fuzz_check(strlen(order.kernel) < WIRE_NAME_BYTES, "a name without end");
    touch(order.arg, order.arg_bytes);
    touch(order.tree, (uint64_t)order.tree_nodes * TREE_BRANCH_BYTES);
    touch(order.load - order.before_bytes, wire_order_body_bytes(&order));
    tree_valid(order.tree, order.tree_nodes * TREE_BRANCH_BYTES, size);
}

static void add_order(uint32_t tree_nodes, uint32_t arg_bytes)
{
    static _Alignas(4) uint8_t tree[2 * TREE_BRANCH_BYTES] = {
        9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
        4, 0, 0, 0, 5, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0};
    static const uint8_t arg[8] = "argument";
    struct wire_order order = {.kernel = "search",
                               .load_units = 9,
                               .phases = WIRE_BEST,
                               .rounds = 1,
                               .ports = 4,
                               .tree_nodes = tree_nodes,
                               .unit_bytes = 3,
                               .arg_bytes = arg_bytes,
                               .first_unit = 5,
                               .before_bytes = 2,
                               .after_bytes = 1,
                               .arg = arg,
                               .tree = tree};
    uint8_t out[512] = {0};

    wire_order_store(out, &order);
    fuzz_add(out, wire_order_head_bytes(&order) +
                      (uint32_t)wire_order_body_bytes(&order));
}

static void seed_order(const struct fuzz_target *target)
{
    (void)target;
    add_order(0, 8);
    add_order(2, 5);
}

/* ---- jobs and parts ---- */

static void try_job(const struct fuzz_target *target, const uint8_t *in,
                    uint32_t bytes)
{
    struct wire_job job;

    (void)target;
    if (wire_job_load(&job, in, bytes) != ERR_OK) {
        return;
    }
    fuzz_check(wire_job_bytes(&job) <= bytes, "a job beyond its message");
    touch(in, wire_job_bytes(&job));
    touch(job.arg, job.arg_bytes);
    for (unsigned layer = 0; layer <= job.phases; ++layer) {
        if (job.rounds > 0) {
            touch((const uint8_t *)&wire_job_shares(in)[layer], 4);
            touch((const uint8_t *)&wire_job_volumes(in)[layer], 4);
        }
        if ((job.flags & WIRE_OUTPUT) != 0) {
            wire_job_result_ps(&job, in, layer);
        }
    }
}

static void add_job(uint8_t rounds, uint8_t phases, uint8_t flags)
{
    static const uint32_t units[TORUS_PHASES_MAX + 1] = {5, 4, 3, 2, 1};
    static const uint64_t results_ps[TORUS_PHASES_MAX + 1] = {9, 8, 7};
    struct wire_job job = {.phases = phases,
                           .rounds = rounds,
                           .flags = flags,
                           .unit_bytes = 1,
                           .arg_bytes = 5,
                           .arg = (const uint8_t *)"abcde"};
    uint8_t out[WIRE_JOB_BYTES_MAX + 8];

    wire_job_store(out, &job, units, units, results_ps);
    fuzz_add(out, wire_job_bytes(&job));
}

static void seed_job(const struct fuzz_target *target)
{
    (void)target;
    add_job(1, 2, 0);
    add_job(3, 4, WIRE_OUTPUT);
    add_job(0, 7, WIRE_OUTPUT);
}

static void try_part(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes)
{
    struct wire_part part;

    (void)target;
    if (wire_part_load(&part, in, bytes) == ERR_OK) {
        fuzz_check(part.port < TORUS_PORTS, "a port that does not exist");
    }
}

static void seed_part(const struct fuzz_target *target)
{
    uint8_t out[WIRE_PART_BYTES];

    (void)target;
    wire_part_store(out, 77, 8, wire_part_meta(2, 1), 3);
    fuzz_add(out, sizeof out);
}

/* ---- reports and outputs ---- */

static void try_report(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes)
{
    struct wire_report report;
    struct rounds_plan *plan = malloc(sizeof *plan);

    (void)target;
    if (wire_report_load(&report, plan, in, bytes) == ERR_OK) {
        fuzz_check(wire_report_bytes(&report) <= bytes,
                   "a report beyond its message");
        touch(in, wire_report_bytes(&report));
    }
    free(plan);
}

static void seed_report(const struct fuzz_target *target)
{
    struct wire_report report = {.phases = 4, .rounds = 3};
    struct rounds_plan plan = {.phases = 4, .rounds = 3};
    uint8_t out[WIRE_REPORT_BYTES_MAX];

    (void)target;
    wire_report_store(out, &report, &plan);
    fuzz_add(out, wire_report_bytes(&report));
    report.rounds = 0;
    report.phases = 200;
    wire_report_store(out, &report, &plan);
    fuzz_add(out, wire_report_bytes(&report));
}

/* u16 of the terms' result_bytes_max, u8 numerator, u8 denominator; then what
   follows a report. */
#define OUTPUT_HEAD 4u

static void try_output(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes)
{
    struct kernel_terms terms = {.output_varies = true};
    struct kernel_result result;

    (void)target;
    if (bytes < OUTPUT_HEAD) {
        return;
    }
    terms.result_bytes_max = bytes_load_u16(in) % (SCATTER_RESULT_MAX + 1);
    terms.output_numerator = in[2];
    terms.output_denominator = in[3];
    if (output_take(&result, in + OUTPUT_HEAD, bytes - OUTPUT_HEAD, &terms) ==
        0) {
        touch(result.data, result.bytes);
        touch(result.output, result.output_bytes);
    }
    free(result.data);
    free(result.output);
}

static void seed_output(const struct fuzz_target *target)
{
    static const uint8_t with[] = {
        8, 0, 1, 1, 5, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 0,   0,   0,
        7, 0, 0, 0, 3, 0, 0, 0, 'x', 'y', 'z', 0,   2,   0,   0,   0,
        0, 0, 0, 0, 0, 0, 0, 0, 4,   0,   0,   0,   'p', 'q', 'r', 's'};
    static const uint8_t without[] = {8, 0, 0, 0, 'a', 'b', 'c'};

    (void)target;
    fuzz_add(with, sizeof with);
    fuzz_add(without, sizeof without);
}

/* ---- all of them ---- */

#define KERNELS_MAX 64u
#define MESSAGES 5u

static void list_kernel(struct fuzz_target **at, const struct kernel *kernel)
{
    static const struct fuzz_target kinds[] = {
        {.name = "read", .try = kernels_try_read},
        {.name = "begin", .try = kernels_try_begin, .seed = kernels_seed_begin},
        {.name = "merge",
         .try = kernels_try_merge,
         .seed = kernels_seed_merge}};

    for (unsigned i = 0; i < 3; ++i) {
        struct fuzz_target *next = *at;

        if (i < 2 || kernel->merge != NULL) {
            *next = kinds[i];
            next->kernel = kernel->name;
            snprintf(next->name, sizeof next->name, "%.7s-%.*s", kinds[i].name,
                     (int)KERNEL_NAME_MAX, kernel->name);
            *at += 1;
        }
    }
}

const struct fuzz_target *fuzz_targets(void)
{
    static const struct fuzz_target messages[MESSAGES] = {
        {.name = "order", .try = try_order, .seed = seed_order},
        {.name = "job", .try = try_job, .seed = seed_job},
        {.name = "part", .try = try_part, .seed = seed_part},
        {.name = "report", .try = try_report, .seed = seed_report},
        {.name = "output", .try = try_output, .seed = seed_output}};
    static struct fuzz_target targets[3 * KERNELS_MAX + MESSAGES + 1];
    struct fuzz_target *at = targets;

    memcpy(at, messages, sizeof messages);
    at += MESSAGES;
    for (unsigned i = 0; i < kernel_table_count && i < KERNELS_MAX; ++i) {
        list_kernel(&at, kernel_table[i]);
    }
    *at = (struct fuzz_target){.name = ""};
    return targets;
}
