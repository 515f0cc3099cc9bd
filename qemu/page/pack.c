/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/page/pack.h"

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

json_t *pack_report(const json_t *report)
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
