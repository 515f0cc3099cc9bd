/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/survey_table.h"

#include "qemu/base/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELL_BYTES 256u
#define INDENT 7u /* where the second column begins, characters */

struct table table_begin(FILE *out, const struct table_column column[],
                         size_t columns)
{
    int descriptor = out == stderr ? STDERR_FILENO : STDOUT_FILENO;
    struct table table = {.out = out,
                          .column = column,
                          .columns = columns,
                          .room = terminal_columns(descriptor)};

    for (size_t i = 0; i < columns; ++i) {
        table_print(&table, "%s", column[i].head);
    }
    return table;
}

/* Prints the text of the next cell, aligned left or right in `width`
   characters. Blanks are printed only before a text, so a line of empty cells
   leaves nothing. */
static void print_cell(struct table *table, int width, const char *text)
{
    size_t cell = (size_t)abs(width);
    size_t length = strlen(text);
    size_t begin;

    if (table->at > INDENT && table->at + cell > table->room) {
        table->at = INDENT;
        table->ends = true;
    }
    begin = table->at + (width > 0 && length < cell ? cell - length : 0);
    table->at += cell + 1;
    if (length == 0) {
        return;
    }
    if (table->ends) {
        fputc('\n', table->out);
        table->written = 0;
        table->ends = false;
    }
    fprintf(table->out, "%*s", (int)(begin - table->written), "");
    terminal_print(table->out, text, length, begin, begin, table->room);
    table->written = begin + length;
    if (table->at <= table->written) {
        table->at = table->written + 1;
    }
}

static void end_row(struct table *table)
{
    fputc('\n', table->out);
    table->next = 0;
    table->at = 0;
    table->written = 0;
    table->ends = false;
}

void table_print(struct table *table, const char *format, ...)
{
    char text[CELL_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_cell(table, table->column[table->next++].width, text);
    if (table->next == table->columns) {
        end_row(table);
    }
}

void table_print_silent(struct table *table, const struct sweep_node *node)
{
    char why[SWEEP_TEXT_BYTES];
    char text[CELL_BYTES];

    sweep_explain(why, node);
    snprintf(text, sizeof text, "%s%s", node->asked ? "no answer: " : "", why);
    table_print(table, "%u,%u", node->at.x, node->at.y);
    print_cell(table, 0, text);
    end_row(table);
}

int table_print_json(json_t *json, size_t flags)
{
    int error = json_dumpf(json, stdout, flags);

    putchar('\n');
    json_decref(json);
    return error;
}
