/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size, as what runs once a job. */
#include "scatter/engine/pattern_job.h"

#include "scatter/engine/policy.h"

void pattern_expect(struct scatter *scatter)
{
    const struct kernel_terms *terms = &scatter->terms;
    struct circuit_cut *cut = &scatter->cut;

    cut->before_bytes = terms->before_bytes;
    cut->halo_bytes = terms->before_bytes + terms->after_bytes;
    if (scatter->layer > 0 && scatter->layer < scatter->job.phases) {
        circuit_expect(scatter->circuit, cut);
        circuit_post(scatter->circuit, scatter->place);
    }
}

/* Whether a job goes with the advance behind which it comes. */
static bool goes_with_advance(const struct wire_job *job, unsigned phases)
{
    return job->rounds > 1 && job->phases == phases &&
           (job->flags & WIRE_OUTPUT) == 0;
}

/* Reads the job that comes with the first part, or with the one behind an
   advance, after the tables. */
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
    return (scatter->round == 0 || goes_with_advance(job, phases)) &&
                   WIRE_POLICY(job->flags) == WIRE_PATTERN &&
                   !(scatter_returns_meanwhile(scatter) &&
                     (job->rounds == 1 || !scatter_has_output(scatter) ||
                      scatter_has_tail(scatter))) &&
                   job->phases == CIRCUIT_LABEL_LAST(label) &&
                   tables_bytes + scatter->job_bytes ==
                       CIRCUIT_LABEL_SHARED(label) &&
                   scatter->layer <= job->phases
               ? ERR_OK
               : ERR_FIELD;
}

/* Sets what is known of a job of which the advance has come. */
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

/* Outputs come in over ports of parts. The part of the next round, of which
   others get what is not for this node, may come while this one's is computed.
 */
static void return_meanwhile(struct scatter *scatter)
{
    scatter->policy = scatter->policy->meanwhile;
    scatter->wanted_later |= CIRCUIT_ONLY(WIRE_PART);
    if (scatter->layer < scatter->job.phases) {
        circuit_post(scatter->circuit,
                     scatter->place | wire_part_place(0, 0, 1));
    }
}

int pattern_begin_job(struct scatter *scatter,
                      const struct circuit_delivery *delivery, uint32_t label)
{
    uint32_t place = scatter->place | wire_part_place(0, 0, scatter->round);
    bool advance = (label & WIRE_ADVANCE) != 0;
    int error;

    if (((label ^ place) & CIRCUIT_LABEL_POSTED) != 0 ||
        (advance && scatter->round > 0)) {
        return ERR_PLACE;
    }
    /* With more phases than the torus, the job would lie behind the head. */
    if (delivery->job != scatter->announced_job || scatter->kernel == NULL ||
        CIRCUIT_LABEL_LAST(label) > scatter->job.phases) {
        return ERR_FIELD;
    }
    error = advance ? expect_job(scatter, label)
                    : read_job(scatter, delivery, label);
    if (error == ERR_OK && scatter_returns_meanwhile(scatter)) {
        return_meanwhile(scatter);
    }
    if (error == ERR_OK) {
        scatter->circuit->job = delivery->job;
        scatter->label = scatter->place |
                         circuit_label(scatter->job.phases,
                                       WIRE_TABLES_BYTES(scatter->job.phases));
    }
    return error;
}
