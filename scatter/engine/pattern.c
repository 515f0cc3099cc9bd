/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/await.h"

static_assert(WIRE_PART_BYTES == CIRCUIT_ROW_BYTES,
              "the switch writes what a part begins with");

/* Queues the sends of all remaining phases. */
static int send_rows(const struct scatter *scatter,
                     struct circuit_segment passed_on)
{
    const struct wire_job *job = &scatter->job;
    const struct split *split = &scatter->split;
    const struct circuit_rows rows = {
        .form = (uint8_t)(scatter->layer + 1u),
        .last_form = job->phases,
        .first_gap_ps = scatter->first_gap_ps,
        .gap_ps = scatter->gap_ps,
        .label = wire_part_place(0, 0, scatter->round) |
                 (job->rounds == 0 ? WIRE_ADVANCE : 0),
        .shared = passed_on,
        .begin = scatter->range_data - scatter->range_before_bytes,
        .end = scatter->range_data + scatter->range_to_end_bytes,
        .data = scatter->range_data - job->before_bytes,
        .unit_bytes = scatter->announced.unit_bytes,
        .halo_bytes = job->before_bytes + job->after_bytes,
        .units = scatter->units,
        .first_unit = scatter->first_unit,
        .extra_units = split->extra_units,
        .volume_units = split->volume_units};

    return circuit_send_rows(scatter->circuit, &rows);
}

int pattern_distribute(struct scatter *scatter, const uint8_t *tables,
                       struct circuit_segment passed_on)
{
    unsigned phases = scatter->job.phases;
    int error = split_volume(&scatter->split, wire_volumes(tables, phases),
                             wire_shares(tables), phases, scatter->layer,
                             scatter->units);

    return error == ERR_OK && scatter->layer < phases
               ? send_rows(scatter, passed_on)
               : error;
}

/* Whether a job goes with the advance that came before it. */
static bool goes_with(const struct wire_job *job, const struct wire_job *before,
                      unsigned round)
{
    return round == 0 || (job->rounds > 1 && job->phases == before->phases &&
                          job->before_bytes == before->before_bytes &&
                          job->after_bytes == before->after_bytes &&
                          (job->flags & WIRE_OUTPUT) == 0);
}

/* Reads the job that comes with the first part, or with the one behind an
   advance. */
static int read_job(struct scatter *scatter,
                    const struct circuit_delivery *delivery)
{
    const struct wire_job *job = &scatter->job;
    const struct wire_job before = *job;
    int error = scatter_read_job(scatter, delivery->payload + WIRE_PART_BYTES,
                                 delivery->bytes - WIRE_PART_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    if (!goes_with(job, &before, scatter->round) ||
        (job->flags & WIRE_FLAGS(WIRE_TABLES, 0xfu)) !=
            WIRE_FLAGS(WIRE_TABLES, WIRE_PATTERN) ||
        scatter->layer > job->phases ||
        delivery->job != scatter->announced_job || scatter->kernel == NULL) {
        return ERR_FIELD;
    }
    scatter->circuit->job = delivery->job;
    scatter->wanted = scatter->wanted_later;
    if (job->rounds == 1) {
        scatter->gap_ps = 0;
    }
    return ERR_OK;
}

/* Sets what is known of a job of which the advance has come. */
static int expect_job(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    if (scatter->kernel == NULL || delivery->job != scatter->announced_job ||
        scatter_makes_output(&scatter->terms)) {
        return ERR_FIELD;
    }
    scatter->circuit->job = delivery->job;
    scatter->wanted = scatter->wanted_later;
    scatter->job.phases = (uint8_t)torus_phases(scatter->size);
    scatter->job.before_bytes = scatter->terms.before_bytes;
    scatter->job.after_bytes = scatter->terms.after_bytes;
    return ERR_OK;
}

/* Reads a part, of which the head may be all that is there, and queues what of
   it goes on. */
static int take(struct scatter *scatter,
                const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    struct circuit_segment passed_on = {in + WIRE_PART_BYTES, 0};
    const uint8_t *tables = passed_on.data;
    struct wire_part part;
    bool advance;
    int error = wire_part_load(&part, in, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    advance =
        part.place == (scatter->place | WIRE_ADVANCE) && scatter->round == 0;
    if (part.place != scatter->place && !advance) {
        return ERR_PLACE;
    }
    scatter->place += wire_part_place(0, 0, 1);
    if (advance) {
        error = expect_job(scatter, delivery);
        if (error != ERR_OK) {
            return error;
        }
    }
    if (scatter->job.rounds == 0 && !advance) {
        error = read_job(scatter, delivery);
        if (error != ERR_OK) {
            return error;
        }
        tables += WIRE_JOB_BYTES;
        passed_on.bytes = scatter->job_bytes;
    } else {
        passed_on.bytes = WIRE_TABLES_BYTES(scatter->job.phases);
        if (delivery->bytes < WIRE_PART_BYTES + passed_on.bytes) {
            return ERR_LENGTH;
        }
    }
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    error = scatter_set_range(scatter, passed_on.data + passed_on.bytes,
                              in + delivery->bytes);
    return error == ERR_OK ? pattern_distribute(scatter, tables, passed_on)
                           : error;
}

int pattern_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error = await_message(scatter, WIRE_PART, &delivery, scatter->wanted);
    int damage;

    if (error != ERR_OK) {
        return error;
    }
    error = take(scatter, &delivery);
    if (scatter->round == 0) {
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    damage = circuit_complete(scatter->circuit);
    return damage == ERR_OK ? error : damage;
}
