/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/await.h"
#include "scatter/engine/gather.h"

static_assert(WIRE_PART_BYTES == CIRCUIT_ROW_BYTES,
              "the switch writes what a part begins with");

/* Queues the sends of all remaining phases. */
static int send_rows(const struct scatter *scatter,
                     struct circuit_segment passed_on)
{
    const struct split *split = &scatter->split;
    /* Before the job is known: an advance. */
    uint32_t advance = scatter->job.rounds == 0 ? WIRE_ADVANCE : 0;
    const struct circuit_rows rows = {
        .shared = passed_on,
        .begin = scatter->range_data - scatter->range_before_bytes,
        .end = scatter->range_data + scatter->range_to_end_bytes,
        .data = scatter->range_data - scatter->job.before_bytes,
        .volume_units = split->volume_units,
        .extra_units = split->extra_units,
        .label = wire_part_place(0, 0, scatter->round) | advance,
        .units = scatter->units,
        .first_unit = scatter->first_unit};

    return circuit_send_rows(scatter->circuit, &scatter->cut, &rows);
}

int pattern_distribute(struct scatter *scatter, const uint8_t *tables,
                       const uint8_t *passed_on, uint32_t passed_on_bytes)
{
    unsigned phases = scatter->job.phases;
    int error = split_volume(&scatter->split, wire_volumes(tables, phases),
                             wire_shares(tables), phases, scatter->layer,
                             scatter->units);

    return error == ERR_OK && scatter->layer < phases
               ? send_rows(scatter,
                           (struct circuit_segment){passed_on, passed_on_bytes})
               : error;
}

void pattern_set_cut(struct scatter *scatter)
{
    const struct wire_job *job = &scatter->job;
    struct circuit_cut *cut = &scatter->cut;

    cut->last_form = job->phases;
    cut->halo_bytes = job->before_bytes + job->after_bytes;
    if (job->rounds == 1) {
        cut->gap_ps = 0;
    }
}

/* Whether a job goes with what was known before it: it has no more phases than
   the torus, and behind an advance it goes with that. */
static bool goes_with(const struct wire_job *job, const struct wire_job *before,
                      unsigned round)
{
    return round == 0 ? job->phases <= before->phases
                      : job->rounds > 1 && job->phases == before->phases &&
                            job->before_bytes == before->before_bytes &&
                            job->after_bytes == before->after_bytes &&
                            (job->flags & WIRE_OUTPUT) == 0;
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
    return goes_with(job, &before, scatter->round) &&
                   (job->flags & WIRE_FLAGS(WIRE_TABLES, 0xfu)) ==
                       WIRE_FLAGS(WIRE_TABLES, WIRE_PATTERN) &&
                   scatter->layer <= job->phases
               ? ERR_OK
               : ERR_FIELD;
}

/* Sets what is known of a job of which the advance has come. */
static int expect_job(struct scatter *scatter)
{
    if (scatter_makes_output(&scatter->terms)) {
        return ERR_FIELD;
    }
    scatter->job.before_bytes = scatter->terms.before_bytes;
    scatter->job.after_bytes = scatter->terms.after_bytes;
    return ERR_OK;
}

/* Reads what a part of a job that is not known yet has ahead of its range: the
   job, or tables if it is an advance. */
static int begin_job(struct scatter *scatter,
                     const struct circuit_delivery *delivery, bool advance)
{
    int error;

    if (delivery->job != scatter->announced_job || scatter->kernel == NULL) {
        return ERR_FIELD;
    }
    error = advance ? expect_job(scatter) : read_job(scatter, delivery);
    if (error == ERR_OK) {
        scatter->circuit->job = delivery->job;
        scatter->tables_bytes = WIRE_TABLES_BYTES(scatter->job.phases);
        pattern_set_cut(scatter);
    }
    return error;
}

/* Reads a part, of which the head may be all that is there, and queues what of
   it goes on. */
static int take(struct scatter *scatter,
                const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    const uint8_t *passed_on = in + WIRE_PART_BYTES;
    const uint8_t *tables = passed_on;
    uint32_t passed_on_bytes;
    uint32_t place = scatter->place | wire_part_place(0, 0, scatter->round);
    struct wire_part part;
    int error = wire_part_load(&part, in, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (scatter->job.rounds == 0) {
        bool advance =
            part.place == (place | WIRE_ADVANCE) && scatter->round == 0;

        if (part.place != place && !advance) {
            return ERR_PLACE;
        }
        error = begin_job(scatter, delivery, advance);
        if (error != ERR_OK) {
            return error;
        }
        tables += advance ? 0 : WIRE_JOB_BYTES;
        passed_on_bytes = advance ? scatter->tables_bytes : scatter->job_bytes;
    } else {
        if (part.place != place) {
            return ERR_PLACE;
        }
        passed_on_bytes = scatter->tables_bytes;
    }
    if (delivery->bytes < WIRE_PART_BYTES + passed_on_bytes) {
        return ERR_LENGTH;
    }
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    error = scatter_set_range(scatter, passed_on + passed_on_bytes,
                              in + delivery->bytes);
    return error == ERR_OK
               ? pattern_distribute(scatter, tables, passed_on, passed_on_bytes)
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
        scatter->wanted = scatter->wanted_later;
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    if (error == ERR_OK && scatter->job.rounds > 0 && !scatter->has_slots) {
        scatter_read_slots(scatter); /* while the rest is on its way */
    }
    damage = circuit_complete(scatter->circuit);
    return damage == ERR_OK ? error : damage;
}
