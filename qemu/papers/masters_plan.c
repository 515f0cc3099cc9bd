/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/masters_plan.h"

#include "qemu/papers/number.h"

#include <stdlib.h>

void papers_masters_free(struct papers_masters *masters)
{
    mpq_clears(masters->bound, masters->length, NULL);
    papers_numbers_free(masters->sent, masters->nodes);
    papers_numbers_free(masters->received, masters->nodes);
    for (size_t i = 0; i < masters->transfers; ++i) {
        mpq_clears(masters->transfer[i].start, masters->transfer[i].units,
                   NULL);
    }
    free(masters->transfer);
    free(masters->limit);
    free(masters->part);
}
