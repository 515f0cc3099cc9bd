/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes kernel records' load and argument of the tables. Rows whose used cells
 * are plain go to the boards as they are. Of any others the boards get the used
 * cells alone, as text and numbers in letters; a row whose condition's cell is
 * missing is left out, and the number of a row's group is its first cell.
 */
#ifndef QEMU_FORMAT_RECORDS_LOAD_H
#define QEMU_FORMAT_RECORDS_LOAD_H

#include "hal/nodiscard.h"
#include "qemu/format/records_table.h"

/* Bytes of the totals of a group in a result before its numbers. */
#define RECORDS_HEAD_BYTES 12u
#define RECORDS_NO_SUM 255u /* decimals of a result without a sum */

/* What the output and the report need but the load does not hold. Behind it are
   the text before the first row; then the original rows of all records, each
   behind its length as u32; or the index of each group in the result as u32,
   with its name and a newline, in the order of their names. */
struct records_kept {
    bool mark;   /* UTF-8 mark before the header row */
    bool tabs;   /* the caller sets it: INPUT has tabs and is not called .csv */
    bool groups; /* names of groups follow, and no rows */
    uint8_t separator;
    uint32_t added; /* bytes of the last row that the file lacked */
    uint64_t head_bytes;
    uint64_t bytes; /* length of all behind the text before the first row */
};

/* Makes load->data, .arg and .context. Returns 0, or 1 after a message. */
NODISCARD int records_load_make(struct format_load *load,
                                struct records_table *table, bool rows);

/* Returns the length of the totals of a group with numbers of so many words. */
static inline uint32_t records_entry_bytes(uint32_t words)
{
    return RECORDS_HEAD_BYTES + 4 * (3 * words + 1);
}

#endif
