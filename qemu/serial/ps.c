/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/ps.h"

#include "hal/bytes.h"
#include "hal/check.h"
#include "hal/err.h"
#include "hal/names.h"
#include "hal/node.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator)
{
    *ps = (struct ps){
        .node = memory_or_exit(calloc(torus_nodes(size), sizeof *ps->node))};
    nodes_begin(&ps->nodes, console, size, originator);
}

void ps_end(struct ps *ps)
{
    nodes_end(&ps->nodes);
    free(ps->node);
}

/* ---- what a node says ---- */

static const char *name_of(const char *names, unsigned index, unsigned count)
{
    return index < count ? names_at(names, index) : "?";
}

static void letters(char out[PS_WORD_BYTES], unsigned mask)
{
    unsigned length = 0;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if ((mask >> port & 1u) != 0) {
            out[length++] = torus_port_names[port][0];
        }
    }
    snprintf(out + length, 2, "%s", length == 0 ? "-" : "");
}

static void hex(char out[PS_WORD_BYTES], const uint8_t *at)
{
    snprintf(out, PS_WORD_BYTES, "%08X", bytes_load_u32(at));
}

static void parse_fault(struct ps_node *node, const uint8_t *page)
{
    uint16_t check = bytes_load_u16(page + PEEK_AT_CHECK);

    node->faults = bytes_load_u16(page + PEEK_AT_FAULTS);
    if (err_is_breach(node->error)) {
        node->breach = (struct node_breach){
            .first_unit = bytes_load_u32(page + PEEK_AT_PC),
            .units = bytes_load_u32(page + PEEK_AT_LR),
            .bytes = bytes_load_u32(page + PEEK_AT_CFSR)};
    }
    if ((page[PEEK_AT_FLAGS] & PEEK_FAULT) != 0) {
        node->exception = page[PEEK_AT_EXCEPTION];
        hex(node->pc, page + PEEK_AT_PC);
        hex(node->lr, page + PEEK_AT_LR);
        hex(node->cfsr, page + PEEK_AT_CFSR);
        if (check != 0) {
            snprintf(node->check, PS_CHECK_BYTES, "%s:%u", check_path(check),
                     CHECK_PLACE_LINE(check));
        }
    }
}

static void parse_circuits(struct ps_node *node, const uint8_t *page)
{
    unsigned last = page[PEEK_AT_LAST_PORT];

    letters(node->from, page[PEEK_AT_PORTS] & 15u);
    letters(node->sending, (unsigned)page[PEEK_AT_PORTS] >> 4);
    if (last != PEEK_NONE) {
        node->last = (last & 4u) != 0 ? "sent" : "received";
        letters(node->port, 1u << (last & 3u));
        node->last_error = (int8_t)page[PEEK_AT_LAST_ERROR];
        node->last_bytes = bytes_load_u32(page + PEEK_AT_LAST_BYTES);
    }
}

static void parse_page(void *context, uint32_t index, const uint8_t *page)
{
    struct ps *ps = context;
    struct ps_node *node = &ps->node[index];
    unsigned flags = page[PEEK_AT_FLAGS];

    *node = (struct ps_node){
        .state = name_of(PEEK_STATE_NAMES, page[PEEK_AT_STATE], NODE_STATES),
        .waypoint = name_of(PEEK_WAYPOINT_NAMES, page[PEEK_AT_WAYPOINT],
                            PEEK_WAYPOINTS),
        .placed = (flags & PEEK_PLACED) != 0,
        .job = (flags & PEEK_JOB) != 0,
        .error = (int8_t)page[PEEK_AT_ERROR],
        .x = page[PEEK_AT_X],
        .y = page[PEEK_AT_Y],
        .round = page[PEEK_AT_ROUND],
        .kind = page[PEEK_AT_KIND],
        .uptime_ms = bytes_load_u32(page + PEEK_AT_UPTIME),
        .still_ms = bytes_load_u32(page + PEEK_AT_STILL),
        .stack_used_bytes = bytes_load_u16(page + PEEK_AT_STACK),
        .jobs = bytes_load_u16(page + PEEK_AT_JOBS)};
    snprintf(node->kernel, PS_WORD_BYTES, "%.*s", (int)PEEK_KERNEL_BYTES,
             page[PEEK_AT_KERNEL] != 0 ? (const char *)page + PEEK_AT_KERNEL
                                       : "-");
    parse_circuits(node, page);
    parse_fault(node, page);
}

/* ---- all nodes ---- */

/* An originator that waits for a message at least this long, ms, waits for a
   node that has left the job, if there is one. */
#define STILL_MS 500u

/* Returns whether a node is well. A fault counts until the node has completed a
   job. */
static bool judge(const struct ps *ps, const struct ps_node *node)
{
    const struct ps_node *first = &ps->node[torus_index(
        ps->nodes.sweep.size, ps->nodes.sweep.originator)];
    struct torus_coord at = node->asked.at;

    return node->asked.answers && node->placed == first->placed &&
           (!node->placed || (node->x == at.x && node->y == at.y)) &&
           node->error == ERR_OK && !node->job &&
           (node->faults == 0 || node->jobs > 0);
}

bool ps_read(struct ps *ps)
{
    bool all = true;
    int missing;

    missing = sweep_read(&ps->nodes.sweep, PEEK_STATE, PEEK_STATE_BYTES,
                         parse_page, ps);
    for (uint32_t i = 0; i < torus_nodes(ps->nodes.sweep.size); ++i) {
        ps->node[i].asked = ps->nodes.sweep.node[i];
        ps->node[i].well = judge(ps, &ps->node[i]);
        all = all && ps->node[i].well;
    }
    if (missing >= 0) {
        missing = nodes_read(&ps->nodes);
    }
    ps->silent = missing < 0;
    return all && !ps->silent;
}

static bool is_waiting(const struct ps_node *node)
{
    return node->job && strcmp(node->waypoint, "message") == 0 &&
           node->still_ms >= STILL_MS;
}

const struct ps_node *ps_find_left(struct ps *ps)
{
    uint32_t first =
        torus_index(ps->nodes.sweep.size, ps->nodes.sweep.originator);

    if (sweep_read(&ps->nodes.sweep, PEEK_STATE, PEEK_STATE_BYTES, parse_page,
                   ps) < 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < torus_nodes(ps->nodes.sweep.size); ++i) {
        if (!ps->nodes.sweep.node[i].answers) {
            return NULL; /* others leave because this one is lost */
        }
    }
    for (uint32_t i = 0; i < torus_nodes(ps->nodes.sweep.size); ++i) {
        struct ps_node *node = &ps->node[i];

        node->asked = ps->nodes.sweep.node[i];
        if (node->asked.answers && !node->job &&
            (node->error != ERR_OK || !node->placed) &&
            is_waiting(&ps->node[first])) {
            return node;
        }
    }
    return NULL;
}

void ps_explain(struct ps *ps, const char *firmware)
{
    struct fault_image image;
    bool opened = false;

    for (uint32_t i = 0; i < torus_nodes(ps->nodes.sweep.size); ++i) {
        struct ps_node *node = &ps->node[i];
        const char *why;

        if (node->pc[0] == '\0' || !ps->nodes.identity[i].known) {
            continue;
        }
        if (!opened) {
            fault_image_open(&image, firmware);
            opened = true;
        }
        why = fault_image_find(node->pc_at, node->lr_at, &image,
                               ps->nodes.identity[i].image_crc,
                               (uint32_t)strtoul(node->pc, NULL, 16),
                               (uint32_t)strtoul(node->lr, NULL, 16));
        snprintf(node->bare, sizeof node->bare, "%s", why != NULL ? why : "");
    }
}

/* ---- counters ---- */

static uint32_t counter(const uint8_t *page, const char *wanted)
{
    for (unsigned i = 0; i < PEEK_COUNTERS; ++i) {
        if (strcmp(names_at(PEEK_COUNTER_NAMES, i), wanted) == 0) {
            return bytes_load_u32(page + PEEK_AT_COUNTER + 4 * i);
        }
    }
    return 0;
}

static void parse_counts(void *context, uint32_t index, const uint8_t *page)
{
    struct ps_counts *counts = (struct ps_counts *)context + index;

    *counts =
        (struct ps_counts){.messages = counter(page, "sent_messages"),
                           .bytes = counter(page, "sent_bytes"),
                           .retries = counter(page, "retries"),
                           .retransmitted = counter(page, "retransmitted")};
}

uint32_t ps_count(struct ps_counts counts[], struct console *console,
                  struct torus_size size, struct torus_coord originator)
{
    struct sweep sweep;
    int missing;

    sweep_begin(&sweep, console, size, originator);
    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        sweep.node[i].skip = counts[i].skip;
        counts[i] = (struct ps_counts){.skip = counts[i].skip};
    }
    missing = sweep_read(&sweep, PEEK_COUNTS, PEEK_COUNTS_BYTES, parse_counts,
                         counts);
    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        counts[i].answers = sweep.node[i].answers;
    }
    sweep_end(&sweep);
    return missing >= 0 ? torus_nodes(size) - (uint32_t)missing : 0;
}
