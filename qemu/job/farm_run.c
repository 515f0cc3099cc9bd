/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/farm_run.h"

#include "hal/err.h"
#include "qemu/fabric/event_queue.h"
#include "qemu/support/memory.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>
#include <string.h>

#define CHUNKS_MAX (1u << 24)
#define TIME_MAX_PS 0x1p62
#define HOPS_MAX 125 /* of a shortest path, there and back */

/* The number of an event: one of these, and its worker's number times
   EVENTS. */
enum happening {
    DEMAND_CAME, /* at the originator */
    CHUNK_CAME,  /* at the worker */
    COMPUTED,    /* by the worker */
    SLICE_ENDED, /* by the originator, which has no number: 0 */
    EVENTS
};

struct run_worker {
    struct farm_member member;
    uint64_t unit_ps;
    uint32_t hops;
    uint8_t port;
    bool computes;
    bool ended;          /* has been told that nothing is left */
    bool asked;          /* its demand has come, and waits */
    bool has_stock;      /* a chunk came while it computed */
    uint32_t chunks;     /* that were sent to it */
    uint32_t sent_units; /* of the last one sent */
    uint32_t units;      /* of the one that it computes, or computed last */
    uint32_t done_units; /* computed, and no demand has said so */
};

struct run {
    const struct farm_run_input *input;
    struct event_queue queue;
    uint64_t added; /* events so far: those of one time come in this order */
    struct farm farm;
    struct farm_member own;
    uint64_t own_unit_ps;
    uint64_t now_ps;
    uint64_t busy_ps;               /* until then the originator computes */
    uint64_t port_ps[TORUS_PORTS];  /* until then the port is held */
    uint64_t sends_ps[TORUS_PORTS]; /* ends of the last sends, of fewer ports */
    uint64_t last_grant_ps;         /* of those sends */
    struct run_worker *worker;
    uint32_t workers;
    uint32_t *waiting; /* numbers of those that asked, a ring of `workers` */
    uint32_t first_waiting;
    uint32_t count_waiting;
    uint32_t chunks;
    struct farm_run result;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add(struct run *run, uint64_t at_ps, uint32_t worker,
                enum happening what)
{
    event_queue_add(&run->queue,
                    (struct event){.time_ps = at_ps,
                                   .order = run->added++,
                                   .number = worker * EVENTS + what});
}

static uint64_t circuit_ps(const struct farm_run_input *input,
                           const struct run_worker *worker, double bytes)
{
    uint64_t once_ps =
        input->startup_ps + (uint64_t)(bytes * (double)input->byte_ps);

    return once_ps * (input->store_and_forward ? worker->hops : 1u) +
           input->hop_delay_ps * worker->hops;
}

/* A circuit to the originator. Result: its end. */
static uint64_t receive(struct run *run, const struct run_worker *worker,
                        double bytes)
{
    uint64_t *port_ps = &run->port_ps[worker->port];

    *port_ps =
        later(run->now_ps, *port_ps) + circuit_ps(run->input, worker, bytes);
    return *port_ps;
}

/* The first of the node's sends to end. */
static uint64_t *earliest_send(struct run *run)
{
    unsigned first = 0;

    for (unsigned i = 1; i < run->input->farm.ports; ++i) {
        first = run->sends_ps[i] < run->sends_ps[first] ? i : first;
    }
    return &run->sends_ps[first];
}

/* A circuit from the originator. Result: its end. */
static uint64_t send(struct run *run, const struct run_worker *worker,
                     double bytes)
{
    uint64_t *port_ps = &run->port_ps[worker->port];
    uint64_t *send_ps = earliest_send(run);
    uint64_t from_ps = later(run->now_ps, *port_ps);

    if (run->input->farm.ports < TORUS_PORTS) {
        from_ps = later(from_ps, later(*send_ps, run->last_grant_ps));
        run->last_grant_ps = from_ps;
    }
    *port_ps = from_ps + circuit_ps(run->input, worker, bytes);
    *send_ps = *port_ps;
    return *port_ps;
}

/* ---- workers ---- */

/* Begins the chunk that came last, and asks for the next one. */
static void begin_chunk(struct run *run, uint32_t number)
{
    struct run_worker *worker = &run->worker[number];
    double output = run->input->output_bytes * worker->done_units;

    worker->units = worker->sent_units;
    worker->computes = true;
    add(run, receive(run, worker, run->input->demand_bytes + output), number,
        DEMAND_CAME);
    add(run, run->now_ps + worker->units * worker->unit_ps + run->input->run_ps,
        number, COMPUTED);
}

/* Nothing comes any more: the result returns. */
static void return_result(struct run *run, const struct run_worker *worker)
{
    double output = run->input->output_bytes * worker->done_units;

    run->result.with_results_ps =
        later(run->result.with_results_ps,
              receive(run, worker, run->input->result_bytes + output));
}

static void on_chunk(struct run *run, uint32_t number)
{
    struct run_worker *worker = &run->worker[number];

    if (worker->computes) {
        worker->has_stock = true;
    } else if (worker->ended) {
        return_result(run, worker);
    } else {
        begin_chunk(run, number);
    }
}

static void on_computed(struct run *run, uint32_t number)
{
    struct run_worker *worker = &run->worker[number];

    worker->computes = false;
    worker->done_units = worker->units;
    run->result.makespan_ps = later(run->result.makespan_ps, run->now_ps);
    if (worker->has_stock) {
        worker->has_stock = false;
        on_chunk(run, number);
    }
}

/* ---- the originator ---- */

static void send_chunk(struct run *run, uint32_t number)
{
    struct run_worker *worker = &run->worker[number];
    uint32_t units = farm_next(&run->farm, &worker->member);
    double bytes = (double)units * run->input->unit_bytes +
                   run->input->chunk_bytes +
                   (worker->chunks == 0 ? run->input->first_bytes : 0);

    worker->ended = units == 0;
    worker->sent_units = units;
    worker->chunks += 1;
    run->chunks += 1;
    add(run, send(run, worker, bytes), number, CHUNK_CAME);
}

/* A worker's demand says what the chunk before the one in hand took. */
static void serve(struct run *run, uint32_t number)
{
    struct run_worker *worker = &run->worker[number];

    if (worker->chunks > 1) {
        uint32_t units = worker->done_units;

        farm_measured(&run->farm, &worker->member, units,
                      units * worker->unit_ps + run->input->farm.call_ps);
    }
    run->now_ps += run->input->software_ps;
    send_chunk(run, number);
}

/* Serves all that have asked, then computes a slice. */
static void work(struct run *run)
{
    uint64_t now_ps = run->now_ps;

    while (run->count_waiting > 0) {
        serve(run, run->waiting[run->first_waiting]);
        run->first_waiting = (run->first_waiting + 1) % run->workers;
        run->count_waiting -= 1;
    }
    run->busy_ps = run->now_ps;
    if (run->farm.left > 0) {
        run->busy_ps += run->input->run_ps;
        run->busy_ps += farm_slice(&run->farm, &run->own) * run->own_unit_ps;
        run->result.makespan_ps = later(run->result.makespan_ps, run->busy_ps);
    }
    if (run->busy_ps > now_ps) {
        add(run, run->busy_ps, 0, SLICE_ENDED);
    }
    run->now_ps = now_ps;
}

static void on_demand(struct run *run, uint32_t number)
{
    run->waiting[(run->first_waiting + run->count_waiting) % run->workers] =
        number;
    run->count_waiting += 1;
    if (run->busy_ps <= run->now_ps) {
        work(run);
    }
}

/* ---- all of it ---- */

static void add_workers(struct run *run)
{
    const uint8_t *branch = run->input->tree;

    for (uint32_t i = 0; i < run->workers; ++i) {
        struct run_worker *worker = &run->worker[i];
        struct torus_path path;
        unsigned shift;

        branch += TREE_BRANCH_BYTES;
        path = tree_direct(branch);
        shift = tree_slow_shift(branch);
        worker->member = farm_member();
        worker->port = path.port;
        worker->hops = torus_path_hops(path);
        worker->unit_ps = run->input->farm.compute_ps << shift;
        farm_set_speed(&run->farm, &worker->member, FARM_SPEED_ONE >> shift);
    }
}

static void work_off(struct run *run)
{
    while (run->chunks < CHUNKS_MAX && run->queue.count > 0) {
        struct event event = event_queue_remove(&run->queue);
        uint32_t worker = event.number / EVENTS;

        run->now_ps = event.time_ps;
        switch (event.number % EVENTS) {
        case DEMAND_CAME:
            on_demand(run, worker);
            break;
        case CHUNK_CAME:
            on_chunk(run, worker);
            break;
        case COMPUTED:
            on_computed(run, worker);
            break;
        default:
            work(run);
        }
    }
}

/* Whether all times fit, even if one thing happens after the other. */
static bool fits(const struct farm_run_input *input)
{
    double unit_ps = 8.0 * (double)input->farm.compute_ps +
                     (input->unit_bytes + input->output_bytes) *
                         (double)input->byte_ps * HOPS_MAX;

    return unit_ps * input->farm.load_units < TIME_MAX_PS;
}

int farm_run(struct farm_run *result, const struct farm_run_input *input)
{
    struct run run = {.input = input,
                      .own = farm_member(),
                      .own_unit_ps = input->farm.compute_ps
                                     << tree_slow_shift(input->tree),
                      .workers = input->farm.nodes - 1};

    if (!fits(input)) {
        return ERR_RANGE;
    }
    run.worker = memory_or_exit(calloc(run.workers + 1u, sizeof *run.worker));
    run.waiting = memory_or_exit(calloc(run.workers + 1u, sizeof *run.waiting));
    farm_init(&run.farm, &input->farm);
    farm_set_speed(&run.farm, &run.own,
                   FARM_SPEED_ONE >> tree_slow_shift(input->tree));
    add_workers(&run);
    memcpy(run.port_ps, input->announced_ps, sizeof run.port_ps);
    for (uint32_t i = 0; i < run.workers && run.farm.left > 0; ++i) {
        send_chunk(&run, i);
    }
    work(&run);
    work_off(&run);
    run.result.with_results_ps =
        later(run.result.with_results_ps, run.result.makespan_ps);
    *result = run.result;
    event_queue_free(&run.queue);
    free(run.worker);
    free(run.waiting);
    return run.chunks < CHUNKS_MAX ? ERR_OK : ERR_RANGE;
}
