/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/mesh_map.h"

#include "hal/names.h"

#include <string.h>

static uint8_t code_of(const char *name)
{
    uint8_t code = DISCOVER_TWISTED;

    while (code > 0 && strcmp(names_at(DISCOVER_CODES, code), name) != 0) {
        code -= 1;
    }
    return code;
}

static uint8_t port_of(const struct console_reply *row, const char *key)
{
    char name[CONSOLE_WORD_BYTES];
    uint8_t port = 0;

    if (console_value(row, name, key) == NULL) {
        return TORUS_PORTS;
    }
    while (port < TORUS_PORTS && strcmp(torus_port_names[port], name) != 0) {
        port += 1;
    }
    return port;
}

static uint8_t number(const struct console_reply *row, const char *key)
{
    uint64_t value = 0;

    (void)console_number(row, &value, key);
    return value <= UINT8_MAX ? (uint8_t)value : 0;
}

bool mesh_faults_read(struct discover_fault *fault, char *row)
{
    const struct console_reply reply = {.lines = 1, .line = &row};
    char name[CONSOLE_WORD_BYTES] = "";

    (void)console_value(&reply, name, "fault");
    *fault = (struct discover_fault){.x = number(&reply, "x"),
                                     .y = number(&reply, "y"),
                                     .port = port_of(&reply, "port"),
                                     .code = code_of(name),
                                     .other_x = number(&reply, "to_x"),
                                     .other_y = number(&reply, "to_y"),
                                     .other_port = port_of(&reply, "to_port"),
                                     .count = number(&reply, "count")};
    return fault->code != 0;
}

void mesh_faults_print(FILE *out, const struct console_reply *reply,
                       struct torus_size size)
{
    for (uint32_t i = 1; i < reply->lines; ++i) {
        struct discover_fault fault;
        char text[FAULT_TEXT_BYTES];
        bool known = mesh_faults_read(&fault, reply->line[i]);

        if (known) {
            (void)fault_text(text, size, &fault);
        }
        fprintf(out, "  %s\n", known ? text : reply->line[i]);
    }
}

/* ---- what there is ---- */

const struct discover_fault *
mesh_map_fault(const struct mesh_map *map, struct torus_coord at, unsigned port)
{
    for (uint32_t i = 0; i < map->faults; ++i) {
        const struct discover_fault *fault = &map->fault[i];

        if (fault->x == at.x && fault->y == at.y && fault->port == port &&
            fault->code != DISCOVER_SIZE) {
            return fault;
        }
    }
    return NULL;
}

bool mesh_map_is_missing(const struct mesh_map *map, struct torus_coord at)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct torus_coord other =
            torus_step(map->size, at, (enum torus_port)port, 1);
        const struct discover_fault *fault =
            mesh_map_fault(map, other, torus_opposite((enum torus_port)port));

        if (mesh_map_fault(map, at, port) != NULL || fault == NULL ||
            fault->code != DISCOVER_MISSING) {
            return false;
        }
    }
    return true;
}

/* ---- JSON ---- */

static const char *code_name(unsigned code)
{
    return names_at(DISCOVER_CODES,
                    code < DISCOVER_TWISTED ? code : DISCOVER_TWISTED);
}

static json_t *end_json(struct torus_coord at, unsigned port)
{
    return json_pack("{s:i, s:i, s:o}", "x", at.x, "y", at.y, "port",
                     port < TORUS_PORTS ? json_string(torus_port_names[port])
                                        : json_null());
}

static json_t *fault_json(const struct mesh_map *map,
                          const struct discover_fault *fault)
{
    char text[FAULT_TEXT_BYTES];
    json_t *json =
        end_json((struct torus_coord){fault->x, fault->y}, fault->port);

    (void)fault_text(text, map->size, fault);
    json_object_set_new(json, "fault", json_string(code_name(fault->code)));
    json_object_set_new(
        json, "to",
        discover_leads(fault)
            ? end_json((struct torus_coord){fault->other_x, fault->other_y},
                       fault->other_port)
            : json_null());
    json_object_set_new(json, "count", json_integer(fault->count));
    json_object_set_new(json, "text", json_string(text));
    return json;
}

/* Returns the cable from a port to its neighbour as JSON, with the fault that
   one of its ends reports, first this one. */
static json_t *link_json(const struct mesh_map *map, struct torus_coord at,
                         enum torus_port port)
{
    struct torus_coord to = torus_step(map->size, at, port, 1);
    enum torus_port opposite = torus_opposite(port);
    const struct discover_fault *fault = mesh_map_fault(map, at, port);

    if (fault == NULL) {
        fault = mesh_map_fault(map, to, opposite);
    }
    return json_pack("{s:o, s:o, s:s}", "from", end_json(at, port), "to",
                     end_json(to, opposite), "state",
                     fault != NULL ? code_name(fault->code) : "good");
}

static json_t *node_json(const struct mesh_map *map, uint32_t index)
{
    struct torus_coord at = torus_coord_of(map->size, index);
    json_t *json = json_pack("{s:i, s:i, s:b}", "x", at.x, "y", at.y, "missing",
                             mesh_map_is_missing(map, at));

    if (map->identity != NULL) {
        const char *unfit = map->identity[index].unfit;

        json_object_set_new(json, "answers",
                            json_boolean(map->identity[index].known));
        json_object_set_new(
            json, "unfit", unfit[0] != '\0' ? json_string(unfit) : json_null());
    }
    return json;
}

json_t *mesh_map_json(const struct mesh_map *map)
{
    uint32_t count = torus_nodes(map->size);
    json_t *faults = json_array();
    json_t *links = json_array();
    json_t *nodes = json_array();

    for (uint32_t i = 0; i < map->faults; ++i) {
        json_array_append_new(faults, fault_json(map, &map->fault[i]));
    }
    for (uint32_t i = 0; i < count; ++i) {
        struct torus_coord at = torus_coord_of(map->size, i);

        json_array_append_new(links, link_json(map, at, TORUS_EAST));
        json_array_append_new(links, link_json(map, at, TORUS_NORTH));
        json_array_append_new(nodes, node_json(map, i));
    }
    return json_pack("{s:{s:i, s:i, s:[i, i]}, s:b, s:o, s:o, s:o}", "mesh",
                     "width", map->size.width, "height", map->size.height,
                     "originator", map->originator.x, map->originator.y,
                     "right", map->faults == 0, "faults", faults, "links",
                     links, "nodes", nodes);
}
