/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_load.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX (1u << 20)
#define RESULT_MAX 16384u
#define RESULT_SERIAL_MAX 6144u
#define NARROW_BYTES 40u    /* the kernel's struct totals */
#define WIDE_HEAD_BYTES 12u /* its struct wide_totals without numbers */

/* A cell's text in the table. */
struct cell {
    const char *text;
    uint32_t bytes; /* or RECORDS_ABSENT */
};

/* A load while it is written. */
struct writer {
    struct records_load *made;
    const struct records_table *table;
    const struct records_look *look;
    const struct records_roles *roles;
    struct cell *group; /* malloc'd: the groups' names, sorted */
    uint64_t room;      /* bytes that made->data has room for */
};

/* ---- cells ---- */

/* Lists the used cells of a row. */
static void list_cells(const struct writer *writer,
                       struct cell cells[RECORDS_USES_MAX],
                       const struct records_row *row)
{
    const uint8_t *at = writer->table->cells + row->cells;

    for (uint32_t i = 0; i < writer->look->uses; ++i) {
        memcpy(&cells[i].bytes, at, sizeof cells[i].bytes);
        at += sizeof cells[i].bytes;
        cells[i].text = (const char *)at;
        at += cells[i].bytes != RECORDS_ABSENT ? cells[i].bytes : 0;
    }
}

static int compare_cells(const struct cell *a, const struct cell *b)
{
    size_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = memcmp(a->text, b->text, common);

    return order != 0 ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Returns the index of the first group that is not before the cell. */
static uint32_t find_group(const struct writer *writer, const struct cell *cell)
{
    uint32_t least = 0;
    uint32_t most = writer->made->groups;

    while (least < most) {
        uint32_t middle = (least + most) / 2;

        if (compare_cells(&writer->group[middle], cell) < 0) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    return least;
}

/* Returns the cell that names a row's group. */
static struct cell group_of(const struct writer *writer,
                            const struct cell cells[RECORDS_USES_MAX])
{
    struct cell cell = cells[writer->roles->by];

    return cell.bytes != RECORDS_ABSENT ? cell : (struct cell){"", 0};
}

/* ---- writing ---- */

static void put(struct writer *writer, const char *text, size_t bytes)
{
    struct records_load *made = writer->made;

    if (made->bytes + bytes > writer->room) {
        writer->room = (made->bytes + bytes) * 2;
        made->data = memory_or_exit(realloc(made->data, (size_t)writer->room));
    }
    if (bytes > 0) {
        memcpy(made->data + made->bytes, text, bytes);
    }
    made->bytes += bytes;
}

/* Writes a text as a cell of CSV; `newline` stands for its newlines. */
static void put_text(struct writer *writer, const struct cell *cell,
                     uint8_t newline)
{
    bool quoted = cell->bytes == 0; /* an empty line is no record */

    for (uint32_t i = 0; i < cell->bytes; ++i) {
        quoted = quoted || strchr("\",\r\n", cell->text[i]) != NULL;
    }
    put(writer, "\"", quoted);
    for (uint32_t i = 0; i < cell->bytes; ++i) {
        char byte = cell->text[i] == '\n' ? (char)newline : cell->text[i];

        put(writer, &byte, 1);
        put(writer, &byte, quoted && byte == '"');
    }
    put(writer, "\"", quoted);
}

/* Writes a number. Returns false if the cell has none. */
static bool put_number(struct writer *writer, const struct cell *cell,
                       uint32_t index)
{
    const struct records_use *use = &writer->look->use[index];
    const struct records_style *style = &writer->look->style[use->style];
    uint32_t bytes = writer->made->wide[index];
    char text[2 * RECORDS_WIDE_BYTES_MAX];
    struct records_number number;

    if (cell->bytes == RECORDS_ABSENT ||
        records_number_read(&number, cell->text, cell->bytes, style) !=
            RECORDS_NUMBER) {
        return false;
    }
    records_number_widen(text, &number, use->decimals, bytes);
    put(writer, text, 2 * bytes);
    return true;
}

/* Writes a cell that a condition compares. Returns false if none is there. */
static bool put_compared(struct writer *writer, const struct cell *cell,
                         uint32_t index)
{
    if (writer->look->use[index].number) {
        return put_number(writer, cell, index);
    }
    if (cell->bytes != RECORDS_ABSENT) {
        put_text(writer, cell, writer->table->newline);
    }
    return cell->bytes != RECORDS_ABSENT;
}

/* Writes a row's record. Returns false if it satisfies no condition. */
static bool put_row(struct writer *writer, const struct records_row *row)
{
    const struct records_roles *roles = writer->roles;
    struct cell cells[RECORDS_USES_MAX];
    const char *between = "";
    char text[16];

    list_cells(writer, cells, row);
    if (roles->by != RECORDS_ABSENT) {
        struct cell name = group_of(writer, cells);

        put(writer, text,
            (size_t)snprintf(text, sizeof text, "%u",
                             find_group(writer, &name)));
        between = ",";
    } else if (roles->conditions == 0) {
        put(writer, "0", 1); /* an empty line is no record */
    }
    for (uint32_t i = 0; i < roles->conditions; ++i) {
        put(writer, between, strlen(between));
        between = ",";
        if (!put_compared(writer, &cells[i], i)) {
            return false;
        }
    }
    if (roles->sum != RECORDS_ABSENT &&
        !records_load_shares(writer->look, roles)) {
        put(writer, ",", 1);
        (void)put_number(writer, &cells[roles->sum], roles->sum);
    }
    put(writer, "\n", 1);
    return true;
}

static int put_rows(struct writer *writer, struct records_table *table,
                    const char *path)
{
    struct records_load *made = writer->made;

    for (uint64_t i = 0; i < table->rows; ++i) {
        uint64_t start = made->bytes;

        if (!put_row(writer, &table->row[i])) {
            made->bytes = start;
            continue;
        }
        table->row[made->rows++] = table->row[i];
        if (made->bytes - start > RECORD_MAX) {
            return file_error(path, "a record's used cells have over 1048576 "
                                    "bytes");
        }
        if (made->bytes - start > made->longest) {
            made->longest = (uint32_t)(made->bytes - start);
        }
    }
    return 0;
}

/* ---- groups ---- */

bool records_load_shares(const struct records_look *look,
                         const struct records_roles *roles)
{
    return roles->sum != RECORDS_ABSENT && roles->conditions > 0 &&
           look->use[0].number &&
           look->use[roles->sum].index == look->use[0].index;
}

static uint32_t entry_of(const struct records_load *made,
                         const struct records_roles *roles)
{
    uint32_t wide = roles->sum != RECORDS_ABSENT ? made->wide[roles->sum] : 0;

    return wide > 0 ? WIDE_HEAD_BYTES + 3 * wide : NARROW_BYTES;
}

/* Lists the groups of all rows. */
static int list_groups(struct writer *writer, const char *path)
{
    struct records_load *made = writer->made;
    uint32_t entry = entry_of(made, writer->roles);
    uint32_t most = RESULT_MAX / entry;

    writer->group = memory_or_exit(calloc(most, sizeof *writer->group));
    for (uint64_t i = 0; i < writer->table->rows; ++i) {
        struct cell cells[RECORDS_USES_MAX];
        struct cell name;
        uint32_t at;

        list_cells(writer, cells, &writer->table->row[i]);
        name = group_of(writer, cells);
        at = find_group(writer, &name);
        if (at < made->groups &&
            compare_cells(&writer->group[at], &name) == 0) {
            continue;
        }
        if (made->groups == most) {
            return file_error(
                path,
                "column '%.60s' has over %u values; by= takes as many groups "
                "as a result of %u bytes holds, each of %u (on boards with "
                "serial ports %u groups, in %u bytes)",
                quote_shown(writer->look->use[writer->roles->by].name), most,
                RESULT_MAX, entry, RESULT_SERIAL_MAX / entry,
                RESULT_SERIAL_MAX);
        }
        memmove(&writer->group[at + 1], &writer->group[at],
                (made->groups - at) * sizeof *writer->group);
        writer->group[at] = name;
        made->groups += 1;
    }
    return 0;
}

/* Writes the groups' names; blanks stand for newlines and zeros. */
static void name_groups(struct writer *writer)
{
    struct records_load *made = writer->made;
    struct records_load names = {.data = NULL};
    struct writer text = *writer;

    text.made = &names;
    text.room = 0;
    for (uint32_t i = 0; i < made->groups; ++i) {
        put_text(&text, &writer->group[i], ' ');
        put(&text, "\n", 1);
    }
    for (uint64_t i = 0; i < names.bytes; ++i) {
        names.data[i] = names.data[i] == '\0' ? ' ' : names.data[i];
    }
    put(&text, "", 1);
    made->names = (char *)names.data;
}

/* ---- all ---- */

/* Returns whether the boards cannot read the table as it is. */
static bool needs_cells(const struct records_table *table,
                        const struct records_look *look,
                        const struct records_roles *roles)
{
    bool needs = table->rewritten || roles->by != RECORDS_ABSENT;

    for (uint32_t i = 0; i < look->uses; ++i) {
        const struct records_use *use = &look->use[i];

        needs = needs || use->rewritten || use->missing > 0 ||
                use->whole + use->decimals > RECORDS_DIGITS_MAX;
    }
    return needs;
}

/* Numbers the columns of the used cells. */
static void number_columns(struct records_load *made,
                           const struct records_look *look,
                           const struct records_roles *roles)
{
    uint32_t at = roles->by != RECORDS_ABSENT || roles->conditions == 0;

    for (uint32_t i = 0; i < look->uses; ++i) {
        const struct records_use *use = &look->use[i];

        made->column[i] = i == roles->sum && records_load_shares(look, roles)
                              ? made->column[0]
                              : at++;
        made->wide[i] =
            use->number ? records_number_bytes(use->whole + use->decimals) : 0;
    }
}

/* Keeps a record that is none, an empty line, in a load without records. */
static void keep_one(struct records_load *made)
{
    if (made->bytes == 0) {
        made->data = memory_or_exit(realloc(made->data, 1));
        made->data[made->bytes++] = '\n';
        made->longest = made->longest > 0 ? made->longest : 1;
    }
}

int records_load_make(struct records_load *made, struct records_table *table,
                      const struct records_look *look,
                      const struct records_roles *roles, const char *path)
{
    struct writer writer = {
        .made = made, .table = table, .look = look, .roles = roles};
    int status = 0;

    *made = (struct records_load){.separator = table->separator,
                                  .longest = table->longest};
    if (!needs_cells(table, look, roles)) {
        for (uint32_t i = 0; i < look->uses; ++i) {
            made->column[i] = look->use[i].index;
        }
        made->bytes = table->text.bytes - table->header_bytes;
        made->data = memory_or_exit(malloc((size_t)made->bytes + 1));
        memcpy(made->data, table->text.data + table->header_bytes,
               (size_t)made->bytes);
        keep_one(made);
        return 0;
    }
    made->separator = ',';
    made->longest = 0;
    made->row = table->row;
    number_columns(made, look, roles);
    if (roles->by != RECORDS_ABSENT) {
        status = list_groups(&writer, path);
        name_groups(&writer);
    }
    status = status == 0 ? put_rows(&writer, table, path) : status;
    free(writer.group);
    keep_one(made);
    return status;
}
