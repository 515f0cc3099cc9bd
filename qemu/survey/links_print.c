/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the counters of ports: tables, JSON, and Prometheus' text format. */
#include "qemu/survey/links.h"

#include "hal/names.h"

#include <inttypes.h>

/* The columns of a table, in this order. */
static const struct {
    enum links_counter counter;
    const char *head;
} columns[] = {{LINKS_BYTES_IN, "bytes in"},
               {LINKS_BYTES_OUT, "bytes out"},
               {LINKS_DAMAGED, "damaged"},
               {LINKS_MENDED, "mended"},
               {LINKS_LOST, "lost"},
               {LINKS_RETRIES, "retries"},
               {LINKS_RETRANSMITTED, "resent"},
               {LINKS_OVERRUNS, "overruns"},
               {LINKS_FRAMINGS, "framings"},
               {LINKS_NOISES, "noises"}};
#define COLUMNS (sizeof columns / sizeof *columns)

/* Of Prometheus, in the order of enum links_counter: the name is
   quincunx_link_NAME_total. */
static const struct {
    const char *name;
    const char *help;
} metrics[LINKS_COUNTERS] = {
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

static bool knows(const struct links_node *node, unsigned port)
{
    return (node->known & 1u << port) != 0;
}

/* Frames that were damaged, mended or not, and losses, in a million bytes that
   came in. */
static double errors_per_mb(const uint32_t count[LINKS_COUNTERS])
{
    double errors =
        (double)count[LINKS_DAMAGED] + count[LINKS_MENDED] + count[LINKS_LOST];

    return count[LINKS_BYTES_IN] > 0 ? errors * 1e6 / count[LINKS_BYTES_IN] : 0;
}

/* ---- tables ---- */

static void print_head(FILE *out)
{
    fprintf(out, "%-6s %-5s %-6s", "node", "port", "to");
    for (unsigned i = 0; i < COLUMNS; ++i) {
        fprintf(out, " %10s", columns[i].head);
    }
    fprintf(out, " %10s\n", "errors/MB");
}

/* "0,0    east  1,0   ": where the port should lead. */
static void print_port(FILE *out, const struct links *links, uint32_t index,
                       unsigned port)
{
    struct torus_size size = links->sweep.size;
    struct torus_coord at = torus_coord_of(size, index);
    struct torus_coord to = torus_step(size, at, (enum torus_port)port, 1);

    sweep_print_place(out, at);
    fprintf(out, " %-5s ", torus_port_names[port]);
    sweep_print_place(out, to);
}

static void print_silent(FILE *out, const struct links *links)
{
    for (uint32_t i = 0; i < torus_nodes(links->sweep.size); ++i) {
        const struct sweep_node *node = &links->sweep.node[i];

        if (links->node[i].known == 0) {
            fprintf(out, "node %u,%u: no answer: %s\n", node->at.x, node->at.y,
                    sweep_why(node));
        }
    }
}

void links_print(FILE *out, const struct links *links)
{
    print_head(out);
    for (uint32_t i = 0; i < torus_nodes(links->sweep.size); ++i) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            const uint32_t *count = links->node[i].count[port];

            if (!knows(&links->node[i], port)) {
                continue;
            }
            print_port(out, links, i, port);
            for (unsigned k = 0; k < COLUMNS; ++k) {
                fprintf(out, " %10" PRIu32, count[columns[k].counter]);
            }
            fprintf(out, " %10.3g\n", errors_per_mb(count));
        }
    }
    print_silent(out, links);
}

void links_print_rates(FILE *out, const struct links *links)
{
    fprintf(out, "a second, of the last %.1f s:\n",
            (double)(links->at_ms - links->before_ms) / 1000);
    print_head(out);
    for (uint32_t i = 0; i < torus_nodes(links->sweep.size); ++i) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            uint32_t count[LINKS_COUNTERS] = {0};
            double per_s[LINKS_COUNTERS];
            bool known = true;

            for (unsigned k = 0; k < LINKS_COUNTERS; ++k) {
                known = known && links_since(&count[k], &per_s[k], links, i,
                                             port, (enum links_counter)k);
            }
            if (!known) {
                continue;
            }
            print_port(out, links, i, port);
            for (unsigned k = 0; k < COLUMNS; ++k) {
                fprintf(out, " %10.4g", per_s[columns[k].counter]);
            }
            fprintf(out, " %10.3g\n", errors_per_mb(count));
        }
    }
    print_silent(out, links);
}

/* ---- for programs ---- */

static json_t *port_json(const struct links *links, uint32_t index,
                         unsigned port, bool rates)
{
    const uint32_t *count = links->node[index].count[port];
    json_t *json = json_object();
    json_t *per_second = json_object();

    for (unsigned k = 0; k < LINKS_COUNTERS; ++k) {
        const char *name = names_at(PEEK_PORT_NAMES, k);
        uint32_t since;
        double per_s;

        json_object_set_new(json, name, json_integer(count[k]));
        if (links_since(&since, &per_s, links, index, port,
                        (enum links_counter)k)) {
            json_object_set_new(per_second, name, json_real(per_s));
        }
    }
    json_object_set_new(json, "errors_per_mb", json_real(errors_per_mb(count)));
    if (rates) {
        json_object_set_new(json, "per_second", per_second);
    } else {
        json_decref(per_second);
    }
    return json;
}

json_t *links_json(const struct links *links, bool rates)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < torus_nodes(links->sweep.size); ++i) {
        const struct sweep_node *node = &links->sweep.node[i];
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
    uint32_t nodes = torus_nodes(links->sweep.size);

    fputs("# HELP quincunx_node_up Whether the node answers.\n"
          "# TYPE quincunx_node_up gauge\n",
          out);
    for (uint32_t i = 0; i < nodes; ++i) {
        const struct sweep_node *node = &links->sweep.node[i];

        fprintf(out, "quincunx_node_up{x=\"%u\",y=\"%u\"} %d\n", node->at.x,
                node->at.y, links->node[i].known != 0);
    }
    for (unsigned k = 0; k < LINKS_COUNTERS; ++k) {
        fprintf(out,
                "# HELP quincunx_link_%s_total %s.\n"
                "# TYPE quincunx_link_%s_total counter\n",
                metrics[k].name, metrics[k].help, metrics[k].name);
        for (uint32_t i = 0; i < nodes * TORUS_PORTS; ++i) {
            const struct links_node *node = &links->node[i / TORUS_PORTS];
            struct torus_coord at = links->sweep.node[i / TORUS_PORTS].at;
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
