/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes kernel records' load of a table. A table whose used cells are plain
 * goes to the boards as it is. Of any other the boards get the used cells
 * alone, as text and wide numbers; a row whose condition's cell is missing is
 * left out, and the number of a row's group is its first cell.
 */
#ifndef QEMU_FORMAT_RECORDS_LOAD_H
#define QEMU_FORMAT_RECORDS_LOAD_H

#include "hal/nodiscard.h"
#include "qemu/format/records_table.h"

/* The load, and how its records are to be read. */
struct records_load {
    uint8_t *data; /* malloc'd */
    uint64_t bytes;
    /* Rows of the table, in the order of the load's records; NULL: the load is
       the table. Owned by the table. */
    const struct records_row *row;
    uint64_t rows;
    uint8_t separator;
    uint32_t longest;                  /* bytes of the longest record */
    uint32_t column[RECORDS_USES_MAX]; /* index of each use's column */
    uint32_t wide[RECORDS_USES_MAX];   /* bytes of a wide number; 0: plain */
    char *names; /* malloc'd: names of the groups, each with a newline behind
                    it, as CSV; NULL: no groups */
    uint32_t groups;
};

/* Indexes of uses that are not conditions; RECORDS_ABSENT: there is none. */
struct records_roles {
    uint32_t conditions;
    uint32_t sum;
    uint32_t by;
};

/* Takes or copies the table's records. Returns 0; or 1 after a message. */
NODISCARD int records_load_make(struct records_load *made,
                                struct records_table *table,
                                const struct records_look *look,
                                const struct records_roles *roles,
                                const char *path);

/* Returns whether the summed cells are those of the first condition. */
bool records_load_shares(const struct records_look *look,
                         const struct records_roles *roles);

#endif
