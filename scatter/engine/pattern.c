/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/announce.h"
#include "scatter/engine/gather.h"
#include "scatter/plan/fixed.h"

static_assert(WIRE_PART_BYTES == CIRCUIT_ROW_BYTES,
              "the switch writes what a part begins with");

/* ---- before a job ---- */

static int prepare_phase(struct scatter *scatter, unsigned phase)
{
    struct circuit_message *message = &scatter->message[phase];

    *message = (struct circuit_message){
        .path = torus_phase_path(scatter->size, phase, TORUS_EAST),
        .kind = WIRE_PART,
        .gap_ps = scatter->pattern.cut.gap_ps};
    return circuit_prepare(scatter->circuit, phase, message);
}

int pattern_prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    struct torus_coord at = {identity->x, identity->y};
    struct torus_coord originator = {identity->originator_x,
                                     identity->originator_y};
    int phases = torus_phases(scatter->size);
    int error = ERR_OK;
    struct torus_role role;

    if (phases < 0) {
        return ERR_RANGE;
    }
    role = torus_role_of(scatter->size, originator, at);
    scatter->layer = role.layer;
    scatter->pattern.parent_port = role.port;
    scatter->path_from_parent =
        torus_phase_path(scatter->size, role.layer, (enum torus_port)role.port);
    /* The gap lets all circuits of a phase be set up together. */
    scatter->pattern.cut.gap_ps =
        scatter->costs->split_ps + scatter->costs->queue_ps;
    scatter->pattern.cut.first_gap_ps = scatter->pattern.cut.gap_ps;
    scatter->pattern.cut.form = (uint8_t)(role.layer + 1u);
    scatter->pattern.wanted_later =
        1u << torus_path_arrival(scatter->path_from_parent) |
        CIRCUIT_HEAD(CIRCUIT_HEADER_BYTES + WIRE_PART_BYTES + WIRE_JOB_BYTES +
                     16u * ((unsigned)phases + 1u));
    /* If probes may come, the node waits on all ports. */
    scatter->pattern.wanted = scatter->pattern.wanted_later |
                              (identity->probed != 0 ? CIRCUIT_ALL_PORTS : 0);
    scatter->pattern.place = wire_part_place(role.layer, role.port, 0);
    scatter->job.phases = (uint8_t)phases;
    for (unsigned phase = 1; error == ERR_OK && phase <= (unsigned)phases;
         ++phase) {
        error = prepare_phase(scatter, phase);
    }
    scatter_prepare_return(scatter);
    return error;
}

int pattern_announce(struct scatter *scatter, struct originator *originator,
                     struct circuit_segment shared, struct circuit_segment arg)
{
    struct circuit_message message = {.kind = scatter->announced_by,
                                      .gap_ps = scatter->pattern.cut.gap_ps,
                                      .head.bytes = WIRE_ANNOUNCE_HEAD_BYTES,
                                      .shared = shared,
                                      .body = {arg, arg, arg, arg}};
    int error = ERR_OK;

    (void)originator;
    scatter->pattern.cut.job = scatter->circuit->job;
    scatter->pattern.cut.unit_bytes = scatter->announced.unit_bytes;
    for (unsigned phase = scatter->layer + 1u;
         error == ERR_OK && phase <= scatter->job.phases; ++phase) {
        message.path = scatter->message[phase].path;
        message.head.data = scatter->memory->announce_head[phase - 1];
        bytes_store_u32(scatter->memory->announce_head[phase - 1], phase);
        error = circuit_send(scatter->circuit, CIRCUIT_ALL_PORTS, &message);
    }
    return error;
}

int pattern_place(struct scatter *scatter, const uint8_t *announcement,
                  uint32_t bytes, uint32_t *head_bytes)
{
    *head_bytes = WIRE_ANNOUNCE_HEAD_BYTES;
    if (bytes < WIRE_ANNOUNCE_HEAD_BYTES) {
        return ERR_LENGTH;
    }
    return announcement[0] == scatter->layer ? ERR_OK : ERR_PLACE;
}

void pattern_expect(struct scatter *scatter)
{
    const struct kernel_terms *terms = &scatter->terms;
    struct circuit_cut *cut = &scatter->pattern.cut;

    cut->before_bytes = terms->before_bytes;
    cut->halo_bytes = terms->before_bytes + terms->after_bytes;
    if (scatter->layer > 0 && scatter->layer < scatter->job.phases) {
        circuit_expect(scatter->circuit, cut);
        circuit_post(scatter->circuit, scatter->pattern.place);
    }
}

/* ---- parts ---- */

/* Result: 0, or ERR_PLAN if the range's units do not fit the tables. */
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
    /* Parts that leave before the job is planned are an advance. */
    uint32_t advance = scatter->job.rounds == 0 ? WIRE_ADVANCE : 0;
    struct circuit_rows rows = {
        .shared = passed_on,
        .begin = scatter->range_data - scatter->range_before_bytes,
        .end = scatter->range_data + scatter->range_to_end_bytes,
        .data = scatter->range_data - scatter->pattern.cut.before_bytes,
        .label = wire_part_place(0, 0, scatter->round) | advance,
        .units = scatter->units,
        .first_unit = scatter->first_unit};
    int error = split_range(scatter, tables, 0);

    rows.volume_units = split->volume_units;
    rows.extra_units = split->extra_units;
    scatter->pattern.cut.last_form = (uint8_t)phases;
    return error == ERR_OK && phases > 0
               ? circuit_send_rows(scatter->circuit, &scatter->pattern.cut,
                                   &rows)
               : error;
}

/* Reads the job behind the part's tables. Result: 0 or the error. */
static int read_job(struct scatter *scatter,
                    const struct circuit_delivery *delivery, uint32_t label)
{
    const struct wire_job *job = &scatter->job;
    unsigned phases = job->phases;
    uint32_t tables_bytes = WIRE_TABLES_BYTES(CIRCUIT_LABEL_LAST(label));
    uint32_t job_at = WIRE_PART_BYTES + tables_bytes;
    int error = delivery->bytes < job_at
                    ? ERR_LENGTH
                    : scatter_read_job(scatter, delivery->payload + job_at,
                                       delivery->bytes - job_at);

    if (error != ERR_OK) {
        return error;
    }
    return (scatter->round == 0 || /* after an advance */
            (job->rounds > 1 && job->phases == phases &&
             !scatter_has_output(scatter))) &&
                   WIRE_POLICY(job->flags) == WIRE_PATTERN &&
                   policy_row(job->flags) < POLICY_ROWS &&
                   !(scatter_returns_meanwhile(scatter) &&
                     (job->rounds == 1 || !scatter_has_output(scatter))) &&
                   job->phases == CIRCUIT_LABEL_LAST(label) &&
                   tables_bytes + scatter->job_bytes ==
                       CIRCUIT_LABEL_SHARED(label) &&
                   scatter->layer <= job->phases
               ? ERR_OK
               : ERR_FIELD;
}

/* Sets the halo for an advance. ERR_FIELD: no advance is allowed. */
static int expect_job(struct scatter *scatter, uint32_t label)
{
    const struct kernel_terms *terms = &scatter->terms;

    if (scatter_makes_output(terms) ||
        CIRCUIT_LABEL_SHARED(label) != WIRE_TABLES_BYTES(scatter->job.phases) ||
        CIRCUIT_LABEL_LAST(label) != scatter->job.phases) {
        return ERR_FIELD;
    }
    scatter->job.before_bytes = terms->before_bytes;
    scatter->job.after_bytes = terms->after_bytes;
    return ERR_OK;
}

/* Begins the job or its advance. ERR_PLACE: part of another node or round. */
static int begin_job(struct scatter *scatter,
                     const struct circuit_delivery *delivery, uint32_t label)
{
    uint32_t place =
        scatter->pattern.place | wire_part_place(0, 0, scatter->round);
    bool advance = (label & WIRE_ADVANCE) != 0;
    int error;

    if (((label ^ place) & CIRCUIT_LABEL_POSTED) != 0 ||
        (advance && scatter->round > 0)) {
        return ERR_PLACE;
    }
    /* With more phases the job might not have arrived completely. */
    if (delivery->job != scatter->announced_job || scatter->kernel == NULL ||
        CIRCUIT_LABEL_LAST(label) > scatter->job.phases) {
        return ERR_FIELD;
    }
    error = advance ? expect_job(scatter, label)
                    : read_job(scatter, delivery, label);
    if (error != ERR_OK) {
        return error;
    }
    policy_become(scatter, policy_row(scatter->job.flags));
    if (scatter_returns_meanwhile(scatter)) {
        /* Outputs use the same ports: later receives accept only parts. */
        scatter->pattern.wanted_later |= CIRCUIT_ONLY(WIRE_PART);
        if (scatter->layer < scatter->job.phases) {
            pattern_post(scatter, 1);
        }
    }
    scatter->circuit->job = delivery->job;
    scatter->pattern.label =
        scatter->pattern.place |
        circuit_label(scatter->job.phases,
                      WIRE_TABLES_BYTES(scatter->job.phases));
    return ERR_OK;
}

/* Sets this node's range and split. Perhaps only the head has arrived. */
static int take(struct scatter *scatter,
                const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    const uint8_t *tables = in + WIRE_PART_BYTES;
    struct wire_part part;
    int error = wire_load(&part, sizeof part, in, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (scatter->job.rounds == 0) {
        error = begin_job(scatter, delivery, part.label);
        if (error != ERR_OK) {
            return error;
        }
    } else if (part.label != (scatter->pattern.label |
                              wire_part_place(0, 0, scatter->round))) {
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

/* The free memory may be needed for an output. */
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
        pattern_post(scatter, scatter->round);
    }
    error =
        await_message(scatter, WIRE_PART, &delivery, scatter->pattern.wanted);
    if (error != ERR_OK) {
        return error;
    }
    error = take(scatter, &delivery);
    if (error == ERR_OK && posts_ahead(scatter)) {
        pattern_post(scatter, scatter->round + 1);
    }
    if (scatter->round == 0) {
        scatter->pattern.wanted = scatter->pattern.wanted_later;
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    if (error == ERR_OK && scatter->job.rounds > 0 && !scatter->has_slots &&
        !scatter->policy->asks) {
        scatter_read_slots(scatter); /* read while the part's rest arrives */
    }
    damage = circuit_complete(scatter->circuit);
    return damage == ERR_OK ? error : damage;
}

/* ---- results ---- */

struct gather_from pattern_children(const struct scatter *scatter,
                                    unsigned phase)
{
    uint16_t step = 1;

    for (unsigned i = phase; i < scatter->job.phases; ++i) {
        step *= TORUS_PORTS + 1u;
    }
    return (struct gather_from){.path = scatter->message[phase].path,
                                .phase = (uint16_t)phase,
                                .number = step,
                                .step = step};
}

int pattern_gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        unsigned ports =
            scatter->split.volume_units[phase] > 0
                ? CIRCUIT_ALL_PORTS
                : (1u << torus_split_extra(&scatter->split, phase)) - 1u;

        if (ports != CIRCUIT_ALL_PORTS && scatter->job.rounds > 1) {
            return ERR_PLAN; /* others may have results of other rounds */
        }
        if (ports != 0) {
            const struct gather_from from = pattern_children(scatter, phase);

            error = scatter_gather_children(scatter, &from, ports);
        }
    }
    return error;
}

/* ---- ranges of lost descendants ---- */

/* Sets *range, a range of all nodes, to that of the descendant `number`; with
   `own`, to the descendant's share of it. */
static int descend(const struct scatter *scatter,
                   const struct rounds_plan *plan, unsigned round,
                   uint32_t number, bool own, struct wire_range *range)
{
    const unsigned phases = scatter->job.phases;
    unsigned layer = 0;
    uint32_t weight = pattern_children(scatter, 1).step;

    for (unsigned phase = 1; phase <= phases + own; ++phase) {
        uint32_t digit =
            phase > phases ? 0 : number / weight % (TORUS_PORTS + 1u);
        struct torus_split split;

        weight /= TORUS_PORTS + 1u;
        if (digit == 0 && phase <= phases) {
            continue;
        }
        if (!torus_split(&split, plan->volume_units[round],
                         plan->share_units[round], phases, layer,
                         range->units)) {
            return ERR_PLAN;
        }
        if (phase > phases) {
            range->units = split.share_units;
            break;
        }
        range->first_unit +=
            torus_split_child_at(&split, phases, phase, digit - 1);
        range->units = torus_split_child_units(&split, phase, digit - 1);
        layer = phase;
    }
    return ERR_OK;
}

static int add_rounds(struct scatter *scatter, struct originator *originator,
                      uint32_t number, bool own)
{
    uint32_t first_unit = originator->order.first_unit;
    int error = ERR_OK;

    for (unsigned round = 0; error == ERR_OK && round < originator->plan.rounds;
         ++round) {
        struct wire_range range = {first_unit,
                                   originator->plan.round_units[round]};

        first_unit += range.units;
        error = descend(scatter, &originator->plan, round, number, own, &range);
        if (error == ERR_OK) {
            lost_range(scatter, originator, range.first_unit, range.units);
        }
    }
    return error;
}

int pattern_lost(struct scatter *scatter, struct originator *originator,
                 uint32_t number)
{
    return add_rounds(scatter, originator, number, false);
}

int pattern_lost_share(struct scatter *scatter, struct originator *originator,
                       uint32_t number)
{
    return add_rounds(scatter, originator, number, true);
}

/* ---- costs of phases ---- */

uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases)
{
    const struct scatter_costs *costs = scatter->costs;

    return costs->split_ps + (phase < phases ? costs->queue_ps : 0);
}

/* A phase's startup has the software time of a node and the startup of a
   circuit. Nodes of the last layer queue no sends. */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases)
{
    const struct wire_order *order = &originator->order;
    struct plan_job *input = &originator->input;
    struct wire_job job = scatter->job;
    uint64_t message_ps;

    job.phases = (uint8_t)phases;
    message_ps = order_message_ps(
        order, WIRE_PART_BYTES + WIRE_TABLES_BYTES(phases) +
                   wire_job_bytes(&job) + job.before_bytes + job.after_bytes);
    input->phases = (uint8_t)phases;
    for (unsigned phase = 1; phase <= phases; ++phase) {
        input->startup_ps[phase - 1] =
            order_circuit_ps(order, message_ps,
                             originator_phase_hops(scatter, phase)) +
            startups_hop_ps(scatter, phase, phases);
    }
}

void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps)
{
    const struct wire_order *order = &originator->order;
    uint64_t end_ps = originator->announced_ps;
    uint64_t message_ps =
        order_message_ps(order, WIRE_ANNOUNCE_HEAD_BYTES + WIRE_ANNOUNCE_BYTES +
                                    WIRE_PAD4(order->arg_bytes));

    for (unsigned phase = 1; phase <= scatter->job.phases; ++phase) {
        end_ps += order_circuit_ps(order, message_ps,
                                   originator_phase_hops(scatter, phase)) +
                  scatter->message[phase].gap_ps;
    }
    originator->input.wait_ps = fixed_difference(end_ps, begin_ps);
}

void startups_receipts(const struct scatter *scatter,
                       struct originator *originator,
                       const uint64_t startup_ps[],
                       const uint32_t volume_units[])
{
    const struct scatter_costs *costs = scatter->costs;
    const struct plan_job *input = &originator->input;
    uint64_t *received_ps = originator->report.received_ps;
    uint64_t sends_ps = costs->first_send_ps + input->wait_ps;

    for (unsigned phase = 1; phase <= input->phases; ++phase) {
        received_ps[phase] = received_ps[phase - 1] + sends_ps +
                             startup_ps[phase - 1] -
                             startups_hop_ps(scatter, phase, input->phases) +
                             input->transfer_ps * volume_units[phase];
        sends_ps = (uint64_t)costs->split_ps + costs->queue_ps;
    }
}

int startups_input(const struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    struct plan_job *input = &originator->input;

    if (order->startup_ps > PLANNER_STARTUP_MAX_PS / 4 ||
        order->hop_delay_ps > PLANNER_STARTUP_MAX_PS / (16 * TORUS_SIDE_MAX) ||
        order->transfer_ps > PLANNER_STARTUP_MAX_PS / 4096 ||
        order->rounds == 0 ||
        (order->rounds > ROUNDS_MAX && order->rounds != WIRE_BEST)) {
        return ERR_RANGE;
    }
    originator->report.received_ps[0] = 0;
    input->load_units = scatter->units;
    input->compute_ps = originator->report.compute_ps;
    input->transfer_ps = order->transfer_ps * order->unit_bytes;
    return ERR_OK;
}
