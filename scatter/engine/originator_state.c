/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_state.h"

uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes)
{
    uint8_t *at = scatter->low;

    bytes = (bytes + 7u) & ~7u;
    if (bytes > (uint32_t)(scatter->high - at)) {
        return NULL;
    }
    scatter->low += bytes;
    return at;
}
