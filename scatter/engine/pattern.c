/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/await.h"

static_assert(WIRE_PART_BYTES == CIRCUIT_ROW_BYTES,
              "the switch writes what a part begins with");

/* Tells the circuit what all parts of this round have in common. */
static void set_range(const struct scatter *scatter)
{
    const struct circuit_range range = {
        .shared = scatter->passed_on,
        .begin = scatter->range_data - scatter->range_before_bytes,
        .end = scatter->range_data + scatter->range_to_end_bytes,
        .unit_bytes = scatter->announced.unit_bytes,
        .halo_bytes = scatter->job.before_bytes + scatter->job.after_bytes};

    circuit_set_range(scatter->circuit, &range);
}

/* Queues the sends of all remaining phases. */
static int queue_phases(struct scatter *scatter, const uint32_t volume_units[])
{
    const struct split *split = &scatter->split;
    const uint8_t *data = scatter->range_data - scatter->job.before_bytes;
    uint32_t unit_bytes = scatter->announced.unit_bytes;
    unsigned phases = scatter->job.phases;
    uint32_t position = scatter->units;
    /* Before the job is known: an advance. */
    uint32_t round =
        scatter->round | (scatter->job.rounds == 0 ? WIRE_ADVANCE >> 16 : 0);
    uint32_t gap_ps = scatter->first_gap_ps;
    int error = ERR_OK;

    set_range(scatter);
    for (unsigned phase = scatter->layer + 1u;
         error == ERR_OK && phase <= phases; ++phase) {
        uint32_t units = volume_units[phase];
        uint32_t more = split_extra(split, phase);

        position -= TORUS_PORTS * units + more;
        error =
            circuit_send_row(scatter->circuit, phase,
                             &(struct circuit_row){
                                 .gap_ps = gap_ps,
                                 .label = wire_part_place(phase, 0, round),
                                 .data = data + position * unit_bytes,
                                 .units = units,
                                 .more = more,
                                 .first_unit = scatter->first_unit + position});
        gap_ps = scatter->gap_ps;
    }
    return error;
}

int pattern_distribute(struct scatter *scatter)
{
    unsigned phases = scatter->job.phases;
    const uint32_t *volume_units = wire_volumes(scatter->tables, phases);
    int error = split_volume(&scatter->split, volume_units,
                             wire_shares(scatter->tables), phases,
                             scatter->layer, scatter->units);

    return error == ERR_OK && scatter->layer < phases
               ? queue_phases(scatter, volume_units)
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
   advance, with that round's tables. */
static int read_job(struct scatter *scatter,
                    const struct circuit_delivery *delivery, uint32_t bytes)
{
    const uint8_t *in = delivery->payload + WIRE_PART_BYTES;
    const struct wire_job *job = &scatter->job;
    const struct wire_job before = *job;
    int error = scatter_read_job(scatter, in, bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (!goes_with(job, &before, scatter->round) ||
        (job->flags & WIRE_FLAGS(WIRE_TABLES, 0xfu)) !=
            WIRE_FLAGS(WIRE_TABLES, WIRE_PATTERN) ||
        scatter->layer > job->phases || job->rounds == 0 ||
        delivery->job != scatter->announced_job || scatter->kernel == NULL) {
        return ERR_FIELD;
    }
    scatter->circuit->job = delivery->job;
    scatter->tables = in + WIRE_JOB_BYTES;
    scatter->passed_on = (struct circuit_segment){in, scatter->job_bytes};
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
    scatter->job.phases = (uint8_t)torus_phases(scatter->size);
    scatter->job.before_bytes = scatter->terms.before_bytes;
    scatter->job.after_bytes = scatter->terms.after_bytes;
    return ERR_OK;
}

/* Finds the tables that come with a later part. */
static int find_tables(struct scatter *scatter,
                       const struct circuit_delivery *delivery, uint32_t bytes)
{
    scatter->tables = delivery->payload + WIRE_PART_BYTES;
    scatter->passed_on = (struct circuit_segment){
        scatter->tables, WIRE_TABLES_BYTES(scatter->job.phases)};
    return bytes < scatter->passed_on.bytes ? ERR_LENGTH : ERR_OK;
}

/* Reads what a part has ahead of its range. */
static int read_head(struct scatter *scatter, const struct wire_part *part,
                     const struct circuit_delivery *delivery, uint32_t bytes)
{
    uint32_t place =
        wire_part_place(scatter->layer, scatter->parent_port, scatter->round);
    bool advance = part->place == (place | WIRE_ADVANCE) && scatter->round == 0;
    int error;

    if (part->place != place && !advance) {
        return ERR_PLACE;
    }
    if (scatter->job.rounds == 0 && !advance) {
        return read_job(scatter, delivery, bytes);
    }
    error = advance ? expect_job(scatter, delivery) : ERR_OK;
    return error == ERR_OK ? find_tables(scatter, delivery, bytes) : error;
}

/* Reads a part, of which the head may be all that is there, and queues what of
   it goes on. */
static int take(struct scatter *scatter,
                const struct circuit_delivery *delivery)
{
    uint32_t bytes = delivery->bytes - WIRE_PART_BYTES;
    struct wire_part part;
    int error = wire_part_load(&part, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    error = read_head(scatter, &part, delivery, bytes);
    if (error != ERR_OK) {
        return error;
    }
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    error = scatter_set_range(
        scatter, scatter->passed_on.data + scatter->passed_on.bytes,
        delivery->payload + delivery->bytes);
    return error == ERR_OK ? pattern_distribute(scatter) : error;
}

/* The ports on which the next message may come in: for the first one all, if
   probes may come, else only the parent's. The emulated switch can serve a node
   earlier that waits on one port. */
static unsigned arrival_ports(const struct scatter *scatter)
{
    return scatter->round == 0 && scatter->circuit->node->identity.probed != 0
               ? (1u << TORUS_PORTS) - 1u
               : scatter->arrival_ports;
}

int pattern_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    unsigned wanted = arrival_ports(scatter) | scatter->arrival_head;
    int error = await_message(scatter, WIRE_PART, &delivery, wanted);
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
