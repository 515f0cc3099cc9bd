/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/target.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_TRIES 20u
#define BUSY_MS 250

static int parse(void *options, const char *option, const char *text)
{
    struct board_target *target = options;

    if (target->text != NULL) {
        return usage_error("'%s': only one node is allowed, or `all'",
                           quote_shown(text));
    }
    target->text = text;
    target->all = strcmp(text, "all") == 0;
    if (!target->all && parse_coord(text, &target->at) != NULL) {
        return parse_report(option, text, "must be X,Y or all");
    }
    return 0;
}

const struct option_row board_target_word = {"node", .type = OPTION_SET,
                                             .set = parse, .least = 1,
                                             .help = "a node, X,Y or all"};

static int check_place(const struct board_target *target)
{
    return target->all
               ? 0
               : parse_report_outside("node", target->at, target->options.size);
}

int board_target_run(void *options)
{
    struct board_target *target = options;
    int status = target->options.size.width > 0 ? check_place(target) : 0;

    status = status == 0 ? board_options_run(options) : status;
    nodes_end(&target->nodes);
    return status == 0 && target->failed > 0 ? EXIT_FAILED : status;
}

/* ---- the target's nodes ---- */

static void print_silent(const struct sweep_node *node)
{
    char why[SWEEP_TEXT_BYTES];

    sweep_explain(why, node);
    fprintf(stderr, "quincunx: node %u,%u does not answer: %s\n", node->at.x,
            node->at.y, why);
}

/* Returns whether the board has other coordinates than the target. It must not
   be reset then. */
static bool is_elsewhere(const struct identity *its, struct torus_coord at)
{
    if (!its->placed || (its->place.x == at.x && its->place.y == at.y)) {
        return false;
    }
    fprintf(stderr,
            "quincunx: the board at %u,%u takes itself to be %u,%u: --mesh or "
            "--originator is wrong, or a cable was moved; `quincunx mesh' "
            "finds the mesh anew\n",
            at.x, at.y, its->place.x, its->place.y);
    return true;
}

static void drop_unreachable(struct board_target *target)
{
    struct sweep *sweep = &target->nodes.sweep;

    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        struct sweep_node *node = &sweep->node[i];

        if (node->skip) {
            continue;
        }
        if (!target->nodes.identity[i].known) {
            print_silent(node);
        } else if (!is_elsewhere(&target->nodes.identity[i], node->at)) {
            continue;
        }
        target->nodes.identity[i].known = false;
        target->failed += 1;
    }
}

int board_target_find(struct board_target *target, struct console *console)
{
    struct sweep *sweep = &target->nodes.sweep;

    if (check_place(target) != 0) {
        return EXIT_USAGE;
    }
    nodes_begin(&target->nodes, console, target->options.size,
                target->options.originator);
    for (uint32_t i = 0; !target->all && i < torus_nodes(sweep->size); ++i) {
        sweep->node[i].skip = i != torus_index(sweep->size, target->at);
    }
    if (nodes_read(&target->nodes) < 0) {
        return board_options_fail(console);
    }
    drop_unreachable(target);
    return 0;
}

bool board_target_has(const struct board_target *target, uint32_t index)
{
    return target->nodes.identity[index].known;
}

/* ---- commands ---- */

/* Sends a command. Repeats it while the board answers "busy": a peek of an
   earlier command may still use the port. */
static int request_when_free(struct console *console,
                             struct console_reply *reply, const char *command)
{
    int error = console_request(console, reply, command);

    for (unsigned i = 0; i < BUSY_TRIES && error == 0 && !reply->ok &&
                         strcmp(reply->code, "busy") == 0;
         ++i) {
        console_reply_free(reply);
        host_clock_pause(console_clock(console), BUSY_MS * HOST_CLOCK_MS_NS);
        error = console_request(console, reply, command);
    }
    return error;
}

bool board_target_command(struct board_target *target, uint32_t index,
                          const char *command, const char *argument)
{
    struct sweep *sweep = &target->nodes.sweep;
    const struct sweep_node *node = &sweep->node[index];
    const char *path = sweep_path(node);
    char text[64];
    struct console_reply reply;
    bool done = false;

    snprintf(text, sizeof text, "%s%s%s%s", command, path[0] != '\0' ? " " : "",
             path, argument);
    if (request_when_free(sweep->console, &reply, text) != 0) {
        (void)board_options_fail(sweep->console);
    } else if (!reply.ok) {
        fprintf(stderr, "quincunx: node %u,%u does not obey `%s': %s\n",
                node->at.x, node->at.y, command,
                strcmp(reply.code, "node") == 0 ? "dead link" : reply.code);
    } else {
        done = true;
    }
    console_reply_free(&reply);
    target->failed += !done;
    return done;
}
