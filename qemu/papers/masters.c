/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/masters.h"

#include "qemu/papers/basic_round.h"
#include "qemu/papers/masters_rounds.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

/* What a worker has computed more than received at `time`, when it has
   received so many units: (time - beta units) / gamma - units. */
static quad used_of(const struct papers_network *network, quad time, quad units)
{
    quad computed =
        papers_number_minus(time, network->transfer * units) / network->compute;

    return papers_number_minus(computed, units);
}

/* The most that a worker has computed more than received. Its transfers come by
   rising start. */
static quad most_used(const struct papers_masters *masters,
                      const struct papers_network *network, size_t worker)
{
    quad most = used_of(network, masters->length, masters->received[worker]);
    quad units = 0;

    for (size_t i = 0; i < masters->transfers; ++i) {
        const struct papers_transfer *transfer = &masters->transfer[i];

        if (transfer->to == worker) {
            most = quad_max(most, used_of(network, transfer->start, units));
            units += transfer->units;
        }
    }
    return most;
}

/* Adds the limit of a worker, if it has one, and lowers the class. */
static void add_limit(struct papers_masters *masters,
                      const struct papers_network *network, size_t worker)
{
    quad received = masters->received[worker];
    quad first = used_of(network, masters->bound / network->scale, received);
    quad used = used_of(network, masters->length, received);
    quad most = most_used(masters, network, worker);

    if (most <= 0) {
        return;
    }
    if (first == 0 && used == 0) {
        masters->class = 1;
    } else if (masters->class == 3 &&
               (first == 0 || papers_number_compare(first, used) == 0)) {
        masters->class = 2;
    }
    masters->limit[masters->limits] = (struct papers_limit){
        .a = (long double)(first / most),
        .b = (long double)(1 / (most * network->compute * network->scale)),
        .c = (long double)(used / most)};
    masters->limits += 1;
}

/* Whether another limit is never above this one; of equals the first stays. */
static bool is_implied(const struct papers_masters *masters, size_t i)
{
    const struct papers_limit *of = &masters->limit[i];

    for (size_t j = 0; j < masters->limits; ++j) {
        const struct papers_limit *by = &masters->limit[j];
        bool equal = by->a == of->a && by->b == of->b && by->c == of->c;

        if (j != i && by->a <= of->a && by->b <= of->b && by->c >= of->c &&
            (!equal || j < i)) {
            return true;
        }
    }
    return false;
}

/* Leaves out the limits that others imply. */
static void thin_limits(struct papers_masters *masters)
{
    size_t kept = 0;
    struct papers_limit *limit =
        memory_or_exit(malloc((masters->limits + 1) * sizeof *masters->limit));

    for (size_t i = 0; i < masters->limits; ++i) {
        if (!is_implied(masters, i)) {
            limit[kept] = masters->limit[i];
            kept += 1;
        }
    }
    free(masters->limit);
    masters->limit = limit;
    masters->limits = kept;
}

/* Sets class and limits. */
static void set_limits(struct papers_masters *masters,
                       const struct papers_network *network)
{
    masters->class = 3;
    masters->limit =
        memory_or_exit(malloc(masters->nodes * sizeof *masters->limit));
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (masters->received[i] > 0) {
            add_limit(masters, network, i);
        }
    }
    thin_limits(masters);
}

/* How much later than the bound nodes end that send nothing: gamma max x - T.
 */
static quad alone_over(const struct papers_masters *masters,
                       const struct papers_workers *workers,
                       const struct papers_network *network)
{
    quad most = 0;

    for (size_t i = 0; i < workers->count; ++i) {
        most = quad_max(most, workers->numbers[i][0]);
    }
    return papers_number_minus(most * network->compute * network->scale,
                               masters->bound);
}

/* Scales what of the basic round is unscaled. */
static void scale_round(struct papers_masters *masters, quad scale)
{
    masters->length *= scale;
    for (size_t i = 0; i < masters->nodes; ++i) {
        masters->sent[i] *= scale;
        masters->received[i] *= scale;
    }
    for (size_t i = 0; i < masters->transfers; ++i) {
        masters->transfer[i].start *= scale;
        masters->transfer[i].units *= scale;
    }
}

bool papers_masters(struct papers_masters *masters,
                    const struct papers_workers *workers,
                    const struct papers_network *network)
{
    bool good = true;

    papers_basic_round(masters, workers, network);
    set_limits(masters, network);
    if (masters->transfers > 0) {
        good = papers_masters_rounds(
            masters,
            (long double)(network->startup * (quad)masters->transfers_most),
            (long double)alone_over(masters, workers, network));
        masters->excess = masters->over / (long double)masters->bound;
    }
    scale_round(masters, network->scale);
    return good;
}

void papers_masters_free(struct papers_masters *masters)
{
    free(masters->sent);
    free(masters->received);
    free(masters->transfer);
    free(masters->limit);
    free(masters->part);
}
