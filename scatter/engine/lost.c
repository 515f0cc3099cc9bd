/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/lost.h"

#include "scatter/engine/originator.h"
#include "scatter/engine/prove.h"

#include <string.h>

/* The first question comes 1 / WAIT_PART of the job's time after the results
   are due, and WAIT_SLOTS slots of each phase. */
#define WAIT_PART 512u
#define WAIT_SLOTS 1u

/* Numbers that a node keeps free for its own children. */
#define OWN_MAX (TORUS_PORTS * 2u)

void lost_expect(struct scatter *scatter, const struct wire_slots *slots)
{
    const struct wire_job *job = &scatter->job;
    uint32_t slot_units = slots->short_units > slots->long_units
                              ? slots->short_units
                              : slots->long_units;
    uint64_t slots_ps = (uint64_t)slot_units << slots->shift;

    scatter->due_ps =
        slots->gather_ps + (scatter_has_output(scatter)
                                ? wire_job_result_ps(scatter->job_data, 0)
                                : 0);
    scatter->wait_ps = (scatter->due_ps - scatter->begun_ps) / WAIT_PART +
                       WAIT_SLOTS * job->phases * slots_ps;
}

static uint32_t number_of(const struct gather_from *from, unsigned port)
{
    return from->number + from->step * port;
}

unsigned lost_ports(const struct scatter *scatter,
                    const struct gather_from *from)
{
    unsigned ports = 0;

    for (uint32_t i = 0; i < scatter->lost; ++i) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            ports |=
                (unsigned)(scatter->memory->lost[i] == number_of(from, port))
                << port;
        }
    }
    return ports;
}

/* Returns the index of a number in the list; scatter->lost: it is not there. */
static uint32_t index_of(const struct scatter *scatter, uint32_t number)
{
    uint32_t i = 0;

    while (i < scatter->lost && scatter->memory->lost[i] != number) {
        i += 1;
    }
    return i;
}

void lost_found(struct scatter *scatter, uint32_t number)
{
    uint16_t *lost = scatter->memory->lost;
    uint32_t i = index_of(scatter, number);

    if (i < scatter->lost) {
        scatter->lost -= 1;
        lost[i] = lost[scatter->lost];
    }
}

int lost_add(struct scatter *scatter, uint32_t number)
{
    if (index_of(scatter, number) < scatter->lost) {
        return ERR_OK;
    }
    if (scatter->lost == WIRE_LOST_MAX) {
        return ERR_LOST;
    }
    scatter->memory->lost[scatter->lost++] = (uint16_t)number;
    return ERR_OK;
}

int lost_ask(struct scatter *scatter, const struct gather_from *from,
             unsigned *ports)
{
    unsigned lost;
    int error = circuit_ask(scatter->circuit, *ports & CIRCUIT_ALL_PORTS,
                            from->path, &lost);

    *ports &= ~lost;
    for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
        if ((lost >> port & 1u) != 0) {
            error = lost_add(scatter, number_of(from, port));
        }
    }
    return error;
}

/* Length, bytes, of a list of numbers, with how many these are. */
static uint32_t list_bytes_of(uint32_t count)
{
    return WIRE_PAD4(2u * count + 2u);
}

bool lost_take(struct scatter *scatter, uint32_t number, const uint8_t *end,
               uint32_t *bytes)
{
    uint32_t count = *bytes > 0 ? bytes_load_u16(end - 2) : 0;
    uint32_t list_bytes = list_bytes_of(count);

    if (list_bytes > *bytes ||
        scatter->lost + count + OWN_MAX > WIRE_LOST_MAX) {
        return false;
    }
    *bytes -= list_bytes;
    for (uint32_t i = 0; i < count; ++i) {
        scatter->memory->lost[scatter->lost + i] =
            (uint16_t)(number + bytes_load_u16(end - list_bytes + 2 * i));
    }
    scatter->lost += count;
    return true;
}

void lost_attach(struct scatter *scatter, struct circuit_message *message,
                 unsigned port)
{
    struct scatter_memory *memory = scatter->memory;
    struct circuit_segment *last = &message->body[port];
    uint32_t bytes = scatter->lost > 0 ? list_bytes_of(scatter->lost) : 0;

    if (bytes > 0) {
        memory->lost[bytes / 2 - 1] = (uint16_t)scatter->lost;
    }
    if (scatter->announced.check_load != 0) {
        prove_result(scatter, (uint8_t *)memory->lost + bytes);
        bytes += WIRE_PROOF_BYTES;
    }
    if (last->bytes == 0) {
        *last = (struct circuit_segment){(const uint8_t *)memory->lost, bytes};
    } else {
        /* Behind the children's outputs there is free memory. */
        memcpy(scatter->child_outputs + scatter->child_outputs_bytes,
               memory->lost, bytes);
        last->bytes += bytes;
    }
}

void lost_range(struct scatter *scatter, struct originator *originator,
                uint32_t first_unit, uint32_t units)
{
    struct wire_report *report = &originator->report;
    struct wire_range range = {first_unit, units};

    if (units > 0 && report->ranges < WIRE_RANGES_MAX) {
        memcpy(scatter->memory->report + wire_report_bytes(report) +
                   WIRE_RANGE_BYTES * report->ranges,
               &range, sizeof range);
        report->ranges += 1;
        originator->lost_units += units;
    }
}

/* Adds the ranges of all lost descendants. Returns whether these and what was
   computed are all units of the order. */
static bool add_ranges(struct scatter *scatter, struct originator *originator)
{
    uint32_t units = originator->ordered.units - scatter->computed_units;
    bool known = scatter->lost == 0 || scatter->policy->lost != NULL;

    originator->lost_units = 0;
    for (uint32_t i = 0; known && i < scatter->lost; ++i) {
        known = scatter->policy->lost(scatter, originator,
                                      scatter->memory->lost[i]) == ERR_OK;
    }
    return known && originator->lost_units == units;
}

bool lost_report(struct scatter *scatter, struct originator *originator,
                 int error)
{
    if (error == ERR_OK && add_ranges(scatter, originator)) {
        return true;
    }
    originator->report.ranges = 0;
    if (error == ERR_OK || error == ERR_LOST) {
        lost_range(scatter, originator, originator->ordered.first_unit,
                   originator->ordered.units);
    }
    return false;
}
