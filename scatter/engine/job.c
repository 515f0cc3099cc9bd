/* SPDX-License-Identifier: Apache-2.0 */
/* One job of one node, from its first message to its last. */
#include "scatter/engine/announce.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/originator.h"
#include "scatter/engine/policy.h"
#include "scatter/engine/probe.h"
#include "scatter/engine/scatter.h"

#include <stddef.h>
#include <string.h>

/* ---- a node that is not the originator ---- */

/* Whether a round follows that at hand. Their number is not known after an
   advance. */
static bool goes_on(const struct scatter *scatter)
{
    const struct wire_job *job = &scatter->job;

    return scatter->policy->asks
               ? !scatter->worker.ended
               : job->rounds == 0 || scatter->round + 1u < job->rounds;
}

/* Carries out one round: queues what descendants wait for, then computes. */
static int follow_round(struct scatter *scatter)
{
    int error = scatter->policy->receive(scatter);

    return error == ERR_OK && !scatter->worker.ended
               ? scatter->policy->compute(scatter)
               : error;
}

/* Carries out a job of a node that is not the originator, from the wait for its
   first message to the return of the result. Result: 0 or the error. */
static int follow(struct scatter *scatter)
{
    int error;

    while ((error = follow_round(scatter)) == ERR_OK && goes_on(scatter)) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = scatter->policy->gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}

/* ---- the originator ---- */

/* So few units may well stay with the originator, and of a tree, which takes
   longer to plan, so many more for each node: others hear of the job when it is
   known that they do not. So they do where ports take processor time: sends
   while the kernel is tried would make it seem slower. */
#define STAYING_UNITS_MAX 2048u
#define STAYING_UNITS_NODE 1024u

/* The library's strcmp() is 400 bytes longer. */
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

/* Whether the kernel's terms suit this node's memory and the order. */
static int check_terms(const struct scatter *scatter,
                       const struct originator *originator)
{
    const struct kernel_terms *terms = &scatter->terms;
    const struct wire_order *order = &originator->order;
    uint32_t memory_bytes = scatter->circuit->memory_bytes;
    uint64_t earlier = (uint64_t)order->first_unit * order->unit_bytes;
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);

    /* So a range's address less before_bytes does not wrap. */
    if (terms->before_bytes > memory_bytes ||
        terms->after_bytes > memory_bytes ||
        terms->result_bytes_max > SCATTER_RESULT_MAX ||
        (scatter_makes_output(terms) &&
         terms->result_bytes_max > KERNEL_RESULT_BESIDE_OUTPUT_MAX)) {
        return ERR_KERNEL;
    }
    /* Every node takes for granted that before the load lie before_bytes of the
       terms, or all that there are. */
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

/* Sets what the job and the originator's range have from the order. */
static void read_order(struct scatter *scatter, const struct wire_order *order)
{
    struct wire_announce *announced = &scatter->announced;

    announced->unit_bytes = order->unit_bytes;
    announced->arg = order->arg;
    announced->arg_bytes = order->arg_bytes;
    scatter->job.flags = WIRE_FLAGS(order->flags & WIRE_MORE, order->policy);
    originator_set_range(scatter, order);
}

static int prepare(struct scatter *scatter, struct originator *originator)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    const struct wire_order *order = &originator->order;
    bool stays =
        order->phases == 0 ||
        (!scatter->policy->asks &&
         (scatter->costs->port_byte_ps > 0 ||
          order->load_units <=
              STAYING_UNITS_MAX + STAYING_UNITS_NODE * order->tree_nodes));
    int error = find_kernel(scatter, order->kernel);

    if (error == ERR_OK && order->load_units == 0) {
        error = ERR_EMPTY;
    }
    if (error == ERR_OK && order->policy != identity->policy) {
        error = ERR_POLICY;
    }
    read_order(scatter, order);
    if (error == ERR_OK && !stays) {
        error = announce_job(scatter, originator);
    }
    if (error == ERR_OK) {
        error = begin_kernel(scatter, originator);
    }
    if (error == ERR_OK) {
        error = measure_guess(scatter, originator);
    }
    if (error == ERR_OK && stays && !originator->alone) {
        error = announce_job(scatter, originator);
    }
    return error;
}

static int send_report(struct scatter *scatter, struct originator *originator,
                       int error)
{
    struct scatter_memory *memory = scatter->memory;
    uint32_t bytes = wire_report_bytes(&originator->report);
    struct circuit_message message = {.kind = WIRE_REPORT};

    originator->report.error = error;
    wire_report_store(memory->report, &originator->report, &originator->plan);
    if (error == ERR_OK && scatter_has_output(scatter)) {
        uint32_t head = scatter_result_head_bytes(&scatter->terms);

        scatter_attach_output(scatter, &message, 0);
        memcpy(memory->report + bytes, memory->result_bytes, head);
        bytes += head;
    } else if (error == ERR_OK) {
        message.body[0].data = scatter->result.data;
        message.body[0].bytes = scatter->result.bytes;
    }
    message.head = (struct circuit_segment){memory->report, bytes};
    return circuit_send(scatter->circuit, 1u << CIRCUIT_HOST, &message);
}

static int originator_run(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    struct originator originator;
    int sent;
    int error;

    do {
        error = scatter_receive(scatter, &delivery, 1u << CIRCUIT_HOST);
    } while (error == ERR_OK && delivery.kind == WIRE_MEASURE &&
             (error = probe_serve(scatter, delivery)) == ERR_OK);
    if (error != ERR_OK) {
        return error;
    }
    /* All of it would take 70 us. */
    memset(&originator, 0, offsetof(struct originator, report.startup_ps));
    memset(&originator.input.stages, 0,
           sizeof originator.input - offsetof(struct planner_input, stages));
    originator.plan.rounds = 0;
    originator.report.ordered_ps = clock_started_ps(scatter->circuit->clock);
    scatter->circuit->log->events_written = 0; /* of the job before */
    scatter->circuit->node->status.state = NODE_STATE_PLANNING;
    scatter->circuit->job = delivery.job;
    error = delivery.kind == WIRE_ORDER
                ? wire_order_load(&originator.order, delivery.payload,
                                  delivery.bytes)
                : ERR_KIND;
    /* scatter_receive() has left room to round up. */
    (void)originator_allocate(scatter, CIRCUIT_HEADER_BYTES + delivery.bytes);
    if (error == ERR_OK) {
        error = prepare(scatter, &originator);
    }
    if (error == ERR_OK) {
        error = scatter->policy->lead(scatter, &originator);
        originator.report.gather_done_ps = originator_now_ps(scatter);
    }
    sent = send_report(scatter, &originator, error);
    return error == ERR_OK ? sent : error;
}

/* ---- any node ---- */

/* Forgets the last job. Result: 0 or the error. */
static int reset(struct scatter *scatter)
{
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
    scatter->memory =
        (struct scatter_memory *)(void *)(circuit->aside_bytes <
                                                  sizeof(struct scatter_memory)
                                              ? scatter->room_end
                                              : circuit->aside);
    return reset(scatter);
}

static int run_job(struct scatter *scatter)
{
    int error = scatter->layer == 0 ? originator_run(scatter) : follow(scatter);

    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_DONE, 0, scatter->ports_us);
    }
    return error;
}

int scatter_run(struct scatter *scatter)
{
    int error = run_job(scatter);

    while (error == ERR_OK && (scatter->job.flags & WIRE_MORE) != 0) {
        /* Sends still in the switch's queue lie where the next job's order or
           part will be received. */
        error = circuit_drain(scatter->circuit);
        if (error == ERR_OK) {
            error = reset(scatter);
        }
        if (error == ERR_OK) {
            error = run_job(scatter);
        }
    }
    return error;
}
