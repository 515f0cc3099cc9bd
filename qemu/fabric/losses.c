/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/losses.h"

#include "hal/check.h"
#include "qemu/fabric/faults.h"
#include "qemu/fabric/postmortem.h"

#include <stdio.h>
#include <stdlib.h>

/* Number of rings since the last progress, after which they count as in
   vain. */
#define VAIN_RINGS 100u
#define SHOWN 8u /* most nodes of which a message tells */

/* Returns text for messages that says where a node runs, or "" if it runs in
   this process. */
static const char *place_of(const struct mesh *mesh, uint32_t node)
{
    struct backend *backend = mesh->backend;
    const char *place =
        backend->place != NULL ? backend->place(backend->context, node) : NULL;

    return place != NULL ? place : "";
}

enum mesh_end losses_node(const struct mesh *mesh, uint32_t node,
                          const char *what)
{
    struct torus_coord at = torus_coord_of(mesh->config->size, node);

    fprintf(stderr, "quincunx: node %u,%u%s %s\n", at.x, at.y,
            place_of(mesh, node), what);
    postmortem_print(stderr, mesh_window(mesh, node), &mesh->config->program);
    return MESH_FAILED;
}

enum mesh_end losses_fault(const struct mesh *mesh, uint32_t node)
{
    const struct window *window = mesh_window(mesh, node);
    uint32_t place = window_read_u32(&window->node.status.fault.check);
    struct torus_coord at = torus_coord_of(mesh->config->size, node);

    if (place == 0) {
        return losses_node(mesh, node, "took a fault");
    }
    fprintf(stderr, "quincunx: node %u,%u%s: assertion failed at %s:%u\n", at.x,
            at.y, place_of(mesh, node), check_path(place),
            CHECK_PLACE_LINE(place));
    postmortem_print(stderr, window, &mesh->config->program);
    return MESH_FAILED;
}

enum mesh_end losses_flooded(const struct mesh *mesh)
{
    uint32_t most = 0;
    char what[80];

    for (uint32_t node = 1; node < torus_nodes(mesh->config->size); ++node) {
        most = mesh->node[node].sent > mesh->node[most].sent ? node : most;
    }
    snprintf(what, sizeof what,
             "sends without an end: %u messages since the order",
             mesh->node[most].sent);
    return losses_node(mesh, most, what);
}

static void explain(const struct mesh *mesh, uint32_t node)
{
    if (mesh->backend->explain != NULL) {
        mesh->backend->explain(mesh->backend->context, node, stderr);
    }
}

enum mesh_end losses_boot(const struct mesh *mesh)
{
    uint32_t node = 0;

    while (mesh->node[node].sequence != 0) {
        node += 1;
    }
    fprintf(stderr,
            "quincunx: %u of %u boards came up, no more within %u s "
            "(--watchdog)\n",
            mesh->up, torus_nodes(mesh->config->size),
            mesh->config->watchdog_s);
    losses_node(mesh, node, "did not come up");
    explain(mesh, node);
    return MESH_FAILED;
}

static enum mesh_end lose_running(const struct mesh *mesh, const char *what)
{
    uint32_t shown = 0;

    for (uint32_t node = 0; node < torus_nodes(mesh->config->size); ++node) {
        if (fabric_is_running(mesh->fabric, node)) {
            if (shown < SHOWN) {
                losses_node(mesh, node, what);
            }
            shown += 1;
        }
    }
    if (shown > SHOWN) {
        fprintf(stderr, "quincunx: and %u nodes more\n", shown - SHOWN);
    }
    return MESH_FAILED;
}

static enum mesh_end lose_hanging(const struct mesh *mesh)
{
    char what[80];

    snprintf(what, sizeof what,
             mesh->vain > VAIN_RINGS
                 ? "hangs: it asks on and on, in vain for %u s (--watchdog)"
                 : "hangs: it has not come to rest within %u s (--watchdog)",
             mesh->config->watchdog_s);
    (void)lose_running(mesh, what);
    if (mesh->config->program.firmware != NULL) {
        fputs("  hint: where it is, a debugger tells: `run --gdb --halt X,Y', "
              "then `make gdb NODE=X,Y', `continue' and Ctrl-C\n",
              stderr);
    }
    return MESH_FAILED;
}

static void print_faults(const struct mesh *mesh)
{
    struct faults faults = {.count = 0};

    faults_read(&faults, mesh, false);
    faults_print(stderr, &faults);
    free(faults.fault);
}

enum mesh_end losses_stuck(const struct mesh *mesh)
{
    uint32_t shown = 0;

    fprintf(stderr, "quincunx: the mesh is stuck: every node waits for a "
                    "message that nobody sends\n");
    print_faults(mesh);
    for (uint32_t node = 0; node < torus_nodes(mesh->config->size); ++node) {
        const struct window *window = mesh_window(mesh, node);

        if (fabric_has_stopped(mesh->fabric, node)) {
            continue;
        }
        if (window->node.status.state != NODE_STATE_WAITING && shown < SHOWN &&
            !fabric_has_ended(mesh->fabric, node)) {
            losses_node(mesh, node, "waits in the middle of the job");
            shown += 1;
        }
        if (postmortem_gave_up(window) && shown < SHOWN) {
            losses_node(mesh, node, "gave up");
            shown += 1;
        }
    }
    return MESH_FAILED;
}

/* ---- boards that end by themselves ---- */

/* Returns whether the end of a node's board does not end the run: all boards
   are up, and on this host; and no injection without a time has ordered the
   end, which shows what is said of a board that fails. A board that does not
   come up ends the run: what keeps one QEMU from starting keeps others, and so
   the host is to be mended. */
static bool can_lose(const struct mesh *mesh, uint32_t node)
{
    const struct mesh_config *config = mesh->config;
    bool can = mesh->up == torus_nodes(config->size) &&
               mesh->backend->kill != NULL && mesh->backend->place == NULL;

    for (uint32_t i = 0; i < config->injections.count; ++i) {
        const struct injection *injection = &config->injections.injection[i];

        can = can && (torus_index(config->size, injection->at) != node ||
                      injection->timed || !injection_fails(injection));
    }
    return can;
}

/* Goes on without a node whose board has ended, or hangs: it is dead since it
   last got an answer, and so is its switch if `whole`. */
static void go_on_without(struct mesh *mesh, uint32_t node, const char *why,
                          bool whole)
{
    struct torus_coord at = torus_coord_of(mesh->config->size, node);
    struct mesh_node *state = &mesh->node[node];

    fprintf(stderr, "quincunx: node %u,%u%s %s; the job goes on without\n",
            at.x, at.y, place_of(mesh, node), why);
    mesh->backend->kill(mesh->backend->context, node);
    state->lost = true;
    state->relays = !whole;
    state->found = (struct fabric_found){.first_ps = FABRIC_NEVER_PS};
    fabric_lose(mesh->fabric, node, whole, &state->found);
    mesh_note_progress(mesh);
}

enum mesh_end losses_death(struct mesh *mesh, uint32_t node)
{
    static const char why[] = "died: its process is gone";
    bool can = can_lose(mesh, node);

    if (fabric_has_stopped(mesh->fabric, node)) {
        return MESH_DONE;
    }
    if (can) {
        go_on_without(mesh, node, why, true);
    } else {
        losses_node(mesh, node, why);
    }
    explain(mesh, node);
    return can ? MESH_DONE : MESH_FAILED;
}

enum mesh_end losses_hang(struct mesh *mesh)
{
    uint32_t nodes = torus_nodes(mesh->config->size);
    uint32_t running = 0;
    bool can = mesh->vain <= VAIN_RINGS;

    for (uint32_t node = 0; node < nodes; ++node) {
        if (fabric_is_running(mesh->fabric, node)) {
            running += 1;
            can = can && can_lose(mesh, node);
        }
    }
    if (!can || running == 0) {
        return lose_hanging(mesh);
    }
    for (uint32_t node = 0; node < nodes; ++node) {
        if (fabric_is_running(mesh->fabric, node)) {
            go_on_without(mesh, node, "hangs", false);
        }
    }
    return MESH_DONE;
}
