/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/faults.h"

#include "qemu/base/amount.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

const char *const fault_how_names[] = {"unknown", "ordered", "unreached",
                                       "stopped", "asked"};

const char *fault_port(const struct fault *fault)
{
    return fault->is.what == INJECTION_CUT ? torus_port_names[fault->is.port]
                                           : NULL;
}

struct fault *faults_add(struct faults *faults, const struct injection *what)
{
    for (uint32_t i = 0; i < faults->count; ++i) {
        const struct injection *is = &faults->fault[i].is;

        if (is->at.x == what->at.x && is->at.y == what->at.y &&
            is->port == what->port &&
            (is->what == INJECTION_CUT) == (what->what == INJECTION_CUT)) {
            return &faults->fault[i];
        }
    }
    faults->fault = memory_or_exit(
        realloc(faults->fault, (faults->count + 1u) * sizeof *faults->fault));
    faults->fault[faults->count] = (struct fault){.is = *what};
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

/* Notes when a fault was met first, and lost a message last. */
static void meet(struct fault *fault, const struct mesh *mesh,
                 const struct fabric_found *found)
{
    if (fault->how == FAULT_UNKNOWN && found->first_ps != FABRIC_NEVER_PS) {
        fault->how =
            fault->is.what == INJECTION_FAULT ? FAULT_STOPPED : FAULT_UNREACHED;
        fault->found_ps = found->first_ps - mesh->order_ps;
    }
    fault->lost_ps =
        found->lost_ps > mesh->order_ps ? found->lost_ps - mesh->order_ps : 0;
}

static void read_injection(struct faults *faults, const struct mesh *mesh,
                           uint32_t index, uint64_t now_ps)
{
    const struct injection *what = &mesh->config->injections.injection[index];
    struct fault *fault;

    if ((what->what != INJECTION_CUT && !injection_stops(what)) ||
        mesh->order_ps + what->from_ps > now_ps) {
        return;
    }
    fault = faults_add(faults, what);
    if (injection_is_before(what)) {
        fault->how = FAULT_ORDERED;
    } else {
        meet(fault, mesh, &mesh->found[index]);
    }
}

/* Adds a node whose board has ended by itself. */
static void read_lost(struct faults *faults, const struct mesh *mesh,
                      uint32_t node)
{
    uint64_t stop_ps = fabric_stop_ps(mesh->fabric, node);
    struct injection what = {
        .at = torus_coord_of(mesh->config->size, node),
        .what = mesh->node[node].relays ? INJECTION_FAULT : INJECTION_DEATH,
        .from_ps = stop_ps > mesh->order_ps ? stop_ps - mesh->order_ps : 0};

    if (mesh->node[node].lost) {
        meet(faults_add(faults, &what), mesh, &mesh->node[node].found);
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
            (void)faults_add(
                faults,
                &(struct injection){.at = torus_coord_of(mesh->config->size, i),
                                    .what = INJECTION_FAULT,
                                    .from_ps = mesh->node[i].event_ps -
                                               mesh->order_ps});
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
    const char *port = fault_port(fault);

    fprintf(out, port != NULL ? "link %u,%u,%s" : "node %u,%u", fault->is.at.x,
            fault->is.at.y, port);
    if (fault->how == FAULT_ORDERED) {
        fputs(" before the job", out);
        return;
    }
    if (fault->is.from_ps != FAULT_UNTIMED_PS) {
        fprintf(out, " at %s", amount_time(fault->is.from_ps).text);
    }
    fputs(", ", out);
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
