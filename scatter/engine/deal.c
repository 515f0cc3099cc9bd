/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/deal.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/farm.h"
#include "scatter/engine/farm_worker.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/measure.h"
#include "scatter/plan/fixed.h"

/* ---- a node that is not the originator ---- */

/* Makes two places for blocks, the first of which may have come to one of them:
   none is longer, but for what is before and after it. */
static int make_places(struct scatter *scatter, uint32_t payload_bytes)
{
    struct scatter_worker *worker = &scatter->worker;
    uint64_t bytes =
        ((uint64_t)CIRCUIT_HEADER_BYTES + payload_bytes +
         scatter->job.before_bytes + scatter->job.after_bytes + 7u) &
        ~(uint64_t)7u;

    if (2 * bytes > (uint64_t)(scatter->free_to - worker->chunk)) {
        return ERR_MEMORY;
    }
    worker->stock_bytes = (uint32_t)bytes;
    return ERR_OK;
}

int deal_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error = farm_await_chunk(scatter, &delivery);

    if (error == ERR_OK) {
        error = farm_read_chunk(scatter, &delivery);
    }
    if (error == ERR_OK && scatter->worker.ended) {
        error = ERR_PLAN;
    }
    if (error != ERR_OK || scatter->round + 1u == scatter->job.rounds) {
        return error;
    }
    if (scatter->round == 0) {
        error = make_places(scatter, delivery.bytes);
    }
    return error == ERR_OK ? farm_listen(scatter) : error;
}

/* Whoever is told how many rounds there are ends with the last. */
int deal_compute(struct scatter *scatter)
{
    int error = scatter_compute(scatter);

    scatter->worker.ended = scatter->round + 1u == scatter->job.rounds;
    return error;
}

/* ---- the originator ---- */

/* How the load is cut, and what is sent with the blocks. */
struct deal {
    uint32_t units;
    uint32_t nodes;
    uint32_t rounds;
    uint32_t block_units; /* of each block, and one more of the first .. */
    uint32_t longer;      /* .. so many blocks */
    uint32_t saved_units; /* that each block of the originator has less */
    uint8_t *heads;       /* of the messages to all nodes, by block */
    struct circuit_segment job; /* comes with the first round's */
};

/* The first unit of a block, from the load's begin on. */
static uint32_t block_begin(const struct deal *deal, uint32_t block)
{
    uint32_t own_blocks = (block + deal->nodes - 1) / deal->nodes;

    return deal->block_units * block +
           (block < deal->longer ? block : deal->longer) -
           deal->saved_units * own_blocks;
}

/* A block takes so many times as long as the messages of a round take the
   originator, and as so many calls of the kernel without any units. */
#define MESSAGES 4u
#define CALLS 8u
/* Where units vary with their data, what is measured tells less than that. */
#define VARIED_ROUNDS 8u

/* Sets the number of rounds. `round_ps`: a round's messages. */
static int choose_rounds(struct deal *deal, const struct plan_job *input,
                         uint64_t round_ps, uint8_t ordered)
{
    uint32_t most = deal->units / deal->nodes;
    uint32_t least = input->varies ? VARIED_ROUNDS : 1;
    uint64_t share_ps =
        fixed_product(input->compute_ps, deal->units) / deal->nodes;
    uint64_t paying =
        share_ps / (MESSAGES * round_ps + CALLS * input->call_ps + 1);

    most = most > 0 ? most : 1;
    if (ordered != WIRE_BEST) {
        deal->rounds = ordered;
        return ordered > 0 && ordered <= ROUNDS_MAX && ordered <= most
                   ? ERR_OK
                   : ERR_PHASES;
    }
    most = most < ROUNDS_MAX ? most : ROUNDS_MAX;
    least = least < most ? least : most;
    deal->rounds = paying < least  ? least
                   : paying < most ? (uint32_t)paying
                                   : most;
    return ERR_OK;
}

/* Cuts the load. The originator computes no unit in the time that its software
   takes for a round's messages, if it is known what a unit takes. */
static void cut(struct deal *deal, const struct plan_job *input,
                uint64_t software_ps)
{
    uint32_t blocks = deal->nodes * deal->rounds;
    uint64_t saved = input->varies ? 0 : software_ps / input->compute_ps;
    uint32_t most = deal->units / blocks;
    uint32_t units;

    deal->saved_units = saved < most ? (uint32_t)saved : most;
    units = deal->units + deal->saved_units * deal->rounds;
    deal->block_units = units / blocks;
    deal->longer = units % blocks;
}

/* Writes the job into new memory, and takes that of the heads. */
static int store_job(struct scatter *scatter, struct originator *originator,
                     struct deal *deal)
{
    static const uint64_t no_times[2];

    scatter->job.phases = 1;
    scatter->job.rounds = (uint8_t)deal->rounds;
    scatter->job.slots = (struct wire_slots){.gather_ps = 0};
    scatter->job_bytes = wire_job_bytes(&scatter->job);
    originator->job = originator_allocate(scatter, scatter->job_bytes);
    deal->heads = originator_allocate(scatter, WIRE_CHUNK_BYTES * deal->nodes *
                                                   deal->rounds);
    if (originator->job == NULL || deal->heads == NULL) {
        return ERR_MEMORY;
    }
    wire_job_store(originator->job, &scatter->job, no_times);
    deal->job = (struct circuit_segment){originator->job, scatter->job_bytes};
    return ERR_OK;
}

static int plan(struct scatter *scatter, struct originator *originator,
                struct deal *deal)
{
    struct wire_report *report = &originator->report;
    uint64_t start_ps = originator_now_ps(scatter);
    struct plan_job input;
    uint64_t round_ps;
    int error =
        farm_input_of(&input, scatter, originator, deal->units, deal->nodes);

    if (error != ERR_OK) {
        return error;
    }
    round_ps = (deal->nodes - 1) * input.demand_ps / 2;
    error = choose_rounds(deal, &input, round_ps, originator->order.rounds);
    if (error != ERR_OK) {
        return error;
    }
    cut(deal, &input,
        (uint64_t)(deal->nodes - 1) * scatter->costs->demand_ps / 2);
    report->phases = 1;
    report->phases_feasible = 1;
    report->rounds = (uint8_t)deal->rounds;
    report->makespan_ps =
        (fixed_product(input.compute_ps, deal->units) +
         fixed_product(input.transfer_ps, deal->units / deal->rounds)) /
            deal->nodes +
        deal->rounds * input.call_ps + round_ps;
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    return store_job(scatter, originator, deal);
}

/* Queues the message of a block to the node of this branch, unless it has no
   unit. */
static int send_block(struct scatter *scatter, const struct deal *deal,
                      uint32_t block, const uint8_t *branch)
{
    uint32_t begin = block_begin(deal, block);
    uint32_t position = begin - block_begin(deal, scatter->round * deal->nodes);
    uint32_t unit_bytes = scatter->announced.unit_bytes;
    const struct wire_job *job = &scatter->job;
    struct torus_path path = tree_direct(branch);
    struct wire_chunk chunk = {.units = block_begin(deal, block + 1) - begin,
                               .first_unit = scatter->first_unit + position,
                               .worker = (uint16_t)(block % deal->nodes),
                               .number = (uint16_t)(block / deal->nodes)};
    uint8_t *head = deal->heads + WIRE_CHUNK_BYTES * block;
    struct circuit_message message = {
        .path = path, .kind = WIRE_CHUNK, .head = {head, WIRE_CHUNK_BYTES}};

    if (chunk.units == 0) {
        return ERR_OK;
    }
    if (!torus_path_valid(scatter->size, path)) {
        return ERR_PLAN;
    }
    wire_chunk_store(head, &chunk);
    if (chunk.number == 0) {
        message.shared = deal->job;
    }
    message.body[path.port] = (struct circuit_segment){
        scatter->range_data + position * unit_bytes - job->before_bytes,
        chunk.units * unit_bytes + job->before_bytes + job->after_bytes};
    scatter_clip_to_load(scatter, &message.body[path.port]);
    return scatter_send(scatter, 1u << path.port, &message);
}

/* Queues the messages of a round, the originator's range being at its own block
   of the round at hand. */
static int send_round(struct scatter *scatter, const struct deal *deal,
                      uint32_t round)
{
    const uint8_t *tree = scatter->tree.branch;
    int error = ERR_OK;

    for (uint32_t i = 1; error == ERR_OK && i < deal->nodes; ++i) {
        error = send_block(scatter, deal, round * deal->nodes + i,
                           tree + TREE_BRANCH_BYTES * i);
    }
    return error;
}

/* Computes the originator's block of the round at hand, and moves its range on
   to that of the next. */
static int compute_block(struct scatter *scatter, const struct deal *deal,
                         uint64_t *took_ps)
{
    uint32_t block = scatter->round * deal->nodes;
    uint32_t begin = block_begin(deal, block);
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    scatter->split.share_units = block_begin(deal, block + 1) - begin;
    error = scatter_compute(scatter);
    *took_ps += originator_now_ps(scatter) - start_ps;
    scatter_skip(scatter, block_begin(deal, block + deal->nodes) - begin);
    return error;
}

/* Deals the load out and computes the originator's blocks. */
static int carry_out(struct scatter *scatter, struct originator *originator,
                     const struct deal *deal)
{
    uint64_t took_ps = 0;
    uint32_t units = 0;
    int error = send_round(scatter, deal, 0);

    while (error == ERR_OK && scatter->round < deal->rounds) {
        if (scatter->round + 1u < deal->rounds) {
            error = send_round(scatter, deal, scatter->round + 1u);
        }
        if (error == ERR_OK) {
            error = compute_block(scatter, deal, &took_ps);
            units += scatter->split.share_units;
            scatter->round += 1;
        }
    }
    return error == ERR_OK ? measure_keep(scatter, originator, units, took_ps)
                           : error;
}

int deal_lead(struct scatter *scatter, struct originator *originator)
{
    struct deal deal;
    uint32_t dealt;
    int error;

    if (originator->alone) {
        policy_become(scatter, WIRE_TREE);
        return scatter->policy->lead(scatter, originator);
    }
    error = measure_kernel(scatter, originator);
    deal.units = scatter->units;
    deal.nodes = tree_nodes(scatter->tree.branch);
    dealt = deal.units < deal.nodes ? deal.units : deal.nodes;
    if (error == ERR_OK) {
        error = plan(scatter, originator, &deal);
    }
    if (error == ERR_OK) {
        originator_begin(scatter, originator);
        error = carry_out(scatter, originator, &deal);
    }
    if (error != ERR_OK) {
        return error;
    }
    scatter_begin_outputs(scatter);
    return farm_gather_workers(scatter, dealt > 0 ? dealt - 1 : 0);
}
