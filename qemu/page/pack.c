/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/page/pack.h"

#include <string.h>

#define PACKED_BYTES 19000000u /* of the report in a page, at most */
#define SAMPLES 100u
#define ELSE_BYTES 1000000u /* for all that is neither nodes nor circuits */

/* ---- tables ---- */

static json_t *pack_list(const json_t *list);

/* A value of an entry; NULL: none. */
static json_t *pack_value(json_t *value)
{
    if (value == NULL) {
        return json_null();
    }
    return json_is_object(json_array_get(value, 0)) ? pack_list(value)
                                                    : json_incref(value);
}

/* All keys of the entries, each once. */
static json_t *names_of(const json_t *list)
{
    json_t *seen = json_object();
    json_t *names = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        const char *key;
        json_t *value;

        json_object_foreach(entry, key, value)
        {
            if (json_object_get(seen, key) == NULL) {
                json_object_set_new(seen, key, json_true());
                json_array_append_new(names, json_string(key));
            }
        }
    }
    json_decref(seen);
    return names;
}

static json_t *row_of(const json_t *entry, const json_t *names)
{
    json_t *row = json_array();
    json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        json_array_append_new(
            row, pack_value(json_object_get(entry, json_string_value(name))));
    }
    return row;
}

/* A list of objects as a table. */
static json_t *pack_list(const json_t *list)
{
    json_t *names = names_of(list);
    json_t *rows = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        json_array_append_new(rows, row_of(entry, names));
    }
    return json_pack("{s:o, s:o}", "names", names, "rows", rows);
}

/* The report with its long lists as tables. */
static json_t *pack(const json_t *report)
{
    json_t *copy = json_copy((json_t *)report);
    json_t *measured = json_copy(json_object_get(report, "measured"));
    const json_t *circuits = json_object_get(report, "circuits");
    const json_t *nodes = json_object_get(measured, "nodes");

    if (circuits != NULL) {
        json_object_set_new(copy, "circuits", pack_list(circuits));
    }
    if (nodes != NULL) {
        json_object_set_new(measured, "nodes", pack_list(nodes));
        json_object_set(copy, "measured", measured);
    }
    json_decref(measured);
    return copy;
}

/* ---- room ---- */

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

json_t *pack_report(const json_t *report)
{
    json_t *packed = pack(report);
    const json_t *table = json_object_get(packed, "circuits");
    size_t circuits = table_bytes(table);
    size_t taken = ELSE_BYTES + table_bytes(nodes_of(packed));

    if (taken + circuits > PACKED_BYTES) {
        drop_rounds(packed);
        taken = ELSE_BYTES + table_bytes(nodes_of(packed));
    }
    if (taken + circuits > PACKED_BYTES) {
        size_t left = taken < PACKED_BYTES ? PACKED_BYTES - taken : 0;

        drop_circuits(packed, left / row_bytes(rows_of(table)));
    }
    return packed;
}
