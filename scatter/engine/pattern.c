/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/await.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/pattern_job.h"

static_assert(WIRE_PART_BYTES == CIRCUIT_ROW_BYTES,
              "the switch writes what a part begins with");

/* Splits the range, by the tables that its job has for nodes of a layer. */
static int split_range(struct scatter *scatter, const uint8_t *tables,
                       unsigned layer)
{
    unsigned phases = scatter->job.phases;

    return torus_split(&scatter->split, wire_volumes(tables, phases),
                       wire_shares(tables), phases, layer, scatter->units)
               ? ERR_OK
               : ERR_PLAN;
}

int pattern_distribute(struct scatter *scatter,
                       struct circuit_segment passed_on)
{
    unsigned phases = scatter->job.phases;
    const uint8_t *tables = passed_on.data;
    const struct torus_split *split = &scatter->split;
    /* Before the job is known: an advance. */
    uint32_t advance = scatter->job.rounds == 0 ? WIRE_ADVANCE : 0;
    struct circuit_rows rows = {
        .shared = passed_on,
        .begin = scatter->range_data - scatter->range_before_bytes,
        .end = scatter->range_data + scatter->range_to_end_bytes,
        .data = scatter->range_data - scatter->cut.before_bytes,
        .label = wire_part_place(0, 0, scatter->round) | advance,
        .units = scatter->units,
        .first_unit = scatter->first_unit};
    int error = split_range(scatter, tables, 0);

    rows.volume_units = split->volume_units;
    rows.extra_units = split->extra_units;
    scatter->cut.last_form = (uint8_t)phases;
    return error == ERR_OK && phases > 0
               ? circuit_send_rows(scatter->circuit, &scatter->cut, &rows)
               : error;
}

/* Posts the part of a round, of which others get what is not for this node. */
static inline void post(struct scatter *scatter, unsigned round)
{
    circuit_post(scatter->circuit,
                 scatter->place | wire_part_place(0, 0, round));
}

/* Reads a part, of which the head may be all that is there. */
static int take(struct scatter *scatter,
                const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    const uint8_t *tables = in + WIRE_PART_BYTES;
    struct wire_part part;
    int error = wire_part_load(&part, in, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (scatter->job.rounds == 0) {
        error = pattern_begin_job(scatter, delivery, part.label);
        if (error != ERR_OK) {
            return error;
        }
    } else if (part.label !=
               (scatter->label | wire_part_place(0, 0, scatter->round))) {
        return ERR_PLACE;
    }
    if (delivery->bytes < WIRE_PART_BYTES + CIRCUIT_LABEL_SHARED(part.label)) {
        return ERR_LENGTH;
    }
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    error =
        scatter_set_range(scatter, tables + CIRCUIT_LABEL_SHARED(part.label),
                          in + delivery->bytes);
    return error == ERR_OK ? split_range(scatter, tables, scatter->layer)
                           : error;
}

/* Whether the next round's part may come while this one's is computed: an
   output needs the memory. */
static inline bool posts_ahead(const struct scatter *scatter)
{
    return scatter->layer < scatter->job.phases &&
           (scatter->job.rounds == 0 ||
            scatter->round + 1u < scatter->job.rounds) &&
           !scatter_has_output(scatter);
}

int pattern_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error;
    int damage;

    if (scatter->round > 0 && scatter_collects_outputs(scatter)) {
        post(scatter, scatter->round);
    }
    error = await_message(scatter, WIRE_PART, &delivery, scatter->wanted);
    if (error != ERR_OK) {
        return error;
    }
    error = take(scatter, &delivery);
    if (error == ERR_OK && posts_ahead(scatter)) {
        post(scatter, scatter->round + 1);
    }
    if (scatter->round == 0) {
        scatter->wanted = scatter->wanted_later;
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    if (error == ERR_OK && scatter->job.rounds > 0 && !scatter->has_slots &&
        !(scatter_has_tail(scatter) && scatter_has_output(scatter))) {
        scatter_read_slots(scatter); /* while the rest is on its way */
    }
    damage = circuit_complete(scatter->circuit);
    return damage == ERR_OK ? error : damage;
}
