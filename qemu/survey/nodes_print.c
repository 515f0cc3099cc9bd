/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of nodes, for people and as JSON. */
#include "qemu/survey/nodes.h"

#include <inttypes.h>
#include <string.h>

#define CELL_BYTES 48u

/* The text of a mark, by its bit. */
static const char *const meanings[] = {
    "another image than most nodes",       "another clock than most nodes",
    "another crystal than most nodes",     "other memory than most nodes",
    "started by its watchdog, or faulted", "takes itself to be elsewhere",
    "two places lead to this board"};
/* The same, for programs. */
static const char *const names[] = {"image", "clock", "crystal", "memory",
                                    "reset", "place", "twice"};
#define MARKS (sizeof names / sizeof *names)
_Static_assert(1u << (MARKS - 1) == IDENTITY_TWICE, "a name for each mark");

/* ---- cells ---- */

static void format_hz(char cell[CELL_BYTES], uint32_t hz)
{
    if (hz == 0) {
        snprintf(cell, CELL_BYTES, "-");
    } else {
        snprintf(cell, CELL_BYTES, "%.3f MHz", hz / 1e6);
    }
}

static void format_supply(char cell[CELL_BYTES], uint32_t supply_mv)
{
    if (supply_mv == 0) {
        snprintf(cell, CELL_BYTES, "-");
    } else {
        snprintf(cell, CELL_BYTES, "%" PRIu32 " mV", supply_mv);
    }
}

static void format_celsius(char cell[CELL_BYTES], int32_t celsius)
{
    if (celsius == PEEK_NO_CELSIUS) {
        snprintf(cell, CELL_BYTES, "-");
    } else {
        snprintf(cell, CELL_BYTES, "%" PRId32 " C", celsius);
    }
}

/* A cell of a column, with a * if it stands out. */
static void print_cell(FILE *out, int width, const char *cell, bool marked)
{
    char text[CELL_BYTES + 1];

    snprintf(text, sizeof text, "%s%s", cell, marked ? "*" : "");
    fprintf(out, " %-*s", width, text);
}

static void print_number(FILE *out, int width, uint32_t number, bool marked)
{
    char cell[CELL_BYTES];

    snprintf(cell, sizeof cell, "%" PRIu32, number);
    print_cell(out, width, cell, marked);
}

/* ---- the table ---- */

static void print_head(FILE *out)
{
    fprintf(out,
            "%-6s %-25s %-10s %-16s %-10s %-12s %-13s %-11s %9s %-8s %-8s "
            "%s\n",
            "node", "unique number", "image", "version", "clock", "", "crystal",
            "reset", "up, s", "memory", "supply", "temp.");
}

static void print_image(FILE *out, const struct nodes *nodes, uint32_t index)
{
    const struct identity *its = &nodes->identity[index];
    unsigned mark = nodes->mark[index];
    char cell[CELL_BYTES];

    snprintf(cell, sizeof cell, "%08" PRIX32 "%08" PRIX32 "%08" PRIX32,
             its->uid[0], its->uid[1], its->uid[2]);
    print_cell(out, 25, cell, (mark & IDENTITY_TWICE) != 0);
    snprintf(cell, sizeof cell, "%08" PRIX32, its->image_crc);
    print_cell(out, 10, cell, (mark & IDENTITY_IMAGE) != 0);
    fprintf(out, " %-16s", nodes->version[index]);
}

static void print_node(FILE *out, const struct nodes *nodes, uint32_t index)
{
    const struct identity *its = &nodes->identity[index];
    unsigned mark = nodes->mark[index];
    char cell[CELL_BYTES];

    print_image(out, nodes, index);
    print_cell(out, 10, its->clock, (mark & IDENTITY_CLOCK) != 0);
    format_hz(cell, its->clock_hz);
    print_cell(out, 12, cell, false);
    format_hz(cell, its->crystal_hz);
    print_cell(out, 13, cell, (mark & IDENTITY_CRYSTAL) != 0);
    print_cell(out, 11, its->reset, (mark & IDENTITY_RESET) != 0);
    fprintf(out, " %9.3f", its->uptime_ms / 1000.0);
    print_number(out, 8, its->room_bytes, (mark & IDENTITY_MEMORY) != 0);
    format_supply(cell, its->supply_mv);
    print_cell(out, 8, cell, false);
    format_celsius(cell, its->celsius);
    fprintf(out, " %s\n", cell);
}

static void explain(FILE *out, const struct nodes *nodes, uint32_t index)
{
    const struct sweep_node *node = &nodes->sweep.node[index];
    const struct identity *its = &nodes->identity[index];

    for (unsigned i = 0; i < MARKS; ++i) {
        if ((nodes->mark[index] & 1u << i) == 0) {
            continue;
        }
        fprintf(out, "node %u,%u: %s", node->at.x, node->at.y, meanings[i]);
        if (1u << i == IDENTITY_PLACE) {
            fprintf(out, ": %u,%u", its->place.x, its->place.y);
        }
        if (1u << i == IDENTITY_RESET) {
            fprintf(out, ": reset %s, %" PRIu32 " faults since power-up",
                    its->reset, its->faults);
        }
        fputc('\n', out);
    }
}

void nodes_print(FILE *out, const struct nodes *nodes)
{
    uint32_t count = torus_nodes(nodes->sweep.size);
    uint32_t answer = 0;

    print_head(out);
    for (uint32_t i = 0; i < count; ++i) {
        const struct sweep_node *node = &nodes->sweep.node[i];

        sweep_print_place(out, node->at);
        if (nodes->identity[i].known) {
            answer += 1;
            print_node(out, nodes, i);
        } else {
            fprintf(out, " no answer: %s", sweep_why(node));
            sweep_print_tried(out, node);
        }
    }
    fprintf(out, "%" PRIu32 " of %" PRIu32 " nodes answer\n", answer, count);
    for (uint32_t i = 0; i < count; ++i) {
        explain(out, nodes, i);
    }
    (void)identity_print_unfit(out, nodes->identity, &nodes->sweep);
}

/* ---- JSON ---- */

/* Of an unknown one: null. */
static json_t *number(uint32_t value)
{
    return value != 0 ? json_integer(value) : json_null();
}

static json_t *marks_json(unsigned mark)
{
    json_t *marks = json_array();

    for (unsigned i = 0; i < MARKS; ++i) {
        if ((mark & 1u << i) != 0) {
            json_array_append_new(marks, json_string(names[i]));
        }
    }
    return marks;
}

static json_t *known_json(const struct nodes *nodes, uint32_t index)
{
    const struct identity *its = &nodes->identity[index];
    uint32_t first = torus_index(nodes->sweep.size, nodes->sweep.originator);
    char why[IDENTITY_WHY_BYTES];
    char uid[25];
    char crc[9];

    snprintf(uid, sizeof uid, "%08" PRIX32 "%08" PRIX32 "%08" PRIX32,
             its->uid[0], its->uid[1], its->uid[2]);
    snprintf(crc, sizeof crc, "%08" PRIX32, its->image_crc);
    return json_pack(
        "{s:s, s:s, s:s, s:b, s:s, s:I, s:o, s:s, s:I, s:I, s:I, s:o, s:o, "
        "s:o, s:b}",
        "unique_id", uid, "image_crc", crc, "version", nodes->version[index],
        "placed", its->placed, "clock", its->clock, "clock_hz",
        (json_int_t)its->clock_hz, "crystal_hz", number(its->crystal_hz),
        "reset", its->reset, "faults", (json_int_t)its->faults, "uptime_ms",
        (json_int_t)its->uptime_ms, "memory_bytes", (json_int_t)its->room_bytes,
        "supply_mv", number(its->supply_mv), "celsius",
        its->celsius != PEEK_NO_CELSIUS ? json_integer(its->celsius)
                                        : json_null(),
        "differs", marks_json(nodes->mark[index]), "fit",
        !identity_is_unfit(why, its, &nodes->identity[first]));
}

static json_t *node_json(const struct nodes *nodes, uint32_t index)
{
    const struct sweep_node *node = &nodes->sweep.node[index];
    bool known = nodes->identity[index].known;
    json_t *json = json_pack("{s:i, s:i, s:b}", "x", node->at.x, "y",
                             node->at.y, "answers", known);

    sweep_add_json(json, node, known);
    if (known) {
        json_object_update_new(json, known_json(nodes, index));
    }
    return json;
}

json_t *nodes_json(const struct nodes *nodes)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < torus_nodes(nodes->sweep.size); ++i) {
        json_array_append_new(all, node_json(nodes, i));
    }
    return all;
}
