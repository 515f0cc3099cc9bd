/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/page/room.h"

#include <string.h>

#define SAMPLES 100u
#define ELSE_BYTES 1000000u /* for all that is neither nodes nor circuits */

static json_t *rows_of(const json_t *table)
{
    return json_object_get(table, "rows");
}

static json_t *nodes_of(const json_t *report)
{
    return json_object_get(json_object_get(report, "measured"), "nodes");
}

/* About how long a row is, as text. */
static size_t row_bytes(const json_t *rows)
{
    size_t count = json_array_size(rows);
    size_t step = count / SAMPLES + 1;
    size_t bytes = 0;
    size_t taken = 0;

    for (size_t i = 0; i < count; i += step) {
        bytes += json_dumpb(json_array_get(rows, i), NULL, 0, JSON_COMPACT);
        taken += 1;
    }
    return taken > 0 ? bytes / taken + 2 : 0;
}

static size_t table_bytes(const json_t *table)
{
    return json_array_size(rows_of(table)) * row_bytes(rows_of(table));
}

/* Removes what nodes did in each round. */
static void drop_rounds(json_t *report)
{
    json_t *nodes = nodes_of(report);
    json_t *name;
    json_t *row;
    size_t column;
    size_t i;

    json_array_foreach(json_object_get(nodes, "names"), column, name)
    {
        if (strcmp(json_string_value(name), "rounds") == 0) {
            json_array_foreach(rows_of(nodes), i, row)
            {
                json_array_set_new(row, column, json_null());
            }
            json_object_set_new(report, "rounds_left_out", json_true());
        }
    }
}

/* Keeps so many of the circuits. */
static void drop_circuits(json_t *report, size_t most)
{
    json_t *rows = rows_of(json_object_get(report, "circuits"));
    size_t count = json_array_size(rows);

    while (json_array_size(rows) > most) {
        json_array_remove(rows, json_array_size(rows) - 1);
    }
    json_object_set_new(report, "circuits_left_out",
                        json_integer((json_int_t)(count - most)));
}

void room_fit(json_t *report)
{
    const json_t *table = json_object_get(report, "circuits");
    size_t circuits = table_bytes(table);
    size_t taken = ELSE_BYTES + table_bytes(nodes_of(report));

    if (taken + circuits <= ROOM_BYTES) {
        return;
    }
    drop_rounds(report);
    taken = ELSE_BYTES + table_bytes(nodes_of(report));
    if (taken + circuits > ROOM_BYTES) {
        size_t left = taken < ROOM_BYTES ? ROOM_BYTES - taken : 0;

        drop_circuits(report, left / row_bytes(rows_of(table)));
    }
}
