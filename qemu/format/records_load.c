/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_load.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULT_MAX 16384u
#define RESULT_SERIAL_MAX 6144u
#define NARROW_WORDS 2u

/* The kernel's argument. */
#define ARG_BYTES 16u
#define CONDITION_BYTES 8u
#define FLAG_SUM 2u
#define FLAG_ROWS 8u
#define ANYTHING 7u /* accepted: less, equal, greater */

/* A group of rows. */
struct group {
    uint32_t index; /* in the order in which they are found */
    uint32_t bytes;
    char name[];
};

/* A load while it is made. */
struct writer {
    struct records_table *table;
    const struct records_look *look;
    FILE *load;                        /* of the records */
    FILE *kept;                        /* of struct records_kept */
    bool cells;                        /* records have the used cells alone */
    bool rows;                         /* rows are returned */
    uint32_t column[RECORDS_USES_MAX]; /* index of each use's column */
    uint32_t words[RECORDS_USES_MAX];  /* of a number in letters; 0: none */
    uint32_t longest;                  /* bytes of the longest record */
    void *groups;                      /* of tsearch(); NULL: no groups */
    uint32_t group_count;
    uint32_t checksum; /* of the groups' indices and names */
    uint32_t added;    /* bytes of the last record's row that its file lacked */
};

/* ---- cells ---- */

/* Writes a text as a cell of CSV; `newline` stands for its newlines. */
static void put_text(FILE *out, const char *text, uint32_t bytes,
                     uint8_t newline)
{
    bool quoted = bytes == 0; /* an empty line is no record */

    for (uint32_t i = 0; i < bytes; ++i) {
        quoted = quoted || strchr("\",\r\n", text[i]) != NULL;
    }
    fputs(quoted ? "\"" : "", out);
    for (uint32_t i = 0; i < bytes; ++i) {
        putc_unlocked(text[i] == '\n' ? newline : (uint8_t)text[i], out);
        if (quoted && text[i] == '"') {
            putc_unlocked('"', out);
        }
    }
    fputs(quoted ? "\"" : "", out);
}

/* Writes a number in letters. Returns false if the cell has none. */
static bool put_number(const struct writer *writer, uint32_t use)
{
    const struct records_use *own = &writer->look->use[use];
    const struct records_cell *cell = &writer->table->cell[use];
    char letters[RECORDS_LETTERS_MAX];
    struct records_number number;

    if (cell->text == NULL ||
        records_number_read(&number, cell->text, cell->bytes,
                            &writer->look->style[own->style]) !=
            RECORDS_NUMBER) {
        return false;
    }
    records_number_letters(letters, &number, own->digits.decimals,
                           writer->words[use]);
    fwrite(letters, 8, writer->words[use], writer->load);
    return true;
}

/* ---- groups ---- */

static int compare_groups(const void *one, const void *other)
{
    const struct group *a = (const struct group *)one;
    const struct group *b = (const struct group *)other;
    uint32_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = memcmp(a->name, b->name, common);

    return order != 0 ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Returns the current row's group, which is made if it is new. */
static struct group *group_of(struct writer *writer)
{
    const struct records_cell *cell = &writer->table->cell[writer->look->by];
    uint32_t bytes = cell->text != NULL ? cell->bytes : 0;
    struct group *group = memory_or_exit(malloc(sizeof *group + bytes));
    struct group **found;

    group->bytes = bytes;
    if (bytes > 0) {
        memcpy(group->name, cell->text, bytes);
    }
    found = memory_or_exit(tsearch(group, &writer->groups, compare_groups));
    if (*found != group) {
        free(group);
    } else {
        group->index = writer->group_count++;
    }
    return *found;
}

/* Writes a group's index and its name with blanks for newlines. */
static void put_group(const void *node, VISIT visit, void *context)
{
    struct writer *writer = (struct writer *)context;
    const struct group *group = *(struct group *const *)node;

    if (visit != postorder && visit != leaf) {
        return;
    }
    writer->checksum = (writer->checksum ^ group->index) * 16777619u;
    for (uint32_t i = 0; i < group->bytes; ++i) {
        writer->checksum =
            (writer->checksum ^ (uint8_t)group->name[i]) * 16777619u;
    }
    fwrite(&group->index, sizeof group->index, 1, writer->kept);
    put_text(writer->kept, group->name, group->bytes, ' ');
    putc_unlocked('\n', writer->kept);
}

/* Refuses more groups than a result holds. */
static int check_groups(const struct writer *writer)
{
    const struct records_look *look = writer->look;
    uint32_t words = look->sum != RECORDS_NONE ? writer->words[look->sum] : 0;
    uint32_t entry = records_entry_bytes(words > 0 ? words : NARROW_WORDS);

    return writer->group_count <= RESULT_MAX / entry
               ? 0
               : file_error(
                     writer->table->path,
                     "column '%.60s' has over %u values; by= takes as many "
                     "groups as a result of %u bytes holds, each of %u (on "
                     "boards with serial ports %u groups, in %u bytes)",
                     quote_shown(look->use[look->by].name), RESULT_MAX / entry,
                     RESULT_MAX, entry, RESULT_SERIAL_MAX / entry,
                     RESULT_SERIAL_MAX);
}

/* ---- records ---- */

/* Writes the used cells of the current row as a record. Returns false if it
   satisfies no condition. */
static bool put_cells(struct writer *writer)
{
    const struct records_look *look = writer->look;
    const char *between = "";

    if (look->by != RECORDS_NONE) {
        fprintf(writer->load, "%u", group_of(writer)->index);
        between = ",";
    } else if (look->conditions == 0) {
        fputc('0', writer->load); /* an empty line is no record */
    }
    for (uint32_t i = 0; i < look->conditions; ++i) {
        const struct records_cell *cell = &writer->table->cell[i];

        fputs(between, writer->load);
        between = ",";
        if (look->use[i].number) {
            if (!put_number(writer, i)) {
                return false;
            }
        } else if (cell->text == NULL) {
            return false;
        } else {
            put_text(writer->load, cell->text, cell->bytes,
                     writer->table->newline);
        }
    }
    if (look->sum != RECORDS_NONE && look->sum >= look->conditions) {
        fputc(',', writer->load);
        (void)put_number(writer, look->sum);
    }
    fputc('\n', writer->load);
    return true;
}

/* Writes bytes of the current row, which ends in a newline. */
static void put_row(const struct writer *writer, FILE *out, uint8_t newline)
{
    const struct records_table *table = writer->table;
    const uint8_t *at = table->row;
    const uint8_t *last = at + table->row_bytes - 1;
    const uint8_t *end;

    while (newline != '\n' &&
           (end = memchr(at, '\n', (size_t)(last - at))) != NULL) {
        fwrite(at, 1, (size_t)(end - at), out);
        putc_unlocked(newline, out);
        at = end + 1;
    }
    fwrite(at, 1, (size_t)(last - at), out);
    putc_unlocked('\n', out);
}

/* Writes all records, and notes where each file's begin. */
static int put_records(struct writer *writer, struct format_load *load)
{
    struct records_table *table = writer->table;

    while (records_table_next(table)) {
        long start = ftell(writer->load);
        bool good = !writer->cells || put_cells(writer);
        long bytes;

        if (check_groups(writer) != 0) {
            return 1;
        }
        if (!good) {
            fseek(writer->load, start, SEEK_SET);
            writer->added = 0;
            continue;
        }
        if (!writer->cells) {
            put_row(writer, writer->load, table->newline);
        }
        writer->added = table->added;
        if (writer->rows) {
            fwrite(&table->row_bytes, sizeof table->row_bytes, 1, writer->kept);
            put_row(writer, writer->kept, '\n');
        }
        bytes = ftell(writer->load) - start;
        if (bytes > RECORDS_BYTES_MAX) {
            return file_error(table->path,
                              "a record's used cells have over 1048576 bytes");
        }
        if (bytes > writer->longest) {
            writer->longest = (uint32_t)bytes;
        }
        if (load->files != NULL) {
            load->files[table->at].bytes += (uint64_t)bytes;
        }
    }
    for (uint32_t i = 1; i < load->file_count; ++i) {
        load->files[i].at = load->files[i - 1].at + load->files[i - 1].bytes;
    }
    return 0;
}

/* ---- the kernel's argument ---- */

/* Numbers the columns of the records. */
static void number_columns(struct writer *writer)
{
    const struct records_look *look = writer->look;
    uint32_t at = look->by != RECORDS_NONE || look->conditions == 0;

    for (uint32_t i = 0; i < look->uses; ++i) {
        const struct records_use *use = &look->use[i];

        writer->column[i] =
            writer->cells ? at++ : use->index + writer->table->names;
        writer->words[i] =
            writer->cells && use->number
                ? records_number_words(use->digits.whole + use->digits.decimals)
                : 0;
    }
}

static void put_condition(const struct writer *writer, FILE *out, uint32_t use)
{
    const struct records_use *own = &writer->look->use[use];
    uint32_t decimals = own->digits.decimals;
    uint32_t words = writer->words[use];
    const char *value = own->value;
    size_t bytes = strlen(value);
    char number[RECORDS_LETTERS_MAX];
    uint8_t head[CONDITION_BYTES] = {0};

    if (words > 0) {
        records_number_letters(number, &own->wanted, decimals, words);
        value = number;
        bytes = 8 * (size_t)words;
    } else if (own->number) {
        records_number_store((uint8_t *)number, &own->wanted, decimals,
                             NARROW_WORDS);
        value = number;
        bytes = 4 * NARROW_WORDS;
        head[3] = 1;
        head[4] = (uint8_t)decimals;
    }
    kernel_store_u16(head, (uint16_t)writer->column[use]);
    head[2] = own->accepted;
    head[5] = (uint8_t)bytes;
    fwrite(head, 1, sizeof head, out);
    fwrite(value, 1, bytes, out);
    fwrite("\0\0\0", 1, -bytes % 4, out);
}

static void make_arg(const struct writer *writer, struct format_load *load)
{
    const struct records_look *look = writer->look;
    bool summed = look->sum != RECORDS_NONE;
    uint32_t words = summed ? writer->words[look->sum] : 0;
    uint32_t column = summed                 ? writer->column[look->sum]
                      : look->conditions > 0 ? writer->column[0]
                                             : 0;
    uint32_t label =
        summed ? look->use[look->sum].digits.decimals : RECORDS_NO_SUM;
    uint32_t checksum = writer->groups != NULL ? writer->checksum : 0;
    uint8_t head[ARG_BYTES] = {
        [0] = writer->cells ? ',' : writer->table->separator,
        [1] = writer->table->newline,
        [2] =
            (uint8_t)((summed ? FLAG_SUM : 0) | (writer->rows ? FLAG_ROWS : 0)),
        [3] = (uint8_t)words};
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream((char **)&load->arg, &bytes));

    kernel_store_u16(head + 4, (uint16_t)column);
    kernel_store_u16(head + 6, (uint16_t)writer->group_count);
    kernel_store_u32(head + 8, writer->longest);
    kernel_store_u32(head + 12, label |
                                    (words > 0 ? words : NARROW_WORDS) << 8 |
                                    (checksum >> 16 ^ checksum) << 16);
    fwrite(head, 1, sizeof head, out);
    for (uint32_t i = 0; i < look->conditions; ++i) {
        put_condition(writer, out, i);
    }
    if (look->conditions == 0) {
        fwrite((const uint8_t[CONDITION_BYTES]){[2] = ANYTHING}, 1,
               CONDITION_BYTES, out);
    }
    fclose(out);
    load->arg_bytes = (uint32_t)bytes;
}

/* ---- all ---- */

int records_load_make(struct format_load *load, struct records_table *table,
                      bool rows)
{
    struct writer writer = {.table = table,
                            .look = table->look,
                            .rows = rows,
                            .cells = table->rewritten ||
                                     table->look->by != RECORDS_NONE};
    struct records_kept kept = {.mark = table->mark,
                                .groups = table->look->by != RECORDS_NONE,
                                .separator = table->separator,
                                .head_bytes = table->head_bytes};
    size_t bytes = 0;
    size_t kept_bytes = 0;
    int status;

    writer.load = memory_or_exit(open_memstream((char **)&load->data, &bytes));
    writer.kept =
        memory_or_exit(open_memstream((char **)&load->context, &kept_bytes));
    number_columns(&writer);
    records_table_rewind(table);
    fwrite(&kept, sizeof kept, 1, writer.kept);
    fwrite(table->head, 1, (size_t)table->head_bytes, writer.kept);
    status = put_records(&writer, load);
    twalk_r(writer.groups, put_group, &writer);
    if (status == 0 && ftell(writer.load) == 0) {
        putc_unlocked('\n', writer.load); /* a record that is none */
        writer.longest = 1;
    }
    if (status == 0) {
        make_arg(&writer, load);
    }
    tdestroy(writer.groups, free);
    fclose(writer.load);
    fclose(writer.kept);
    kept.added = writer.added;
    kept.bytes = kept_bytes - sizeof kept - kept.head_bytes;
    memcpy(load->context, &kept, sizeof kept);
    load->units = bytes;
    load->unit_bytes = 1;
    return status;
}
