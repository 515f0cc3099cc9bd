/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/advance.h"

#include "scatter/plan/fixed.h"

#define PORTS 4u
#define UNITS_MIN 16u /* least mean share for an advance, units */
#define LOAD_MAX_PS ((uint64_t)1 << 60) /* limit of times, ps */
#define WORTH 4u /* least work for several rounds, in their planning times */
#define MOST_ROUNDS 15u              /* most rounds after an advance */
#define RATIO_MAX (16u << 8)         /* limit of the ratio, in 1/256 */
#define TERM_MAX ((uint64_t)1 << 40) /* limit of a term, in 1/256 */

/* Returns the advance's units for each node, at least `least`. Sets *rounds to
   the number of rounds that follow. `port_ps`: time in which the four ports
   send one unit to each other node. */
static uint64_t of_rounds(unsigned *rounds, const struct plan_job *job,
                          uint32_t mean, uint64_t port_ps, uint64_t least)
{
    uint32_t ratio =
        fixed_smaller((job->compute_ps << 8) / (port_ps + 1), RATIO_MAX);
    uint64_t term = 256;
    uint64_t sum = 256;
    uint64_t units = mean;

    for (*rounds = 0; *rounds < MOST_ROUNDS && units > least &&
                      fixed_product(port_ps, (uint32_t)units) >
                          2 * (job->queue_ps + job->round_ps);
         ++*rounds) {
        term = term * ratio >> 8;
        if (term > TERM_MAX) {
            term = TERM_MAX;
        }
        sum += term;
        units = ((uint64_t)mean << 8) / sum;
    }
    return fixed_larger(units, least);
}

struct advance advance_of(const struct plan_job *job)
{
    uint32_t mean = job->load_units / job->nodes;
    uint32_t most = mean / 8 * 7;
    uint64_t port_ps = job->transfer_ps * (job->nodes - 1) / PORTS;
    uint64_t ports_ps = fixed_product(port_ps, mean);
    uint64_t work_ps = fixed_product(job->compute_ps, mean);
    uint64_t first_ps = job->plan_ps + job->queue_ps;
    struct advance advance = {0, 1};
    uint64_t units;

    if (mean < UNITS_MIN || ports_ps > LOAD_MAX_PS || work_ps > LOAD_MAX_PS ||
        ports_ps > 2 * work_ps) {
        return advance;
    }
    for (unsigned i = 0; i < job->phases; ++i) {
        first_ps += job->startup_ps[i];
    }
    units = (first_ps + ports_ps) / (job->compute_ps + 2 * port_ps) + 1;
    if (work_ps >= WORTH * job->rounds_ps) {
        uint64_t least = (first_ps + job->rounds_ps) / job->compute_ps + 1;
        unsigned rounds;
        uint64_t several = of_rounds(&rounds, job, mean, port_ps, least);

        if (several < units && rounds > 1) {
            advance.rounds = (uint8_t)rounds;
            units = several;
        }
    }
    advance.units = fixed_smaller(units, most);
    return advance;
}
