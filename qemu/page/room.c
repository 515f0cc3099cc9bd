/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/page/room.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES 100u
#define ELSE_BYTES 1000000u /* for all that is neither nodes nor circuits */

/* About how long an entry of an array is, as text. */
static size_t entry_bytes(const json_t *array)
{
    size_t count = json_array_size(array);
    size_t step = count / SAMPLES + 1;
    size_t bytes = 0;
    size_t taken = 0;

    for (size_t i = 0; i < count; i += step) {
        bytes += json_dumpb(json_array_get(array, i), NULL, 0, JSON_COMPACT);
        taken += 1;
    }
    return taken > 0 ? bytes / taken + 2 : 0;
}

static size_t array_bytes(const json_t *array)
{
    return json_array_size(array) * entry_bytes(array);
}

/* The nodes without what they did in each round. */
static json_t *without_rounds(const json_t *nodes)
{
    json_t *all = json_array();
    const json_t *node;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        json_t *copy = json_copy((json_t *)node);

        json_object_del(copy, "rounds");
        json_array_append_new(all, copy);
    }
    return all;
}

/* Replaces the nodes in a copy. */
static void drop_rounds(json_t *copy)
{
    json_t *measured = json_copy(json_object_get(copy, "measured"));
    json_t *nodes = without_rounds(json_object_get(measured, "nodes"));

    json_object_set_new(measured, "nodes", nodes);
    json_object_set_new(copy, "measured", measured);
    json_object_set_new(copy, "rounds_left_out", json_true());
}

/* Keeps so many of the circuits in a copy. */
static void drop_circuits(json_t *copy, size_t most)
{
    json_t *circuits = json_object_get(copy, "circuits");
    size_t count = json_array_size(circuits);
    json_t *first = json_array();

    for (size_t i = 0; i < most; ++i) {
        json_array_append(first, json_array_get(circuits, i));
    }
    json_object_set_new(copy, "circuits", first);
    json_object_set_new(copy, "circuits_left_out",
                        json_integer((json_int_t)(count - most)));
}

json_t *room_fit(json_t *report)
{
    const json_t *nodes =
        json_object_get(json_object_get(report, "measured"), "nodes");
    size_t circuits = array_bytes(json_object_get(report, "circuits"));
    size_t taken = ELSE_BYTES + array_bytes(nodes);
    json_t *copy;

    if (taken + circuits <= ROOM_BYTES) {
        return json_incref(report);
    }
    copy = json_copy(report);
    if (copy == NULL) {
        return NULL;
    }
    drop_rounds(copy);
    nodes = json_object_get(json_object_get(copy, "measured"), "nodes");
    taken = ELSE_BYTES + array_bytes(nodes);
    if (taken + circuits > ROOM_BYTES) {
        size_t left = taken < ROOM_BYTES ? ROOM_BYTES - taken : 0;

        drop_circuits(copy,
                      left / entry_bytes(json_object_get(copy, "circuits")));
    }
    return copy;
}
