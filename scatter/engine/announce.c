/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/announce.h"

#include "scatter/engine/originator.h"
#include "scatter/engine/probe.h"

#include <string.h>

int announce_job(struct scatter *scatter, struct originator *originator)
{
    const struct wire_announce *announced = &scatter->announced;
    uint8_t *out = originator_allocate(scatter, WIRE_ANNOUNCE_BYTES);
    int error;

    if (out == NULL) {
        return ERR_MEMORY;
    }
    memcpy(out, announced, WIRE_ANNOUNCE_BYTES);
    originator->announced_ps = originator_now_ps(scatter);
    error = scatter->policy->announce(
        scatter, originator, (struct circuit_segment){out, WIRE_ANNOUNCE_BYTES},
        (struct circuit_segment){announced->arg,
                                 WIRE_PAD4(announced->arg_bytes)});
    originator->report.announce_ps =
        originator_now_ps(scatter) - originator->announced_ps;
    return error;
}

int announce_drop(struct scatter *scatter, struct circuit_delivery *delivery)
{
    int error;

    if (scatter->round > 0) {
        return ERR_KIND; /* the announced job has begun */
    }
    error = scatter_drain(scatter);
    memmove(scatter->announcement, delivery->payload, delivery->bytes);
    delivery->payload = scatter->announcement;
    scatter->kernel = NULL;
    scatter->terms = (struct kernel_terms){.result_bytes_max = 0};
    return error;
}

/* Reads an announcement; sets *shared to the bytes behind the head. */
static int read(struct scatter *scatter,
                const struct circuit_delivery *delivery,
                struct circuit_segment *shared)
{
    struct wire_announce *announced = &scatter->announced;
    uint32_t head_bytes = 0;
    int error = scatter->policy->place(scatter, delivery->payload,
                                       delivery->bytes, &head_bytes);

    if (error != ERR_OK) {
        return error;
    }
    *shared = (struct circuit_segment){delivery->payload + head_bytes,
                                       delivery->bytes - head_bytes};
    error = wire_announce_load(announced, shared->data, shared->bytes);
    if (error != ERR_OK) {
        return error;
    }
    if (announced->kernel >= scatter->kernel_count) {
        return ERR_IMAGE;
    }
    scatter->circuit->log->events_written = 0; /* drops the last job's events */
    scatter->announced_job = delivery->job;
    scatter->begun_ps = clock_started_ps(scatter->circuit->clock);
    scatter->announcement = delivery->payload;
    scatter->kernel = scatter->kernels[announced->kernel];
    scatter->free_from = delivery->payload + ((delivery->bytes + 7u) & ~7u);
    return ERR_OK;
}

int announce_take(struct scatter *scatter, struct circuit_delivery delivery)
{
    struct circuit_segment none = {NULL, 0};
    struct circuit_segment shared;
    int error =
        scatter->kernel != NULL ? announce_drop(scatter, &delivery) : ERR_OK;

    if (error == ERR_OK) {
        error = read(scatter, &delivery, &shared);
    }
    if (error == ERR_OK) {
        scatter->circuit->job = scatter->announced_job;
        error = scatter->policy->announce(scatter, NULL, shared, none);
        /* The next message announces another job if this job's order fails. */
        if (!scatter_drops(scatter)) {
            scatter->circuit->job = CIRCUIT_ANY_JOB;
        }
    }
    if (error == ERR_OK) {
        error = scatter_begin_kernel(scatter);
    }
    if (error == ERR_OK && scatter->policy->expect != NULL) {
        scatter->policy->expect(scatter);
    }
    return error;
}

int await_serve(struct scatter *scatter, struct circuit_delivery delivery)
{
    return delivery.kind == WIRE_ANNOUNCE ? announce_take(scatter, delivery)
                                          : probe_serve(scatter, delivery);
}
