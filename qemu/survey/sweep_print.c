/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a sweep found out about a node, for people and as JSON. */
#include "qemu/survey/sweep.h"

const char *sweep_why(const struct sweep_node *node)
{
    return node->asked ? node->why : "not asked";
}

void sweep_print_place(FILE *out, struct torus_coord at)
{
    char text[16];

    snprintf(text, sizeof text, "%u,%u", at.x, at.y);
    fprintf(out, "%-6s", text);
}

void sweep_print_tried(FILE *out, const struct sweep_node *node)
{
    for (unsigned i = 0; i < SWEEP_PATHS && node->path[i][0] != '\0'; ++i) {
        fprintf(out, "%s %s", i > 0 ? "," : "; tried", node->path[i]);
    }
    fputc('\n', out);
}

void sweep_add_json(json_t *json, const struct sweep_node *node, bool answers)
{
    json_t *paths = json_array();

    for (unsigned i = 0; i < SWEEP_PATHS && node->path[i][0] != '\0'; ++i) {
        json_array_append_new(paths, json_string(node->path[i]));
    }
    json_object_set_new(json, "paths", paths);
    if (!answers) {
        json_object_set_new(json, "why", json_string(sweep_why(node)));
    }
}
