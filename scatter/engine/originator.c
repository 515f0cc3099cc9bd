/* SPDX-License-Identifier: Apache-2.0 */
/* The originator: order, calibration, plan, and the report at the end. */
#include "scatter/engine/originator.h"

#include "hal/check.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/originator_state.h"
#include "scatter/engine/policy.h"
#include "scatter/engine/probe.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_ORIGINATOR

/* Calibration runs the kernel on windows spread evenly over the load. */
#define SAMPLES 8u
#define SAMPLE_BYTES_MAX 4096u
#define SAMPLE_BYTES_MIN 16u
#define PROBE_BYTES 64u
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

/* Whether the node has room for what the kernel says that it makes. */
static int check_terms(const struct scatter *scatter,
                       const struct originator *originator)
{
    const struct kernel_terms *terms = &scatter->terms;
    const struct wire_order *order = &originator->order;
    uint32_t memory_bytes = scatter->circuit->memory_bytes;
    uint64_t first = order->first_unit;
    uint64_t earlier = first * order->unit_bytes;
    uint64_t room = (uint64_t)(scatter->high - scatter->low);

    /* Addresses that far from a range are still those of some memory. */
    if (terms->before_bytes > memory_bytes ||
        terms->after_bytes > memory_bytes ||
        terms->result_bytes_max > SCATTER_RESULT_MAX ||
        (scatter_makes_output(terms) &&
         terms->result_bytes_max > KERNEL_RESULT_BESIDE_OUTPUT_MAX)) {
        return ERR_KERNEL;
    }
    /* What the host sends before and after the load is what the terms ask, and
       of what is before it all there is: every node counts on that. */
    if (order->before_bytes !=
            (earlier < terms->before_bytes ? earlier : terms->before_bytes) ||
        order->after_bytes > terms->after_bytes) {
        return ERR_TERMS;
    }
    /* An output's length may have 48 bits: kernel_output_room() has 32. */
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

/* Time of the kernel on `units` from position `at` of the load: there is
   memory for the output of all of it. */
static uint64_t sample_ps(struct scatter *scatter, uint32_t at, uint32_t units)
{
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    error = scatter_run_kernel(scatter, &scatter->result, at, units);
    ASSERT(error == ERR_OK);
    return originator_now_ps(scatter) - start_ps;
}

/* Time per unit of samples that took `total_ps`, each with a fixed part. A call
   of no units that took longer than all of them was interrupted: on boards with
   real time that says nothing of the kernel, and nothing is left out. */
static uint64_t per_unit_ps(uint64_t total_ps, uint64_t fixed_ps,
                            uint32_t units)
{
    uint64_t compute_ps =
        (total_ps - (fixed_ps < total_ps ? fixed_ps : 0)) / units;

    return compute_ps > 0 ? compute_ps : 1;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* So many bytes in units, or that many units if these have no bytes; one at
   least. */
static uint32_t units_of(const struct scatter *scatter, uint32_t bytes)
{
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t units = unit_bytes > 1 ? bytes / unit_bytes : bytes;

    return units > 0 ? units : 1;
}

/*
 * Compute time per unit, from samples that cover the load evenly. What a call
 * costs whatever the units is measured on a range of none, and left out.
 */
static uint64_t calibrate(struct scatter *scatter,
                          struct originator *originator)
{
    uint32_t load = scatter->units;
    uint32_t probe = least(load, units_of(scatter, PROBE_BYTES));
    uint32_t stride = load / SAMPLES;
    uint32_t units = least(stride, units_of(scatter, SAMPLE_BYTES_MAX));
    uint32_t fewest = units_of(scatter, SAMPLE_BYTES_MIN);
    uint64_t fixed_ps;
    uint64_t probe_ps;
    uint64_t total_ps = 0;

    fixed_ps = sample_ps(scatter, 0, 0);
    originator->kernel_call_ps = fixed_ps;
    probe_ps = sample_ps(scatter, 0, probe);
    if (units < fewest) {
        return per_unit_ps(probe_ps, fixed_ps, probe);
    }
    while (units > fewest && probe_ps * (units / probe) > SAMPLE_PS_MAX) {
        units /= 2;
    }
    for (uint32_t i = 0; i < SAMPLES; ++i) {
        total_ps += sample_ps(scatter, i * stride, units);
    }
    return per_unit_ps(total_ps, SAMPLES * fixed_ps, SAMPLES * units);
}

/* The order's part of the job. */
static void take_order(struct scatter *scatter, const struct wire_order *order)
{
    struct wire_job *job = &scatter->job;

    job->unit_bytes = order->unit_bytes;
    job->arg = order->arg;
    job->arg_bytes = order->arg_bytes;
    job->flags = WIRE_FLAGS(order->flags & WIRE_MORE, order->policy);
    originator_hold_load(scatter, order);
}

static int prepare(struct scatter *scatter, struct originator *originator)
{
    const struct node_identity *who = &scatter->circuit->node->identity;
    const struct wire_order *order = &originator->order;
    int error = find_kernel(scatter, order->kernel);

    if (error == ERR_OK && order->load_units == 0) {
        error = ERR_EMPTY;
    }
    if (error == ERR_OK && order->policy != who->policy) {
        error = ERR_POLICY;
    }
    take_order(scatter, order);
    if (error == ERR_OK) {
        error = begin_kernel(scatter, originator);
    }
    if (error == ERR_OK) {
        originator->report.compute_ps = calibrate(scatter, originator);
        error = scatter->policy->plan(scatter, originator);
    }
    return error;
}

/* The timed part: time zero is just before the first send is queued. */
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
        uint32_t head = scatter_result_head(&scatter->terms);

        scatter_put_output(scatter, &message, 0);
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
        error = scatter_take_message(scatter, &delivery, 1u << CIRCUIT_HOST);
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
