/* SPDX-License-Identifier: Apache-2.0 */
/* The originator: the order, samples of the kernel, the plan, and the report at
   the end. */
#include "scatter/engine/originator.h"

#include "hal/check.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/originator_state.h"
#include "scatter/engine/policy.h"
#include "scatter/engine/probe.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_ORIGINATOR

/* The kernel is sampled at places spread evenly over the load. */
#define SAMPLES 8u
#define SAMPLE_BYTES_MAX 4096u
#define SAMPLE_BYTES_MIN 16u
#define FIRST_SAMPLE_BYTES 64u
#define SAMPLE_PS_MAX ((uint64_t)12 * 1000 * 1000 * 1000) /* 12 ms each */

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
            scatter->job.kernel = i;
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
    uint64_t first = order->first_unit;
    uint64_t earlier = first * order->unit_bytes;
    uint64_t room = (uint64_t)(scatter->free_to - scatter->free_from);

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
    /* Not kernel_output_room(): an output's length may take 48 bits. */
    return scatter_makes_output(terms) &&
                   kernel_output_at(terms, first + order->load_units) -
                           kernel_output_at(terms, first) >
                       room
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

/* Time of the kernel on `units` from `position` of the load. There is memory
   for the output: check_terms() has made sure of all of the load's. */
static uint64_t sample_ps(struct scatter *scatter, uint32_t position,
                          uint32_t units)
{
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    error = scatter_run_kernel(scatter, &scatter->result, position, units);
    ASSERT(error == ERR_OK);
    return originator_now_ps(scatter) - start_ps;
}

/* Time per unit of samples that took `total_ps`, less the fixed part of each.
   On boards with real time an interrupt may make the call of no units the
   longest; then nothing is subtracted. */
static uint64_t per_unit_ps(uint64_t total_ps, uint64_t fixed_ps,
                            uint32_t units)
{
    uint64_t compute_ps =
        (total_ps - (fixed_ps < total_ps ? fixed_ps : 0)) / units;

    return compute_ps > 0 ? compute_ps : 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The units of so many bytes, one at least; as many units if these have no
   bytes. */
static uint32_t units_of(const struct scatter *scatter, uint32_t bytes)
{
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t units = unit_bytes > 1 ? bytes / unit_bytes : bytes;

    return units > 0 ? units : 1;
}

/*
 * Compute time per unit, from samples spread evenly over the load. The fixed
 * cost of a call is measured on a range of no units, and subtracted.
 */
static uint64_t sample_compute_ps(struct scatter *scatter,
                                  struct originator *originator)
{
    uint32_t load = scatter->units;
    uint32_t first = smaller(load, units_of(scatter, FIRST_SAMPLE_BYTES));
    uint32_t stride = load / SAMPLES;
    uint32_t units = smaller(stride, units_of(scatter, SAMPLE_BYTES_MAX));
    uint32_t fewest = units_of(scatter, SAMPLE_BYTES_MIN);
    uint64_t fixed_ps;
    uint64_t first_ps;
    uint64_t total_ps = 0;

    fixed_ps = sample_ps(scatter, 0, 0);
    originator->kernel_call_ps = fixed_ps;
    first_ps = sample_ps(scatter, 0, first);
    if (units < fewest) {
        return per_unit_ps(first_ps, fixed_ps, first);
    }
    while (units > fewest && first_ps * (units / first) > SAMPLE_PS_MAX) {
        units /= 2;
    }
    for (uint32_t i = 0; i < SAMPLES; ++i) {
        total_ps += sample_ps(scatter, i * stride, units);
    }
    return per_unit_ps(total_ps, SAMPLES * fixed_ps, SAMPLES * units);
}

/* Sets what the job and the originator's range have from the order. */
static void read_order(struct scatter *scatter, const struct wire_order *order)
{
    struct wire_job *job = &scatter->job;

    job->unit_bytes = order->unit_bytes;
    job->arg = order->arg;
    job->arg_bytes = order->arg_bytes;
    job->flags = WIRE_FLAGS(order->flags & WIRE_MORE, order->policy);
    originator_set_range(scatter, order);
}

static int prepare(struct scatter *scatter, struct originator *originator)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    const struct wire_order *order = &originator->order;
    int error = find_kernel(scatter, order->kernel);

    if (error == ERR_OK && order->load_units == 0) {
        error = ERR_EMPTY;
    }
    if (error == ERR_OK && order->policy != identity->policy) {
        error = ERR_POLICY;
    }
    read_order(scatter, order);
    if (error == ERR_OK) {
        error = begin_kernel(scatter, originator);
    }
    if (error == ERR_OK) {
        originator->report.compute_ps = sample_compute_ps(scatter, originator);
        error = scatter->policy->plan(scatter, originator);
    }
    return error;
}

/* The timed part of the job: time zero is just before the first send is
   queued. */
static int carry_out(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    events_record(scatter->circuit->log, start_ps, EVENT_SCATTER_START, 0,
                  scatter->units);
    report->scatter_start_ps = start_ps;
    error = scatter->policy->send(scatter, originator, start_ps);
    if (error == ERR_OK) {
        error = scatter_compute(scatter);
    }
    if (error == ERR_OK) {
        error = scatter->policy->gather(scatter);
    }
    report->gather_done_ps = originator_now_ps(scatter);
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

int originator_run(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    struct originator originator;
    int sent;
    int error;

    memset(&originator, 0, sizeof originator);
    do {
        error = scatter_receive(scatter, &delivery, 1u << CIRCUIT_HOST);
    } while (error == ERR_OK && delivery.kind == WIRE_MEASURE &&
             (error = probe_serve(scatter, delivery)) == ERR_OK);
    if (error != ERR_OK) {
        return error;
    }
    scatter->circuit->log->events_written = 0; /* of the job before */
    scatter->circuit->node->status.state = NODE_STATE_PLANNING;
    scatter->circuit->job = delivery.job;
    error = delivery.kind == WIRE_ORDER
                ? wire_order_load(&originator.order, delivery.payload,
                                  delivery.bytes)
                : ERR_KIND;
    (void)originator_allocate(scatter, CIRCUIT_HEADER_BYTES + delivery.bytes);
    if (error == ERR_OK) {
        error = prepare(scatter, &originator);
    }
    if (error == ERR_OK) {
        scatter->circuit->node->status.state = NODE_STATE_SCATTERING;
        error = carry_out(scatter, &originator);
    }
    sent = send_report(scatter, &originator, error);
    return error == ERR_OK ? sent : error;
}
