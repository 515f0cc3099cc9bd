/* SPDX-License-Identifier: Apache-2.0 */
/* Prints states of nodes as a table and as JSON. */
#include "qemu/serial/ps.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/base/json.h"
#include "qemu/serial/survey_table.h"

#include <inttypes.h>
#include <string.h>

static const struct table_column columns[] = {
    {"node", -6},    {"state", -10},        {"waypoint", -26},
    {"since, s", 8}, {"last circuit", -22}, {"error of the last job", -21}};

/* Prints what a node waits for or does: "message from en, kind 16", where "en"
   are the ports east and north; or "kernel search, round 0". */
static void print_waypoint(struct table *table, const struct ps_node *node)
{
    if (strcmp(node->waypoint, "message") == 0) {
        table_print(table, "message from %s, kind %" PRIu32, node->from,
                    node->kind);
    } else if (strcmp(node->waypoint, "kernel") == 0) {
        table_print(table, "kernel %s, round %" PRIu32, node->kernel,
                    node->round);
    } else if (strcmp(node->waypoint, "sends") == 0) {
        table_print(table, "sends to %s", node->sending);
    } else {
        table_print(table, "%s", node->waypoint);
    }
}

static void print_row(struct table *table, const struct ps_node *node)
{
    table_print(table, "%u,%u", node->asked.at.x, node->asked.at.y);
    table_print(table, "%s", node->state);
    print_waypoint(table, node);
    table_print(table, "%.3f", node->still_ms / 1e3);
    if (node->last != NULL) {
        table_print(table, "%s %s %" PRIu32 " B%s%s", node->last, node->port,
                    node->last_bytes, node->last_error != 0 ? ", " : "",
                    node->last_error != 0 ? postmortem_error(node->last_error)
                                          : "");
    } else {
        table_print(table, "none");
    }
    table_print(
        table, "%s%s%s", node->error != 0 ? postmortem_error(node->error) : "",
        node->error != 0 && node->job ? ", " : "", node->job ? "in a job" : "");
}

/* Returns the name of an exception (ARMv7-M, B1.5.2). 0 stands for abort() or
   exit(). */
static const char *exception_name(uint32_t exception)
{
    static const char *const names[] = {"exit",   "?",   "NMI",  "hard",
                                        "memory", "bus", "usage"};

    return exception < sizeof names / sizeof *names ? names[exception] : "?";
}

static void print_where(FILE *out, const struct ps_node *node)
{
    if (node->pc_at[0] != '\0') {
        fprintf(out, "       pc: %s\n", node->pc_at);
    }
    if (node->lr_at[0] != '\0') {
        fprintf(out, "       lr: %s\n", node->lr_at);
    }
    if (node->bare[0] != '\0') {
        fprintf(out, "       not looked up: %s\n", node->bare);
    }
}

static void print_fault(FILE *out, const struct ps_node *node)
{
    if (node->faults == 0) {
        return;
    }
    fprintf(out, "       fault: ");
    if (node->check[0] != '\0') {
        fprintf(out, "assertion failed at %s,", node->check);
    } else {
        fprintf(out, "%s", exception_name(node->exception));
    }
    if (node->pc[0] != '\0') {
        fprintf(out, " at pc %s, lr %s, CFSR %s", node->pc, node->lr,
                node->cfsr);
    }
    fprintf(out, "; %" PRIu32 " since power-up%s\n", node->faults,
            node->jobs > 0 ? ", before its last job" : "");
    print_where(out, node);
}

static void print_more(FILE *out, const struct ps_node *node)
{
    struct torus_coord at = node->asked.at;

    postmortem_print_hint(out, "       ", node->error);
    (void)postmortem_print_breach(out, "       ", &node->breach, node->error,
                                  node->kernel);
    if (node->placed && (node->x != at.x || node->y != at.y)) {
        fprintf(out, "       says that it is %" PRIu32 ",%" PRIu32 "\n",
                node->x, node->y);
    }
    if (!node->placed) {
        fprintf(out, "       has no place in a mesh\n");
    }
    print_fault(out, node);
}

void ps_print(FILE *out, const struct ps *ps)
{
    uint32_t nodes = torus_nodes(ps->nodes.sweep.size);
    uint32_t well = 0;
    struct table table =
        table_begin(out, columns, sizeof columns / sizeof *columns);

    for (uint32_t i = 0; i < nodes; ++i) {
        const struct ps_node *node = &ps->node[i];

        if (node->asked.answers) {
            print_row(&table, node);
            print_more(out, node);
        } else {
            table_print_silent(&table, &node->asked);
        }
        well += node->well;
    }
    fprintf(out, "%u of %u nodes are well\n", well, nodes);
    (void)nodes_print_unfit(out, &ps->nodes);
    if (ps->silent) {
        fputs("the originator: the console is silent\n", out);
    }
}

/* ---- JSON ---- */

static json_t *fault_json(const struct ps_node *node)
{
    if (node->faults == 0) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:s?}", "count",
                     json_whole(node->faults), "exception",
                     json_whole(node->exception), "pc", node->pc, "lr",
                     node->lr, "cfsr", node->cfsr, "pc_at", node->pc_at,
                     "lr_at", node->lr_at, "assertion",
                     node->check[0] != '\0' ? node->check : NULL);
}

static json_t *last_json(const struct ps_node *node)
{
    if (node->last == NULL) {
        return json_null();
    }
    return json_pack("{s:s, s:s, s:o, s:i}", "what", node->last, "port",
                     node->port, "bytes", json_whole(node->last_bytes), "error",
                     node->last_error);
}

static json_t *state_json(const struct ps_node *node)
{
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:i, s:b, s:b, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "state", node->state, "waypoint", node->waypoint, "kernel",
        node->kernel, "round", json_whole(node->round), "from", node->from,
        "kind", json_whole(node->kind), "sending", node->sending, "error",
        node->error, "placed", node->placed, "job", node->job, "uptime_ms",
        json_whole(node->uptime_ms), "still_ms", json_whole(node->still_ms),
        "stack_used_bytes", json_whole(node->stack_used_bytes), "jobs",
        json_whole(node->jobs), "last_circuit", last_json(node), "fault",
        fault_json(node));
}

static json_t *node_json(const struct ps_node *node, const struct identity *its)
{
    const struct sweep_node *asked = &node->asked;
    json_t *json = json_pack("{s:i, s:i, s:b, s:b, s:b}", "x", asked->at.x, "y",
                             asked->at.y, "answers", asked->answers, "well",
                             node->well, "fit", its->unfit[0] == '\0');

    sweep_add_json(json, asked, asked->answers);
    if (asked->answers) {
        json_object_update_new(json, state_json(node));
    }
    return json;
}

json_t *ps_json(const struct ps *ps)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < torus_nodes(ps->nodes.sweep.size); ++i) {
        json_array_append_new(all,
                              node_json(&ps->node[i], &ps->nodes.identity[i]));
    }
    return all;
}
