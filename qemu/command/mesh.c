/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/console_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/serial/mesh_map.h"
#include "qemu/serial/survey_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct board_options board;
    const char *svg;
    bool json;
    FILE *people; /* stream for human-readable output */
};

static const struct option_row rows[] = {
    {"svg", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct options, svg),
     .help = "Draw the mesh, faults in red; `-' is standard output",
     .suffixes = "svg"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct options, json),
     .help = "An object with faults, links and nodes", .prints = true}};

/* ---- finding ---- */

/* Reads the faults that the originator reports. Returns 0, or -1 after a
   message. */
static int read_faults(struct mesh_map *map, const struct console_reply *reply)
{
    map->fault = memory_or_exit(calloc(reply->lines + 1, sizeof *map->fault));
    for (uint32_t i = 1; i < reply->lines; ++i) {
        map->faults +=
            mesh_faults_read(&map->fault[map->faults], reply->line[i]);
    }
    if (!reply->ok && map->faults == 0) {
        fprintf(stderr,
                "quincunx: the originator does not look for its mesh: "
                "%s%s\n",
                reply->code,
                strcmp(reply->code, "busy") == 0
                    ? ": it is in a job; `quincunx reset' ends that"
                    : "");
        return -1;
    }
    return 0;
}

static int find_mesh(struct mesh_map *map, struct console *console)
{
    struct console_reply reply;
    char command[64];
    int error = 0;

    snprintf(command, sizeof command, "mesh %u %u %u %u", map->size.width,
             map->size.height, map->originator.x, map->originator.y);
    if (console_request(console, &reply, command) != 0) {
        (void)board_options_fail(console);
        error = -1;
    } else {
        error = read_faults(map, &reply);
    }
    console_reply_free(&reply);
    return error;
}

/* ---- telling ---- */

static int write_svg(const struct options *options, const struct mesh_map *map)
{
    struct file_output file;

    if (file_output_open(&file, options->svg) != 0) {
        return -1;
    }
    mesh_map_svg(file.stream, map);
    return file_output_close(&file, true);
}

static void print_faults(const struct mesh_map *map)
{
    if (map->faults == 0) {
        printf("%ux%u torus: all cables are right\n", map->size.width,
               map->size.height);
        return;
    }
    printf("the mesh is not a %ux%u torus:\n", map->size.width,
           map->size.height);
    for (uint32_t i = 0; i < map->faults; ++i) {
        char text[FAULT_TEXT_BYTES];

        (void)fault_text(text, map->size, &map->fault[i]);
        printf("  %s\n", text);
    }
}

static int print_outcome(const struct options *options,
                         const struct mesh_map *map, const struct nodes *nodes)
{
    unsigned unfit = 0;
    int error = options->svg != NULL ? write_svg(options, map) : 0;

    if (options->json) {
        error |= table_print_json(mesh_map_json(map), JSON_INDENT(2));
    } else if (options->people == stdout) {
        print_faults(map);
    }
    if (map->identity != NULL) {
        unfit = nodes_print_unfit(options->people, nodes);
    }
    return error == 0 && unfit == 0 && map->faults == 0 ? 0 : EXIT_FAILED;
}

/* Finds the mesh and prints it. Asks the nodes for their identities only if the
   mesh has no fault: otherwise a path may lead to another node. */
static int map_mesh(void *own, struct console *console)
{
    const struct options *options = own;
    struct mesh_map map = {.size = options->board.size,
                           .originator = options->board.originator};
    struct nodes nodes;
    int status = EXIT_FAILED;

    nodes_begin(&nodes, console, map.size, map.originator);
    if (find_mesh(&map, console) == 0) {
        if (map.faults == 0 && nodes_read(&nodes) >= 0) {
            map.identity = nodes.identity;
        }
        status = print_outcome(options, &map, &nodes);
    }
    nodes_end(&nodes);
    free(map.fault);
    return status;
}

const struct option_command mesh_command = {
    .name = "mesh",
    .summary = "boards find each other; wrong cables are named and drawn",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, board)}},
    .text = "Has the boards of a mesh find each other, and prints and draws "
            "the faults: missing, wrong, twice used and noisy cables, another "
            "size; and, if there are none, nodes that have another image than "
            "the originator or do not run by their crystal."
            "\vNodes that are in a job are not disturbed; they show as busy. "
            "The exit status is 0 if the mesh is right, else 1."
            "\n\nExample:\n"
            "  quincunx mesh --port /dev/ttyUSB0 --mesh 5x5",
    .people = offsetof(struct options, people),
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.board = {"mesh", map_mesh}},
    .run = board_options_run};
