/* SPDX-License-Identifier: Apache-2.0 */
/* Prints identities of nodes as a table and as JSON. */
#include "qemu/serial/nodes.h"

#include "qemu/board/fault_image.h"
#include "qemu/base/memory.h"
#include "qemu/serial/survey_table.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct table_column columns[] = {
    {"node", -6},   {"unique number", -25}, {"image", -10},   {"version", -16},
    {"clock", -10}, {"frequency", -12},     {"crystal", -13}, {"reset", -11},
    {"up, s", 9},   {"memory", -8},         {"supply", -8},   {"temp.", -5}};

/* Names of the marks in JSON, and what they mean. */
static const struct {
    unsigned mark;
    const char *name;
    const char *meaning;
} marks[] = {{IDENTITY_IMAGE, "image", "another image than most nodes"},
             {IDENTITY_CLOCK, "clock", "another clock than most nodes"},
             {IDENTITY_CRYSTAL, "crystal", "another crystal than most nodes"},
             {IDENTITY_MEMORY, "memory", "other memory than most nodes"},
             {IDENTITY_RESET, "reset", "started by its watchdog, or faulted"},
             {IDENTITY_PLACE, "place", "takes itself to be elsewhere"},
             {IDENTITY_TWICE, "twice", "two places lead to this board"}};
#define MARKS (sizeof marks / sizeof *marks)

/* ---- for people ---- */

static const char *star(const struct identity *its, enum identity_mark mark)
{
    return (its->marks & mark) != 0 ? "*" : "";
}

static void print_hz(struct table *table, uint32_t hz, const char *behind)
{
    if (hz == 0) {
        table_print(table, "-%s", behind);
    } else {
        table_print(table, "%.3f MHz%s", hz / 1e6, behind);
    }
}

static void print_node(struct table *table, struct torus_coord at,
                       const struct identity *its)
{
    table_print(table, "%u,%u", at.x, at.y);
    table_print(table, "%s%s", its->chip.number, star(its, IDENTITY_TWICE));
    table_print(table, "%08" PRIX32 "%s", its->image_crc,
                star(its, IDENTITY_IMAGE));
    table_print(table, "%s", its->version);
    table_print(table, "%s%s", its->clock, star(its, IDENTITY_CLOCK));
    print_hz(table, its->clock_hz, "");
    print_hz(table, its->crystal_hz, star(its, IDENTITY_CRYSTAL));
    table_print(table, "%s%s", its->reset, star(its, IDENTITY_RESET));
    table_print(table, "%.3f", its->uptime_ms / 1e3);
    table_print(table, "%" PRIu32 "%s", its->room_bytes,
                star(its, IDENTITY_MEMORY));
    table_print(table, its->supply_mv != 0 ? "%" PRIu32 " mV" : "-",
                its->supply_mv);
    table_print(table, its->celsius != PEEK_NO_CELSIUS ? "%" PRId32 " C" : "-",
                its->celsius);
}

static void explain(FILE *out, struct torus_coord at,
                    const struct identity *its)
{
    for (unsigned i = 0; i < MARKS; ++i) {
        if ((its->marks & marks[i].mark) == 0) {
            continue;
        }
        fprintf(out, "node %u,%u: %s", at.x, at.y, marks[i].meaning);
        if (marks[i].mark == IDENTITY_PLACE) {
            fprintf(out, ": %u,%u", its->place.x, its->place.y);
        }
        if (marks[i].mark == IDENTITY_RESET) {
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
    struct table table =
        table_begin(out, columns, sizeof columns / sizeof *columns);

    for (uint32_t i = 0; i < count; ++i) {
        const struct identity *its = &nodes->identity[i];

        if (its->known) {
            print_node(&table, nodes->sweep.node[i].at, its);
            answer += 1;
        } else {
            table_print_silent(&table, &nodes->sweep.node[i]);
        }
    }
    fprintf(out, "%" PRIu32 " of %" PRIu32 " nodes answer\n", answer, count);
    for (uint32_t i = 0; i < count; ++i) {
        explain(out, nodes->sweep.node[i].at, &nodes->identity[i]);
    }
    (void)nodes_print_unfit(out, nodes);
}

unsigned nodes_print_unfit(FILE *out, const struct nodes *nodes)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < torus_nodes(nodes->sweep.size); ++i) {
        if (nodes->identity[i].unfit[0] != '\0') {
            fprintf(out, "node %u,%u: %s\n", nodes->sweep.node[i].at.x,
                    nodes->sweep.node[i].at.y, nodes->identity[i].unfit);
            count += 1;
        }
    }
    return count;
}

char *nodes_image(const struct nodes *nodes, const char *firmware)
{
    struct fault_image image;
    char *text = NULL;
    size_t bytes;
    FILE *out;

    if (!nodes_first(nodes)->known) {
        return NULL;
    }
    out = memory_or_exit(open_memstream(&text, &bytes));
    fault_image_open(&image, firmware);
    fault_image_print(out, &image, nodes_first(nodes)->image_crc);
    (void)fclose(out);
    return memory_or_exit(text);
}

void nodes_print_image(FILE *out, const struct nodes *nodes,
                       const char *firmware)
{
    char *text = nodes_image(nodes, firmware);

    if (text != NULL) {
        fprintf(out, "image %s\n", text);
    }
    free(text);
}

/* ---- JSON ---- */

static json_t *number_json(int64_t number, int64_t unknown)
{
    return number != unknown ? json_integer(number) : json_null();
}

static json_t *known_json(const struct identity *its)
{
    json_t *differs = json_array();
    char crc[9];

    snprintf(crc, sizeof crc, "%08" PRIX32, its->image_crc);
    for (unsigned i = 0; i < MARKS; ++i) {
        if ((its->marks & marks[i].mark) != 0) {
            json_array_append_new(differs, json_string(marks[i].name));
        }
    }
    return json_pack(
        "{s:s, s:s, s:s, s:b, s:s, s:I, s:o, s:s, s:I, s:I, s:I, s:o, s:o, "
        "s:o, s:b}",
        "unique_id", its->chip.number, "image_crc", crc, "version",
        its->version, "placed", its->placed, "clock", its->clock, "clock_hz",
        (json_int_t)its->clock_hz, "crystal_hz",
        number_json(its->crystal_hz, 0), "reset", its->reset, "faults",
        (json_int_t)its->faults, "uptime_ms", (json_int_t)its->uptime_ms,
        "memory_bytes", (json_int_t)its->room_bytes, "supply_mv",
        number_json(its->supply_mv, 0), "celsius",
        number_json(its->celsius, PEEK_NO_CELSIUS), "differs", differs, "fit",
        its->unfit[0] == '\0');
}

static json_t *node_json(const struct sweep_node *node,
                         const struct identity *its)
{
    json_t *json = json_pack("{s:i, s:i, s:b}", "x", node->at.x, "y",
                             node->at.y, "answers", its->known);

    sweep_add_json(json, node, its->known);
    if (its->known) {
        json_object_update_new(json, known_json(its));
    }
    return json;
}

json_t *nodes_json(const struct nodes *nodes)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < torus_nodes(nodes->sweep.size); ++i) {
        json_array_append_new(
            all, node_json(&nodes->sweep.node[i], &nodes->identity[i]));
    }
    return all;
}
