/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/faults.h"

#include "qemu/base/amount.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

const char *const fault_how_names[] = {"unknown", "ordered", "unreached",
                                       "stopped", "asked"};

static bool is_same(const struct fault *a, const struct fault *b)
{
    return a->at.x == b->at.x && a->at.y == b->at.y &&
           a->is_link == b->is_link && a->port == b->port;
}

/* Returns the entry of a fault, which is added if it is new. */
static struct fault *entry_of(struct faults *faults, const struct fault *fault)
{
    for (uint32_t i = 0; i < faults->count; ++i) {
        if (is_same(&faults->fault[i], fault)) {
            return &faults->fault[i];
        }
    }
    faults->fault = memory_or_exit(
        realloc(faults->fault, (faults->count + 1u) * sizeof *faults->fault));
    faults->fault[faults->count] = *fault;
    return &faults->fault[faults->count++];
}

/* Returns how far mesh time has come: to the last event, or to the latest time
   at which a node stopped, which is no event if nobody waits for the node. */
static uint64_t now_of(const struct mesh *mesh)
{
    uint64_t now_ps = fabric_time_ps(mesh->fabric);

    for (uint32_t i = 0; i < torus_nodes(mesh->config->size); ++i) {
        uint64_t stop_ps = fabric_stop_ps(mesh->fabric, i);

        if (fabric_has_stopped(mesh->fabric, i) && stop_ps > now_ps) {
            now_ps = stop_ps;
        }
    }
    return now_ps;
}

/* Notes when a fault was met, if it was, and not before. */
static void meet(struct fault *fault, const struct mesh *mesh, uint64_t met_ps)
{
    if (fault->how == FAULT_UNKNOWN && met_ps != FABRIC_NEVER_PS) {
        fault->how = fault->relays ? FAULT_STOPPED : FAULT_UNREACHED;
        fault->found_ps = met_ps - mesh->order_ps;
    }
}

static void read_injection(struct faults *faults, const struct mesh *mesh,
                           uint32_t index, uint64_t now_ps)
{
    const struct injection *injection =
        &mesh->config->injections.injection[index];
    bool cut = injection->what == INJECTION_CUT;
    struct fault new = {.at = injection->at,
                        .is_link = cut,
                        .relays = injection->what == INJECTION_FAULT,
                        .port = cut ? injection->port : 0,
                        .when_ps = injection->from_ps};
    struct fault *fault;

    if ((!cut && !injection_stops(injection)) ||
        mesh->order_ps + injection->from_ps > now_ps) {
        return;
    }
    fault = entry_of(faults, &new);
    if (injection_is_before(injection)) {
        fault->how = FAULT_ORDERED;
    } else {
        meet(fault, mesh, mesh->found_ps[index]);
    }
}

/* Adds a node whose board has ended by itself. */
static void read_lost(struct faults *faults, const struct mesh *mesh,
                      uint32_t node)
{
    uint64_t stop_ps = fabric_stop_ps(mesh->fabric, node);
    struct fault new = {.at = torus_coord_of(mesh->config->size, node),
                        .relays = mesh->node[node].relays};

    if (mesh->node[node].lost) {
        new.when_ps = stop_ps > mesh->order_ps ? stop_ps - mesh->order_ps : 0;
        meet(entry_of(faults, &new), mesh, mesh->node[node].found_ps);
    }
}

void faults_read(struct faults *faults, const struct mesh *mesh, bool asks)
{
    uint64_t now_ps = now_of(mesh);

    for (uint32_t i = 0; i < mesh->config->injections.count; ++i) {
        read_injection(faults, mesh, i, now_ps);
    }
    for (uint32_t i = 0; i < torus_nodes(mesh->config->size); ++i) {
        read_lost(faults, mesh, i);
        if (fabric_has_ended(mesh->fabric, i) &&
            mesh_window(mesh, i)->node.status.state == NODE_STATE_FAILED) {
            (void)entry_of(
                faults,
                &(struct fault){.at = torus_coord_of(mesh->config->size, i),
                                .relays = true,
                                .when_ps =
                                    mesh->node[i].event_ps - mesh->order_ps});
        }
    }
    for (uint32_t i = 0; asks && i < faults->count; ++i) {
        if (faults->fault[i].how == FAULT_UNKNOWN) {
            faults->fault[i].how = FAULT_ASKED;
            faults->fault[i].found_ps = now_ps - mesh->order_ps;
        }
    }
}

uint32_t faults_met(const struct faults *faults)
{
    uint32_t met = 0;

    for (uint32_t i = 0; i < faults->count; ++i) {
        met += faults->fault[i].how > FAULT_ORDERED;
    }
    return met;
}

void fault_print(FILE *out, const struct fault *fault)
{
    fprintf(out, fault->is_link ? "link %u,%u,%s" : "node %u,%u", fault->at.x,
            fault->at.y, torus_port_names[fault->port]);
    if (fault->how == FAULT_ORDERED) {
        fputs(" before the job", out);
        return;
    }
    fprintf(out, " at %s, ", amount_time(fault->when_ps).text);
    if (fault->how == FAULT_UNKNOWN) {
        fputs("not found", out);
    } else {
        fprintf(out, "found at %s (%s)", amount_time(fault->found_ps).text,
                fault_how_names[fault->how]);
    }
}

void faults_print(FILE *out, const struct faults *faults)
{
    for (uint32_t i = 0; i < faults->count; ++i) {
        fputs("quincunx: lost ", out);
        fault_print(out, &faults->fault[i]);
        fputc('\n', out);
    }
}
