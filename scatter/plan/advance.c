/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/advance.h"

#include "scatter/plan/fixed.h"

#define PORTS 4u
#define UNITS_MIN 16u
#define LOAD_MAX_PS ((uint64_t)1 << 60)
/* Several rounds are planned if a node computes WORTH times as long as their
   planning takes. */
#define WORTH 4u
#define MOST_ROUNDS 15u
/* Limits of t = W / C (advance.h), and of a power of t, both in 1/256. */
#define RATIO_MAX (16u << 8)
#define TERM_MAX ((uint64_t)1 << 40)

/* Returns the advance in units of each node, x m by (2) of advance.h, at least
   `least`, and sets *rounds to k, the number of rounds behind it. k rises while
   that makes the advance smaller, and while the ports, at port_ps a unit of
   every node, need more than 2 round_ps to send it. */
static uint64_t of_rounds(unsigned *rounds, const struct advance_input *input,
                          uint32_t mean, uint64_t port_ps, uint64_t least)
{
    uint64_t ratio = (input->compute_ps << 8) / (port_ps + 1);
    uint64_t term = 256;
    uint64_t sum = 256;
    uint64_t units = mean;

    if (ratio > RATIO_MAX) {
        ratio = RATIO_MAX;
    }
    for (*rounds = 0;
         *rounds < MOST_ROUNDS && units > least &&
         fixed_product(port_ps, (uint32_t)units) > 2 * input->round_ps;
         ++*rounds) {
        term = term * ratio >> 8;
        if (term > TERM_MAX) {
            term = TERM_MAX;
        }
        sum += term;
        units = ((uint64_t)mean << 8) / sum;
    }
    return units > least ? units : least;
}

struct advance advance_of(const struct advance_input *input)
{
    uint32_t mean = input->load_units / input->nodes;
    uint32_t most = mean / 8 * 7;
    uint64_t port_ps = input->transfer_ps * (input->nodes - 1) / PORTS;
    uint64_t ports_ps = fixed_product(port_ps, mean);
    uint64_t work_ps = fixed_product(input->compute_ps, mean);
    uint64_t first_ps = input->plan_ps + input->startups_ps;
    struct advance advance = {0, 1};
    uint64_t units;

    if (mean < UNITS_MIN || ports_ps > LOAD_MAX_PS || work_ps > LOAD_MAX_PS ||
        ports_ps > 2 * work_ps) {
        return advance;
    }
    units = (first_ps + ports_ps) / (input->compute_ps + 2 * port_ps) + 1;
    if (work_ps >= WORTH * input->rounds_ps) {
        uint64_t least = (first_ps + input->rounds_ps) / input->compute_ps + 1;
        unsigned rounds;
        uint64_t several = of_rounds(&rounds, input, mean, port_ps, least);

        if (several < units && rounds > 1) {
            advance.rounds = (uint8_t)rounds;
            units = several;
        }
    }
    advance.units = units < most ? (uint32_t)units : most;
    return advance;
}
