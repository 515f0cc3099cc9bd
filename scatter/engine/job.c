/* SPDX-License-Identifier: Apache-2.0 */
/* One job of one node, from its first message to its last. */
#include "scatter/engine/announce.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/lost.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/originator.h"
#include "scatter/engine/probe.h"
#include "scatter/engine/prove.h"
#include "scatter/engine/scatter.h"

#include <stddef.h>
#include <string.h>

/* ---- a node that is not the originator ---- */

/* Whether a further round or chunk follows; rounds is 0 after an advance. */
static bool goes_on(const struct scatter *scatter)
{
    return scatter->policy->asks || scatter->job.rounds == 0 ||
           scatter->round + 1u < scatter->job.rounds;
}

/* Whether an error may come of nodes or messages that were lost: a message came
   in place of one before it. */
static bool is_orphaned(int error)
{
    return error == ERR_TIMEOUT || error == ERR_LOST || error == ERR_PLACE ||
           error == ERR_KIND;
}

/* Waits for a call; meanwhile the node's status tells why. Result: ERR_CALLED;
   `error` on a switch without calls. */
static int await_call(struct scatter *scatter, int error)
{
    struct node_status *status = &scatter->circuit->node->status;
    struct circuit_delivery delivery;
    int end;

    status->error = error;
    end = scatter_receive(scatter, &delivery,
                          CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(CIRCUIT_KIND_ASK));
    status->error = ERR_OK;
    return end == ERR_KIND ? error : end;
}

static int follow(struct scatter *scatter)
{
    int error;

    while ((error = scatter->policy->receive(scatter)) == ERR_OK &&
           !scatter->worker.ended &&
           (error = scatter->policy->compute(scatter)) == ERR_OK &&
           goes_on(scatter)) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = scatter->policy->gather(scatter);
    }
    if (is_orphaned(error)) {
        return await_call(scatter, error);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}

/* ---- the originator ---- */

/* Most units of a small load, and more for each node of a tree. */
#define STAYING_UNITS_MAX 2048u
#define STAYING_UNITS_NODE 1024u

/* strcmp() would take 400 bytes of the image. */
static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a += 1;
        b += 1;
    }
    return *a == *b;
}

static int find_kernel(struct scatter *scatter, const char *name)
{
    for (uint8_t i = 0; i < scatter->kernel_count; ++i) {
        if (same_name(scatter->kernels[i]->name, name)) {
            scatter->kernel = scatter->kernels[i];
            scatter->announced.kernel = i;
            return ERR_OK;
        }
    }
    return ERR_KERNEL;
}

/* Checks that halo and output fit. Result: 0; ERR_KERNEL; ERR_TERMS if the
   order's halo is not the kernel's; ERR_MEMORY without room for the output. */
static int check_terms(const struct scatter *scatter,
                       const struct originator *originator)
{
    const struct kernel_terms *terms = &scatter->terms;
    const struct wire_order *order = &originator->order;
    uint32_t memory_bytes = scatter->circuit->memory_bytes;
    uint64_t earlier = (uint64_t)order->first_unit * order->unit_bytes;
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);

    /* A halo longer than the memory could make an address wrap. */
    if (terms->before_bytes > memory_bytes ||
        terms->after_bytes > memory_bytes ||
        terms->result_bytes_max > SCATTER_RESULT_MAX ||
        (scatter_makes_output(terms) &&
         terms->result_bytes_max > KERNEL_RESULT_BESIDE_OUTPUT_MAX)) {
        return ERR_KERNEL;
    }
    /* The halo in front is shorter only at the load's beginning. */
    if (order->before_bytes !=
            (earlier < terms->before_bytes ? earlier : terms->before_bytes) ||
        order->after_bytes > terms->after_bytes) {
        return ERR_TERMS;
    }
    return scatter_makes_output(terms) &&
                   compute_output_room(scatter, order->load_units) > room
               ? ERR_MEMORY
               : ERR_OK;
}

static int begin_kernel(struct scatter *scatter, struct originator *originator)
{
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    if (scatter->kernel->work_bytes > SCATTER_WORK_MAX) {
        return ERR_KERNEL;
    }
    error = scatter_begin_kernel(scatter);
    originator->report.begin_ps = originator_now_ps(scatter) - start_ps;
    if (error != ERR_OK) {
        return error;
    }
    scatter->job.before_bytes = scatter->terms.before_bytes;
    scatter->job.after_bytes = scatter->terms.after_bytes;
    if (scatter_makes_output(&scatter->terms)) {
        scatter->job.flags |= WIRE_OUTPUT;
        originator->report.output = true;
    }
    return check_terms(scatter, originator);
}

static int take_order(struct scatter *scatter, struct originator *originator,
                      const struct circuit_delivery *delivery)
{
    struct wire_announce *announced = &scatter->announced;
    struct wire_order *order = &originator->order;
    int error = delivery->kind == WIRE_ORDER || scatter_drops(scatter)
                    ? wire_order_load(order, delivery->payload, delivery->bytes)
                    : ERR_KIND;

    /* Cannot fail: scatter_receive() has left room. */
    (void)originator_allocate(scatter, CIRCUIT_HEADER_BYTES + delivery->bytes);
    if (error != ERR_OK) {
        return error;
    }
    announced->unit_bytes = order->unit_bytes;
    announced->load_units = order->whole_units;
    announced->arg = order->arg;
    announced->arg_bytes = order->arg_bytes & 0x7fffffu;
    announced->check_load = order->check_load & 1u;
    originator->ordered =
        (struct wire_range){order->first_unit, order->load_units};
    scatter->job.flags = WIRE_FLAGS(order->flags & WIRE_MORE, order->policy);
    originator_set_range(scatter, order);
    error = find_kernel(scatter, order->kernel);
    if (error != ERR_OK) {
        return error;
    }
    if (order->load_units == 0) {
        return ERR_EMPTY;
    }
    return scatter->policy == policy_find(order->policy) ? ERR_OK : ERR_POLICY;
}

/* Whether the originator may compute the whole job itself. */
static bool may_stay(const struct scatter *scatter,
                     const struct wire_order *order)
{
    uint32_t few = STAYING_UNITS_MAX + STAYING_UNITS_NODE * order->tree_nodes;

    return order->phases == 0 ||
           (!scatter->policy->unplanned &&
            (scatter->costs->port_byte_ps > 0 || order->load_units <= few));
}

static int begin_job(struct scatter *scatter, struct originator *originator)
{
    bool stays = may_stay(scatter, &originator->order);
    int error = stays ? ERR_OK : announce_job(scatter, originator);

    if (error == ERR_OK) {
        error = begin_kernel(scatter, originator);
    }
    if (error == ERR_OK) {
        error = alone_decide(scatter, originator);
    }
    return error == ERR_OK && stays && !originator->alone
               ? announce_job(scatter, originator)
               : error;
}

/* Sends the report; result and outputs follow if `error` is 0, unless it lacks
   the whole load. */
static int send_report(struct scatter *scatter, struct originator *originator,
                       int error)
{
    struct scatter_memory *memory = scatter->memory;
    bool whole = lost_report(scatter, originator, error);
    uint32_t bytes;
    struct circuit_message message = {.kind = WIRE_REPORT};

    originator->report.proved = scatter->announced.check_load != 0;
    originator->report.error = error == ERR_LOST ? ERR_OK : error;
    wire_report_store(memory->report, &originator->report, &originator->plan);
    bytes = wire_report_bytes(&originator->report) +
            WIRE_RANGE_BYTES * originator->report.ranges;
    if (originator->report.proved) {
        prove_argument(scatter);
        prove_store(scatter, memory->report + bytes, scatter->proof);
        bytes += WIRE_PROOF_BYTES;
    }
    if (whole && scatter_has_output(scatter)) {
        uint32_t head = scatter_result_head_bytes(&scatter->terms);

        memory->head =
            (struct wire_result){.bytes = (uint16_t)scatter->result.bytes,
                                 .units = scatter->computed_units};
        scatter_attach_output(scatter, &message, 0);
        memcpy(memory->report + bytes, &memory->head, head);
        bytes += head;
    } else if (whole) {
        message.body[0].data = scatter->result.data;
        message.body[0].bytes = scatter->result.bytes;
    }
    message.head = (struct circuit_segment){memory->report, bytes};
    return circuit_send(scatter->circuit, 1u << CIRCUIT_HOST, &message);
}

/* Clears the last order's state. Arrays stay: clearing all takes 70 us. */
static void clear(struct scatter *scatter, struct originator *originator)
{
    memset(originator, 0, offsetof(struct originator, report.startup_ps));
    originator->input.results_numerator = 0;
    originator->input.results_denominator = 0;
    memset(&originator->report.ordered_ps, 0,
           sizeof originator->report -
               offsetof(struct wire_report, ordered_ps));
    originator->report.ordered_ps = clock_started_ps(scatter->circuit->clock);
}

static int carry_out(struct scatter *scatter,
                     const struct circuit_delivery *delivery)
{
    struct originator originator;
    int error;
    int sent;

    clear(scatter, &originator);
    scatter->circuit->log->events_written = 0; /* drops the last job's events */
    scatter->circuit->node->status.state = NODE_STATE_PLANNING;
    scatter->circuit->job = delivery->job;
    error = take_order(scatter, &originator, delivery);
    if (error == ERR_OK) {
        error = begin_job(scatter, &originator);
    }
    if (error == ERR_OK) {
        error = scatter->policy->lead(scatter, &originator);
        originator.report.gather_done_ps = originator_now_ps(scatter);
        error = error == ERR_TIMEOUT ? ERR_LOST : error;
    }
    sent = send_report(scatter, &originator, error);
    return error == ERR_OK || error == ERR_LOST ? sent : error;
}

/* Serves probes until an order comes, then carries out the order. */
static int originate(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error;

    do {
        error = scatter_receive(scatter, &delivery, 1u << CIRCUIT_HOST);
    } while (error == ERR_OK && delivery.kind == WIRE_MEASURE &&
             (error = probe_serve(scatter, delivery)) == ERR_OK);
    return error == ERR_OK ? carry_out(scatter, &delivery) : error;
}

/* ---- any node ---- */

static int reset(struct scatter *scatter)
{
    struct circuit_failure failure;

    while (circuit_failed(scatter->circuit, &failure)) {
        /* an earlier job's */
    }
    scatter->policy = policy_find(scatter->circuit->node->identity.policy);
    if (scatter->policy == NULL) {
        return ERR_POLICY;
    }
    scatter->free_from = scatter->circuit->memory;
    scatter->free_to = scatter->room_end;
    scatter->outputs_end = scatter->room_end;
    scatter->round = 0;
    scatter->circuit->job = CIRCUIT_ANY_JOB;
    scatter->job = (struct wire_job){.phases = 0};
    scatter->terms = (struct kernel_terms){.result_bytes_max = 0};
    scatter->kernel = NULL;
    scatter->ports_us = 0;
    scatter->has_result = false;
    scatter->has_slots = false;
    scatter->announced_by = WIRE_ANNOUNCE;
    scatter->computed_units = 0;
    scatter->lost = 0;
    scatter->number = 0;
    scatter->wait_most_ps = SCATTER_WAIT_MAX_PS;
    scatter->sum = 0;
    scatter->proof = 0;
    scatter->proof_argument = 0;
    scatter->worker = (struct scatter_worker){.ended = false};
    scatter->result = (struct kernel_result){.data = scatter->memory->result};
    return scatter->policy->prepare(scatter);
}

int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs)
{
    const struct node_identity *identity = &circuit->node->identity;

    scatter->circuit = circuit;
    scatter->kernels = kernels;
    scatter->kernel_count = (uint8_t)kernel_count;
    scatter->costs = costs;
    scatter->policies = policy_find(WIRE_PATTERN);
    scatter->rate.compute_ps = 0;
    scatter->size = (struct torus_size){identity->width, identity->height};
    if (identity->x >= identity->width || identity->y >= identity->height ||
        identity->originator_x >= identity->width ||
        identity->originator_y >= identity->height) {
        return ERR_RANGE;
    }
    if (circuit->memory_bytes < SCATTER_MEMORY_MIN) {
        return ERR_MEMORY;
    }
    scatter->room_end = circuit->memory + SCATTER_ROOM(circuit->memory_bytes,
                                                       circuit->aside_bytes);
    scatter->memory = circuit->aside_bytes < sizeof *scatter->memory
                          ? (void *)scatter->room_end
                          : (void *)circuit->aside;
    return reset(scatter);
}

/* Drops the job at hand, and does the one that a call brings. The host calls
   the node that is its originator, whoever was that of earlier jobs; any other
   node is called by its parent. */
static int answer_call(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error = scatter_drain(scatter);

    if (error == ERR_OK) {
        error = reset(scatter);
    }
    if (error != ERR_OK) {
        return error;
    }
    policy_become(scatter, WIRE_TREE);
    scatter->announced_by = CIRCUIT_KIND_CALL;
    (void)scatter->policy->prepare(scatter);
    error = scatter_receive(scatter, &delivery,
                            CIRCUIT_ALL_PORTS | 1u << CIRCUIT_HOST |
                                CIRCUIT_ONLY(CIRCUIT_KIND_CALL));
    if (error != ERR_OK) {
        return error;
    }
    scatter->layer = delivery.port != CIRCUIT_HOST;
    if (scatter->layer == 0) {
        return carry_out(scatter, &delivery);
    }
    error = announce_take(scatter, delivery);
    return error == ERR_OK ? follow(scatter) : error;
}

int scatter_run(struct scatter *scatter)
{
    int error;

    /* The next job's messages may overwrite bytes whose send is queued. */
    do {
        error = scatter->layer == 0 ? originate(scatter) : follow(scatter);
        while (error == ERR_CALLED) {
            error = answer_call(scatter);
        }
        if (error == ERR_OK) {
            scatter_record(scatter, EVENT_DONE, 0, scatter->ports_us);
        }
    } while (error == ERR_OK && (scatter->job.flags & WIRE_MORE) != 0 &&
             (error = scatter_drain(scatter)) == ERR_OK &&
             (error = reset(scatter)) == ERR_OK);
    return error;
}
