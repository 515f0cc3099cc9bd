/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/survey/ps.h"

#include "hal/bytes.h"
#include "hal/err.h"
#include "hal/names.h"
#include "hal/node.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator)
{
    uint32_t nodes = torus_nodes(size);

    *ps = (struct ps){.node = memory_or_exit(calloc(nodes, sizeof *ps->node)),
                      .identity =
                          memory_or_exit(calloc(nodes, sizeof *ps->identity))};
    sweep_begin(&ps->sweep, console, size, originator);
}

void ps_end(struct ps *ps)
{
    sweep_end(&ps->sweep);
    free(ps->node);
    free(ps->identity);
}

/* ---- what a node says ---- */

static void word(char out[PS_WORD_BYTES], const char *text)
{
    snprintf(out, PS_WORD_BYTES, "%s", text);
}

/* Name `index` of a list of `count`. */
static void name(char out[PS_WORD_BYTES], const char *names, unsigned index,
                 unsigned count)
{
    word(out, index < count ? names_at(names, index) : "?");
}

/* "enws", as far as the mask has them; "-": none. */
static void ports(char out[PS_WORD_BYTES], unsigned mask)
{
    unsigned length = 0;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if ((mask >> port & 1u) != 0) {
            out[length++] = torus_port_names[port][0];
        }
    }
    out[length] = '\0';
    if (length == 0) {
        word(out, "-");
    }
}

static void hex(char out[PS_WORD_BYTES], const uint8_t *at)
{
    snprintf(out, PS_WORD_BYTES, "%08X", bytes_load_u32(at));
}

static void parse_fault(struct ps_node *node, const uint8_t *page)
{
    node->faults = bytes_load_u16(page + PEEK_AT_FAULTS);
    if ((page[PEEK_AT_FLAGS] & PEEK_FAULT) != 0) {
        node->exception = page[PEEK_AT_EXCEPTION];
        hex(node->pc, page + PEEK_AT_PC);
        hex(node->lr, page + PEEK_AT_LR);
        hex(node->cfsr, page + PEEK_AT_CFSR);
        node->check = bytes_load_u16(page + PEEK_AT_CHECK);
    }
}

static void parse_circuits(struct ps_node *node, const uint8_t *page)
{
    unsigned last = page[PEEK_AT_LAST_PORT];

    ports(node->from, page[PEEK_AT_PORTS] & 15u);
    ports(node->sending, (unsigned)page[PEEK_AT_PORTS] >> 4);
    node->kind = page[PEEK_AT_KIND];
    if (last != PEEK_NONE) {
        word(node->last, (last & 4u) != 0 ? "sent" : "received");
        ports(node->port, 1u << (last & 3u));
        node->last_error = (int8_t)page[PEEK_AT_LAST_ERROR];
        node->last_bytes = bytes_load_u32(page + PEEK_AT_LAST_BYTES);
    }
}

static void parse_page(void *context, uint32_t index, const uint8_t *page,
                       unsigned bytes)
{
    struct ps *ps = context;
    struct ps_node *node = &ps->node[index];
    unsigned flags = page[PEEK_AT_FLAGS];

    (void)bytes;
    name(node->state, PEEK_STATE_NAMES, page[PEEK_AT_STATE], NODE_STATES);
    name(node->waypoint, PEEK_WAYPOINT_NAMES, page[PEEK_AT_WAYPOINT],
         PEEK_WAYPOINTS);
    word(node->kernel, "-");
    if (page[PEEK_AT_KERNEL] != 0) {
        snprintf(node->kernel, PS_WORD_BYTES, "%.*s", (int)PEEK_KERNEL_BYTES,
                 (const char *)page + PEEK_AT_KERNEL);
    }
    node->placed = (flags & PEEK_PLACED) != 0;
    node->job = (flags & PEEK_JOB) != 0;
    node->error = (int8_t)page[PEEK_AT_ERROR];
    node->x = page[PEEK_AT_X];
    node->y = page[PEEK_AT_Y];
    node->round = page[PEEK_AT_ROUND];
    node->uptime_ms = bytes_load_u32(page + PEEK_AT_UPTIME);
    node->still_ms = bytes_load_u32(page + PEEK_AT_STILL);
    node->stack_used_bytes = bytes_load_u16(page + PEEK_AT_STACK);
    node->jobs = bytes_load_u16(page + PEEK_AT_JOBS);
    parse_circuits(node, page);
    parse_fault(node, page);
}

/* ---- all nodes ---- */

/* An originator that waits so long for a message while a node has left its job
   waits for that node. */
#define STILL_MS 500u

/* A fault of before is forgiven once a job was done after it. */
static bool judge(const struct ps *ps, const struct ps_node *node)
{
    const struct ps_node *first =
        &ps->node[torus_index(ps->sweep.size, ps->sweep.originator)];
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

    ps->why[0] = '\0';
    missing =
        sweep_read(&ps->sweep, PEEK_STATE, PEEK_STATE_BYTES, parse_page, ps);
    for (uint32_t i = 0; i < torus_nodes(ps->sweep.size); ++i) {
        ps->node[i].asked = ps->sweep.node[i];
    }
    for (uint32_t i = 0; i < torus_nodes(ps->sweep.size); ++i) {
        ps->node[i].well = judge(ps, &ps->node[i]);
        all = all && ps->node[i].well;
    }
    if (missing >= 0) {
        missing = identity_read(ps->identity, &ps->sweep);
    }
    if (missing < 0) {
        word(ps->why, "the console is silent");
    }
    return all && missing >= 0;
}

/* The originator waits for a message, and nothing has happened at it. */
static bool is_waiting(const struct ps_node *node)
{
    return node->job && strcmp(node->waypoint, "message") == 0 &&
           node->still_ms >= STILL_MS;
}

const struct ps_node *ps_find_left(struct ps *ps)
{
    uint32_t first = torus_index(ps->sweep.size, ps->sweep.originator);

    if (sweep_read(&ps->sweep, PEEK_STATE, PEEK_STATE_BYTES, parse_page, ps) <
        0) {
        return NULL;
    }
    for (uint32_t i = 0; i < torus_nodes(ps->sweep.size); ++i) {
        struct ps_node *node = &ps->node[i];

        node->asked = ps->sweep.node[i];
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

    for (uint32_t i = 0; i < torus_nodes(ps->sweep.size); ++i) {
        struct ps_node *node = &ps->node[i];
        const char *why;

        if (node->pc[0] == '\0' || !ps->identity[i].known) {
            continue;
        }
        if (!opened) {
            fault_image_open(&image, firmware != NULL ? firmware : "");
            opened = true;
        }
        why = fault_image_find(node->pc_at, node->lr_at, &image,
                               ps->identity[i].image_crc,
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

struct counting {
    struct ps_counts *counts;
    struct ps_node_counts *node;
};

static void add_counts(void *context, uint32_t index, const uint8_t *page,
                       unsigned bytes)
{
    const struct counting *counting = context;
    struct ps_counts *counts = counting->counts;

    (void)bytes;
    counting->node[index] = (struct ps_node_counts){
        .counted = true,
        .retries = counter(page, "retries"),
        .retransmitted = counter(page, "retransmitted")};
    counts->nodes += 1;
    counts->messages += counter(page, "sent_messages");
    counts->bytes += counter(page, "sent_bytes");
    counts->refused += counter(page, "refused");
    counts->retries += counting->node[index].retries;
    counts->retransmitted += counting->node[index].retransmitted;
    counts->damaged += counter(page, "damaged");
    counts->dead += counter(page, "dead");
}

int ps_count(struct ps *ps, struct ps_counts *counts,
             struct ps_node_counts node[])
{
    struct counting counting = {counts, node};

    memset(counts, 0, sizeof *counts);
    memset(node, 0, torus_nodes(ps->sweep.size) * sizeof *node);
    return sweep_read(&ps->sweep, PEEK_COUNTS, PEEK_COUNTS_BYTES, add_counts,
                      &counting) == 0
               ? 0
               : -1;
}
