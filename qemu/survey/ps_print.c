/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the states of nodes, for people and as JSON. */
#include "qemu/survey/ps.h"

#include "hal/check.h"
#include "hal/err.h"
#include "qemu/fabric/postmortem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CELL_BYTES 64u

/* "message from en, kind 16", "kernel search, round 0" */
static void format_waypoint(char cell[CELL_BYTES], const struct ps_node *node)
{
    if (strcmp(node->waypoint, "message") == 0) {
        snprintf(cell, CELL_BYTES, "message from %.8s, kind %u", node->from,
                 (unsigned)node->kind);
    } else if (strcmp(node->waypoint, "kernel") == 0) {
        snprintf(cell, CELL_BYTES, "kernel %.20s, round %u", node->kernel,
                 (unsigned)node->round);
    } else if (strcmp(node->waypoint, "sends") == 0) {
        snprintf(cell, CELL_BYTES, "sends to %.8s", node->sending);
    } else {
        snprintf(cell, CELL_BYTES, "%.20s", node->waypoint);
    }
}

static void format_last(char cell[CELL_BYTES], const struct ps_node *node)
{
    if (node->last[0] == '\0') {
        snprintf(cell, CELL_BYTES, "none");
        return;
    }
    snprintf(cell, CELL_BYTES, "%.8s %.2s %" PRIu64 " B%s%s", node->last,
             node->port, node->last_bytes, node->last_error != 0 ? ", " : "",
             node->last_error != 0 ? postmortem_error(node->last_error) : "");
}

/* ARMv7-M, B1.5.2; 0: abort() or exit(). */
static const char *exception_name(uint64_t exception)
{
    static const char *const names[] = {"exit",   "?",   "NMI",  "hard",
                                        "memory", "bus", "usage"};

    return exception < sizeof names / sizeof *names ? names[exception] : "?";
}

/* Prints the source line of the fault, or the reason for which it is
   unknown. */
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

/* "scatter/engine/core.c:123" */
static void format_check(char cell[CELL_BYTES], const struct ps_node *node)
{
    snprintf(cell, CELL_BYTES, "%s:%u", check_path(node->check),
             CHECK_PLACE_LINE(node->check));
}

static void print_fault(FILE *out, const struct ps_node *node)
{
    char check[CELL_BYTES];

    if (node->faults == 0) {
        return;
    }
    fprintf(out, "       fault: ");
    if (node->check != 0) {
        format_check(check, node);
        fprintf(out, "assertion failed at %s,", check);
    } else {
        fprintf(out, "%s", exception_name(node->exception));
    }
    if (node->pc[0] != '\0') {
        fprintf(out, " at pc %s, lr %s, CFSR %s", node->pc, node->lr,
                node->cfsr);
    }
    fprintf(out, "; %" PRIu64 " since power-up%s\n", node->faults,
            node->jobs > 0 ? ", before its last job" : "");
    print_where(out, node);
}

static void print_silent(FILE *out, const struct sweep_node *node)
{
    if (!node->asked) {
        fprintf(out, "not asked\n");
        return;
    }
    fprintf(out, "no answer: %s", node->why);
    sweep_print_tried(out, node);
}

static void print_node(FILE *out, const struct ps_node *node)
{
    char waypoint[CELL_BYTES];
    char last[CELL_BYTES];
    struct torus_coord at = node->asked.at;

    sweep_print_place(out, at);
    fputc(' ', out);
    if (!node->asked.answers) {
        print_silent(out, &node->asked);
        return;
    }
    format_waypoint(waypoint, node);
    format_last(last, node);
    fprintf(out, "%-10s %-26s %8.3f s  %-22s %s%s\n", node->state, waypoint,
            (double)node->still_ms / 1000, last,
            node->error != 0 ? postmortem_error(node->error) : "no error",
            node->job ? ", in a job" : "");
    postmortem_print_hint(out, "       ", node->error);
    if (node->placed && (node->x != at.x || node->y != at.y)) {
        fprintf(out, "       says that it is %u,%u\n", (unsigned)node->x,
                (unsigned)node->y);
    }
    if (!node->placed) {
        fprintf(out, "       has no place in a mesh\n");
    }
    print_fault(out, node);
}

void ps_print(FILE *out, const struct ps *ps)
{
    uint32_t nodes = torus_nodes(ps->sweep.size);
    uint32_t well = 0;

    fprintf(out, "%-6s %-10s %-26s %10s  %-22s %s\n", "node", "state",
            "waypoint", "since", "last circuit", "error of the last job");
    for (uint32_t i = 0; i < nodes; ++i) {
        print_node(out, &ps->node[i]);
        well += ps->node[i].well;
    }
    fprintf(out, "%u of %u nodes are well\n", well, nodes);
    (void)identity_print_unfit(out, ps->identity, &ps->sweep);
    if (ps->why[0] != '\0') {
        fprintf(out, "the originator: %s\n", ps->why);
    }
}

/* ---- JSON ---- */

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *fault_json(const struct ps_node *node)
{
    char check[CELL_BYTES];

    if (node->faults == 0) {
        return json_null();
    }
    format_check(check, node);
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:s?}", "count",
                     integer(node->faults), "exception",
                     integer(node->exception), "pc", node->pc, "lr", node->lr,
                     "cfsr", node->cfsr, "pc_at", node->pc_at, "lr_at",
                     node->lr_at, "assertion", node->check != 0 ? check : NULL);
}

static json_t *last_json(const struct ps_node *node)
{
    if (node->last[0] == '\0') {
        return json_null();
    }
    return json_pack("{s:s, s:s, s:o, s:i}", "what", node->last, "port",
                     node->port, "bytes", integer(node->last_bytes), "error",
                     node->last_error);
}

static json_t *state_json(const struct ps_node *node)
{
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:i, s:b, s:b, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "state", node->state, "waypoint", node->waypoint, "kernel",
        node->kernel, "round", integer(node->round), "from", node->from, "kind",
        integer(node->kind), "sending", node->sending, "error", node->error,
        "placed", node->placed, "job", node->job, "uptime_ms",
        integer(node->uptime_ms), "still_ms", integer(node->still_ms),
        "stack_used_bytes", integer(node->stack_used_bytes), "jobs",
        integer(node->jobs), "last_circuit", last_json(node), "fault",
        fault_json(node));
}

static json_t *node_json(const struct ps *ps, uint32_t index)
{
    const struct ps_node *node = &ps->node[index];
    const struct sweep_node *asked = &node->asked;
    uint32_t first = torus_index(ps->sweep.size, ps->sweep.originator);
    char why[IDENTITY_WHY_BYTES];
    json_t *json = json_pack(
        "{s:i, s:i, s:b, s:b, s:b}", "x", asked->at.x, "y", asked->at.y,
        "answers", asked->answers, "well", node->well, "fit",
        !identity_is_unfit(why, &ps->identity[index], &ps->identity[first]));

    sweep_add_json(json, asked, asked->answers);
    if (asked->answers) {
        json_object_update_new(json, state_json(node));
    }
    return json;
}

json_t *ps_json(const struct ps *ps)
{
    uint32_t nodes = torus_nodes(ps->sweep.size);
    json_t *all = json_array();

    for (uint32_t i = 0; i < nodes; ++i) {
        json_array_append_new(all, node_json(ps, i));
    }
    return all;
}
