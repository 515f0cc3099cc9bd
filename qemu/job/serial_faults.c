/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/serial_faults.h"

#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"

#include <signal.h>
#include <stdlib.h>

#define NEVER_S 1e9
#define PS_S 1e12 /* picoseconds of a second */

void serial_faults_open(struct serial_faults *faults,
                        const struct request *request)
{
    *faults = (struct serial_faults){
        .request = request,
        .done = memory_or_exit(
            calloc(request->injections.count + 1u, sizeof *faults->done))};
}

void serial_faults_close(struct serial_faults *faults)
{
    free(faults->done);
    *faults = (struct serial_faults){.wired = NULL};
}

void serial_faults_start(struct serial_faults *faults)
{
    if (!faults->begun) {
        faults->begun = true;
        faults->first_s = host_clock_s(host_clock());
    }
    faults->running = true;
}

void serial_faults_pause(struct serial_faults *faults)
{
    faults->running = false;
}

/* ---- faults to order ---- */

static void carry_out(struct serial_faults *faults,
                      const struct injection *what, struct schedule_holes *dead)
{
    uint32_t node = torus_index(faults->request->size, what->at);

    if (what->what == INJECTION_CUT) {
        wired_cut(faults->wired, node, (enum torus_port)what->port);
        request_add_hole(dead, what);
    } else {
        wired_strike(faults->wired, node,
                     what->what == INJECTION_DEATH ? SIGKILL : SIGSTOP);
        schedule_holes_add(dead, what->at, false);
    }
}

double serial_faults_act(struct serial_faults *faults,
                         struct schedule_holes *dead)
{
    const struct injections *all = &faults->request->injections;
    double passed_s =
        faults->begun ? host_clock_s(host_clock()) - faults->first_s : 0;
    double next_s = NEVER_S;

    for (uint32_t i = 0; faults->wired != NULL && i < all->count; ++i) {
        const struct injection *what = &all->injection[i];
        double left_s = (double)what->from_ps / PS_S - passed_s;

        if (faults->done[i] ||
            (!injection_is_before(what) && !faults->running)) {
            continue;
        }
        if (injection_is_before(what) || left_s <= 0) {
            faults->done[i] = true;
            carry_out(faults, what, dead);
        } else if (left_s < next_s) {
            next_s = left_s;
        }
    }
    return next_s;
}

/* ---- what is known ---- */

/* Returns the entry of a link, by whichever of its ends it was named. */
static struct fault *add_link(struct faults *faults, struct torus_size size,
                              const struct injection *what)
{
    uint32_t link = torus_link(size, what->at, what->port);

    for (uint32_t i = 0; i < faults->count; ++i) {
        const struct injection *is = &faults->fault[i].is;

        if (is->what == INJECTION_CUT &&
            torus_link(size, is->at, is->port) == link) {
            return &faults->fault[i];
        }
    }
    return faults_add(faults, what);
}

/* Notes that a discovery has not found a node or a link. */
static void miss(const struct serial_faults *serial, struct fault *fault)
{
    if (fault->how != FAULT_UNKNOWN) {
        return;
    }
    fault->how = serial->begun ? FAULT_ASKED : FAULT_ORDERED;
    if (serial->begun) {
        fault->found_ps =
            (uint64_t)((host_clock_s(host_clock()) - serial->first_s) * PS_S);
        fault->lost_ps = fault->found_ps;
    } else {
        fault->is.from_ps = 0;
    }
}

/* Adds a dead link, unless a board at one of its ends is dead. */
static void read_link(const struct serial_faults *serial, struct faults *faults,
                      const struct schedule_holes *holes, struct torus_coord at,
                      enum torus_port port)
{
    struct torus_coord to = torus_step(holes->size, at, port, 1);

    if (holes->link[torus_link(holes->size, at, port)] &&
        !holes->node[torus_index(holes->size, at)] &&
        !holes->node[torus_index(holes->size, to)]) {
        miss(serial,
             add_link(faults, holes->size,
                      &(struct injection){.at = at,
                                          .what = INJECTION_CUT,
                                          .port = (uint8_t)port,
                                          .from_ps = FAULT_UNTIMED_PS}));
    }
}

void serial_faults_read(const struct serial_faults *serial,
                        struct faults *faults,
                        const struct schedule_holes *holes)
{
    const struct injections *all = &serial->request->injections;

    for (uint32_t i = 0; i < all->count; ++i) {
        if (serial->done[i]) {
            struct fault *fault = faults_add(faults, &all->injection[i]);

            fault->how =
                injection_is_before(&fault->is) ? FAULT_ORDERED : fault->how;
        }
    }
    for (uint32_t i = 0; i < torus_nodes(holes->size); ++i) {
        struct torus_coord at = torus_coord_of(holes->size, i);

        if (holes->node[i]) {
            miss(serial, faults_add(faults, &(struct injection){
                                                .at = at,
                                                .what = INJECTION_DEATH,
                                                .from_ps = FAULT_UNTIMED_PS}));
        }
        read_link(serial, faults, holes, at, TORUS_EAST);
        read_link(serial, faults, holes, at, TORUS_NORTH);
    }
}
