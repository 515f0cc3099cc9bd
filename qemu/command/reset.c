/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/target.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 100
#define BACK_MS 20000u /* longest wait for boards after a reset, ms */
#define ROWS_MS 120000u

/* Resets the target's nodes whose distance from the originator is `far`.
   done[i] becomes true if node i accepts. */
static void reset_at_distance(struct board_target *target, unsigned far,
                              bool *done)
{
    struct sweep *sweep = &target->nodes.sweep;

    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        if (sweep_distance(sweep, sweep->node[i].at) == far &&
            board_target_has(target, i)) {
            done[i] = board_target_command(target, i, "reset", "");
        }
    }
}

/* Waits until all nodes that were reset answer with a new start number, BACK_MS
   at most. Returns how many do not. */
static unsigned wait_until_back(struct board_target *target, const bool *done)
{
    struct sweep *sweep = &target->nodes.sweep;
    uint32_t nodes = torus_nodes(sweep->size);
    const struct identity *now = target->nodes.identity;
    uint32_t *before = memory_or_exit(calloc(nodes, sizeof *before));
    const struct host_clock *clock = console_clock(sweep->console);
    uint64_t until_ms = host_clock_ms(clock) + BACK_MS;
    unsigned left = 0;

    for (uint32_t i = 0; i < nodes; ++i) {
        sweep->node[i].skip = !done[i];
        left += done[i];
        before[i] = now[i].start;
    }
    console_patience(sweep->console, LOOK_MS * 5, ROWS_MS, 1);
    while (left > 0 && host_clock_ms(clock) < until_ms) {
        host_clock_pause(clock, LOOK_MS * HOST_CLOCK_MS_NS);
        sweep_forgive(sweep);
        if (nodes_read(&target->nodes) < 0) {
            continue;
        }
        for (uint32_t i = 0; i < nodes; ++i) {
            if (!sweep->node[i].skip && now[i].known &&
                now[i].start != before[i]) {
                sweep->node[i].skip = true;
                left -= 1;
            }
        }
    }
    free(before);
    return left;
}

static void print_missing(struct board_target *target)
{
    struct sweep *sweep = &target->nodes.sweep;

    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        if (!sweep->node[i].skip) {
            fprintf(stderr,
                    "quincunx: node %u,%u was told to reset itself, but is "
                    "not back after %u s\n",
                    sweep->node[i].at.x, sweep->node[i].at.y, BACK_MS / 1000);
            target->failed += 1;
        }
    }
}

/* Resets all nodes, the farthest first, since a board that starts passes no
   commands on. */
static void reset_all(struct board_target *target, bool *done)
{
    struct sweep *sweep = &target->nodes.sweep;
    unsigned far = (sweep->size.width + sweep->size.height) / 2u;
    const struct host_clock *clock = console_clock(sweep->console);
    uint64_t since_ms = host_clock_ms(clock);
    unsigned count = 0;

    do {
        reset_at_distance(target, far, done);
    } while (far-- > 0);
    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        count += done[i];
    }
    if (wait_until_back(target, done) > 0) {
        print_missing(target);
    } else if (count > 0) {
        printf("%u board%s reset, and back after %.1f s\n", count,
               count == 1 ? " was" : "s were",
               (double)(host_clock_ms(clock) - since_ms) / 1000);
    }
}

static int reset(void *own, struct console *console)
{
    struct board_target *target = own;
    int status = board_target_find(target, console);
    bool *done = NULL;

    if (status == 0) {
        done = memory_or_exit(
            calloc(torus_nodes(target->nodes.sweep.size), sizeof *done));
        reset_all(target, done);
    }
    free(done);
    return status;
}

const struct option_command reset_command = {
    .name = "reset",
    .summary = "restarts boards over the mesh, even if they hang",
    .words = "X,Y|all",
    .part = {{&board_option_table, offsetof(struct board_target, options)}},
    .text = "Resets a board over the mesh, also if its program hangs, and "
            "waits until it answers again; of `all' the originator comes last."
            "\vA board answers before it resets itself. It forgets its place "
            "in the mesh and the job that it is in; `run' and `quincunx mesh' "
            "find the mesh anew. The exit status is 0 if all boards that are "
            "meant were reset and answer again, else 1."
            "\n\nExample:\n"
            "  quincunx reset --port /dev/ttyUSB0 2,1",
    .word = &board_target_word,
    .bytes = sizeof(struct board_target),
    .usual = &(const struct board_target){.options = {"reset", reset}},
    .run = board_target_run};
