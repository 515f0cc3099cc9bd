/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/links.h"

#include "hal/bytes.h"
#include "hal/names.h"
#include "qemu/base/memory.h"
#include "qemu/serial/survey_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS PEEK_PORT_COUNTERS
/* A counter that is below its last value has wrapped if that was NEAR_WRAP or
   more; otherwise the board has restarted. */
#define NEAR_WRAP 0xf0000000u

/* Counters with a column in the table, as indexes in PEEK_PORT_NAMES. */
enum counter {
    RETRIES = 4,
    RETRANSMITTED,
    DAMAGED,
    LOST,
    MENDED = 9,
    BYTES_IN,
    BYTES_OUT,
    OVERRUNS,
    FRAMINGS,
    NOISES
};

static const struct table_column columns[] = {
    {"node", -6},      {"port", -5},     {"to", -6},       {"bytes in", 10},
    {"bytes out", 10}, {"damaged", 10},  {"mended", 10},   {"lost", 10},
    {"retries", 10},   {"resent", 10},   {"overruns", 10}, {"framings", 10},
    {"noises", 10},    {"errors/MB", 10}};
static const enum counter shown[] = {
    BYTES_IN, BYTES_OUT,     DAMAGED,  MENDED,   LOST,
    RETRIES,  RETRANSMITTED, OVERRUNS, FRAMINGS, NOISES};

/* Counters in the order of PEEK_PORT_NAMES. `name` is the name in JSON; the
   name for Prometheus is quincunx_link_NAME_total. */
static const struct {
    const char *name;
    const char *help;
} metrics[COUNTERS] = {
    {"sent_messages",
     "Messages of this node that went out and were acknowledged"},
    {"received_messages", "Messages for this node that came in"},
    {"relayed_frames", "Frames that came in and were passed on"},
    {"refused_setups", "Set-ups of circuits that this node refused"},
    {"retried_setups", "Set-ups after the first one of a message"},
    {"retransmissions", "Times that a message went back to send frames again"},
    {"damaged_frames", "Frames that came in damaged beyond repair"},
    {"losses", "Bytes that overran and frames that found no room"},
    {"broken_circuits", "Circuits that ended before their message"},
    {"mended_frames", "Frames that came in damaged and were put right"},
    {"received_bytes", "Bytes that came in"},
    {"sent_bytes", "Bytes that went out"},
    {"overrun_errors", "Bytes that the UART lost since nobody fetched them"},
    {"framing_errors", "Bytes without a stop bit"},
    {"noise_errors", "Bytes whose samples differed"}};

void links_begin(struct links *links, struct sweep *sweep)
{
    size_t nodes = torus_nodes(sweep->size);

    *links = (struct links){
        .sweep = sweep,
        .node = memory_or_exit(calloc(nodes, sizeof *links->node)),
        .before = memory_or_exit(calloc(nodes, sizeof *links->before))};
}

void links_end(struct links *links)
{
    free(links->node);
    free(links->before);
}

struct port_request {
    struct links *links;
    unsigned port;
};

static void parse_page(void *context, uint32_t index, const uint8_t *page)
{
    struct port_request *port_request = context;
    struct links_node *node = &port_request->links->node[index];

    for (unsigned i = 0; i < PEEK_PORT_COUNTERS; ++i) {
        node->count[port_request->port][i] =
            bytes_load_u32(page + PEEK_AT_COUNTER + 4 * i);
    }
    node->known |= 1u << port_request->port;
}

int links_read(struct links *links)
{
    struct links_node *old = links->before;
    int missing = 0;

    links->before = links->node;
    links->before_ms = links->at_ms;
    links->node = old;
    memset(old, 0, torus_nodes(links->sweep->size) * sizeof *old);
    links->at_ms = host_clock_ms(console_clock(links->sweep->console));
    for (unsigned port = 0; port < TORUS_PORTS && missing >= 0; ++port) {
        struct port_request port_request = {links, port};
        int silent =
            sweep_read(links->sweep, (enum peek_page)(PEEK_EAST + port),
                       PEEK_PORT_BYTES, parse_page, &port_request);

        missing = silent < 0 || silent > missing ? silent : missing;
    }
    return missing;
}

/* ---- values ---- */

static bool knows(const struct links_node *node, unsigned port)
{
    return (node->known & 1u << port) != 0;
}

/* Sets how much a port's counters have grown since the reading before. Returns
   false if one of the two readings is missing. A board that has restarted
   counts from 0. */
static bool counts_since(uint32_t count[COUNTERS], const struct links *links,
                         uint32_t index, unsigned port)
{
    const struct links_node *node = &links->node[index];
    const struct links_node *before = &links->before[index];

    for (unsigned k = 0; k < COUNTERS; ++k) {
        uint32_t now = node->count[port][k];
        uint32_t then = before->count[port][k];

        count[k] = now < then && then < NEAR_WRAP ? now : now - then;
    }
    return knows(node, port) && knows(before, port) &&
           links->at_ms != links->before_ms;
}

static double per_second(const struct links *links, uint32_t count)
{
    return count * 1000.0 / (double)(links->at_ms - links->before_ms);
}

/* Returns errors for each million bytes received: frames that were damaged,
   lost, or corrected by their parity. */
static double errors_per_mb(const uint32_t count[COUNTERS])
{
    double errors = (double)count[DAMAGED] + count[MENDED] + count[LOST];

    return count[BYTES_IN] > 0 ? errors * 1e6 / count[BYTES_IN] : 0;
}

/* ---- for people ---- */

static void print_number(struct table *table, double number)
{
    table_print(table, number < 1000 ? "%.4g" : "%.0f", number);
}

static void print_port(struct table *table, const struct links *links,
                       uint32_t index, unsigned port, bool rates)
{
    struct torus_coord at = links->sweep->node[index].at;
    struct torus_coord to =
        torus_step(links->sweep->size, at, (enum torus_port)port, 1);
    uint32_t since[COUNTERS];
    bool known = counts_since(since, links, index, port);
    const uint32_t *count = rates ? since : links->node[index].count[port];

    if (rates ? !known : !knows(&links->node[index], port)) {
        return;
    }
    table_print(table, "%u,%u", at.x, at.y);
    table_print(table, "%s", torus_port_names[port]);
    table_print(table, "%u,%u", to.x, to.y);
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; ++i) {
        print_number(table, rates ? per_second(links, count[shown[i]])
                                  : count[shown[i]]);
    }
    print_number(table, errors_per_mb(count));
}

void links_print(FILE *out, const struct links *links, bool rates)
{
    struct table table;

    if (rates) {
        fprintf(out, "a second, of the last %.1f s:\n",
                (double)(links->at_ms - links->before_ms) / 1000);
    }
    table = table_begin(out, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < torus_nodes(links->sweep->size); ++i) {
        if (links->node[i].known == 0) {
            table_print_silent(&table, &links->sweep->node[i]);
        }
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            print_port(&table, links, i, port, rates);
        }
    }
}

/* ---- for programs ---- */

static json_t *port_json(const struct links *links, uint32_t index,
                         unsigned port, bool rates)
{
    const uint32_t *count = links->node[index].count[port];
    uint32_t since[COUNTERS];
    bool known = counts_since(since, links, index, port);
    json_t *json = json_object();
    json_t *per_s = json_object();

    for (unsigned k = 0; k < COUNTERS; ++k) {
        const char *name = names_at(PEEK_PORT_NAMES, k);

        json_object_set_new(json, name, json_integer(count[k]));
        if (known) {
            json_object_set_new(per_s, name,
                                json_real(per_second(links, since[k])));
        }
    }
    json_object_set_new(json, "errors_per_mb", json_real(errors_per_mb(count)));
    if (rates) {
        json_object_set(json, "per_second", per_s);
    }
    json_decref(per_s);
    return json;
}

json_t *links_json(const struct links *links, bool rates)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < torus_nodes(links->sweep->size); ++i) {
        const struct sweep_node *node = &links->sweep->node[i];
        json_t *json =
            json_pack("{s:i, s:i, s:b}", "x", node->at.x, "y", node->at.y,
                      "answers", links->node[i].known != 0);
        json_t *ports = json_object();

        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            if (knows(&links->node[i], port)) {
                json_object_set_new(ports, torus_port_names[port],
                                    port_json(links, i, port, rates));
            }
        }
        json_object_set_new(json, "ports", ports);
        if (links->node[i].known == 0) {
            json_object_set_new(json, "why", json_string(sweep_why(node)));
        }
        json_array_append_new(all, json);
    }
    return all;
}

void links_print_prometheus(FILE *out, const struct links *links)
{
    uint32_t nodes = torus_nodes(links->sweep->size);

    fputs("# HELP quincunx_node_up Whether the node answers.\n"
          "# TYPE quincunx_node_up gauge\n",
          out);
    for (uint32_t i = 0; i < nodes; ++i) {
        const struct sweep_node *node = &links->sweep->node[i];

        fprintf(out, "quincunx_node_up{x=\"%u\",y=\"%u\"} %d\n", node->at.x,
                node->at.y, links->node[i].known != 0);
    }
    for (unsigned k = 0; k < PEEK_PORT_COUNTERS; ++k) {
        fprintf(out,
                "# HELP quincunx_link_%s_total %s.\n"
                "# TYPE quincunx_link_%s_total counter\n",
                metrics[k].name, metrics[k].help, metrics[k].name);
        for (uint32_t i = 0; i < nodes * TORUS_PORTS; ++i) {
            const struct links_node *node = &links->node[i / TORUS_PORTS];
            struct torus_coord at = links->sweep->node[i / TORUS_PORTS].at;
            unsigned port = i % TORUS_PORTS;

            if (knows(node, port)) {
                fprintf(out,
                        "quincunx_link_%s_total{x=\"%u\",y=\"%u\","
                        "port=\"%s\"} %" PRIu32 "\n",
                        metrics[k].name, at.x, at.y, torus_port_names[port],
                        node->count[port][k]);
            }
        }
    }
}
