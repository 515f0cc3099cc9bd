/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/rows.h"

#include "torus/split.h"

/* Result: false if a table is too short, the units do not fit the tables, or no
   form is left. */
static bool divide(struct circuit_rows *rows, struct circuit_cut *cut,
                   const uint8_t *tables, uint32_t label)
{
    const uint32_t *keeps = (const uint32_t *)(const void *)tables;
    uint32_t last = CIRCUIT_LABEL_LAST(label);
    struct torus_split split;

    if (cut->form > last ||
        CIRCUIT_LABEL_SHARED(label) < 2 * sizeof(uint32_t) * (last + 1) ||
        !torus_split(&split, keeps + last + 1, keeps, last, cut->form - 1u,
                     rows->units)) {
        return false;
    }
    rows->volume_units = split.volume_units;
    rows->extra_units = split.extra_units;
    cut->last_form = (uint8_t)last;
    return true;
}

bool rows_forward(struct circuit_rows *rows, struct circuit_cut *cut,
                  uint32_t posted, const uint8_t *payload, uint32_t bytes)
{
    const uint8_t *shared = payload + CIRCUIT_ROW_BYTES;
    uint32_t shared_bytes;
    uint64_t before;
    uint32_t label;

    if (bytes < CIRCUIT_ROW_BYTES || cut->form == 0) {
        return false;
    }
    label = bytes_load_u32(payload + 8);
    shared_bytes = CIRCUIT_LABEL_SHARED(label);
    if (((label ^ posted) & CIRCUIT_LABEL_POSTED) != 0 ||
        shared_bytes > bytes - CIRCUIT_ROW_BYTES) {
        return false;
    }
    *rows = (struct circuit_rows){.shared = {shared, shared_bytes},
                                  .begin = shared + shared_bytes,
                                  .end = payload + bytes,
                                  .label = label & CIRCUIT_LABEL_OWN,
                                  .units = bytes_load_u32(payload),
                                  .first_unit = bytes_load_u32(payload + 4)};
    before = (uint64_t)rows->first_unit * cut->unit_bytes;
    if (before > cut->before_bytes) {
        before = cut->before_bytes;
    }
    if (before + (uint64_t)rows->units * cut->unit_bytes >
        (uint64_t)(rows->end - rows->begin)) {
        return false;
    }
    rows->data = rows->begin + before - cut->before_bytes;
    return divide(rows, cut, shared, label);
}
