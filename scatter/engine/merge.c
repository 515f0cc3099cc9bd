/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/merge.h"

#include "hal/hot.h"

int scatter_breach(struct scatter *scatter, int error, uint32_t bytes,
                   uint32_t promised)
{
    scatter->circuit->node->status.breach = (struct node_breach){
        scatter->first_unit, scatter->range.units, bytes, promised};
    return error;
}

HAL_FAST int scatter_merge(struct scatter *scatter,
                           const struct kernel_result *next)
{
    const struct kernel *kernel = scatter->kernel;
    uint32_t most = scatter->terms.result_bytes_max;

    if (next->bytes > most) {
        return ERR_TERMS;
    }
    if (kernel->merge == NULL) {
        return ERR_OK;
    }
    if (kernel->merge(scatter->memory->work, &scatter->result, next) !=
        KERNEL_OK) {
        return scatter_breach(scatter, ERR_MERGE, next->bytes, most);
    }
    return scatter->result.bytes <= most
               ? ERR_OK
               : scatter_breach(scatter, ERR_RESULT, scatter->result.bytes,
                                most);
}
