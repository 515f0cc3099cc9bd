/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/run_page.h"

#include "qemu/fabric/watch.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/report/page_server.h"
#include "qemu/report/json.h"
#include "qemu/base/json.h"
#include "qemu/base/memory.h"
#include "qemu/base/stay.h"

#include <stdio.h>
#include <stdlib.h>

#define STOP_S 60.0 /* longest wait until read_state() has ended, s */

struct run_page {
    struct page_server *server;
    struct watch *watch;
    struct watch_view view; /* the run as read_state() last saw it */
    bool finished;
};

static const char *const stages[] = {[WATCH_STARTING] = "starting",
                                     [WATCH_BOOTING] = "booting",
                                     [WATCH_RUNNING] = "running",
                                     [WATCH_COLLECTING] = "collecting",
                                     [WATCH_DONE] = "done"};

/* ---- report's begin ---- */

static json_t *originators_json(const struct request *request)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < request->originators; ++i) {
        json_array_append_new(all, json_pack("{s:i, s:i}", "x",
                                             request->originator[i].at.x, "y",
                                             request->originator[i].at.y));
    }
    return all;
}

static json_t *report_begin(const struct request *request, const char *command)
{
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:o*}", "live", "run", "mesh",
        report_mesh_json(request->size, request->originator[0].at,
                         request->mesh->on),
        "kernel", request->kernel->name, "command", command, "originators",
        request->originators > 1 ? originators_json(request) : NULL);
}

/* ---- the state ---- */

/* Returns the circuits that are not finished. Their purposes are numbers, as
   qemu/report/page/live.js reads them. */
static json_t *circuits_json(const struct watch_view *view)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < view->circuits; ++i) {
        const struct circuit_record *circuit = &view->circuit[i];
        uint64_t zero_ps = view->order_ps;

        json_array_append_new(
            all, json_pack("[i, i, o, i, o, i, i, o, o, o, o]",
                           (int)circuit_purpose(circuit->kind), circuit->phase,
                           json_whole(circuit->source), circuit->port,
                           json_whole(circuit->destination), circuit->arrival,
                           circuit->hops, json_whole(circuit->bytes),
                           json_whole(circuit->request_ps - zero_ps),
                           json_whole(circuit->grant_ps - zero_ps),
                           json_whole(circuit->end_ps - zero_ps)));
    }
    return all;
}

static json_t *states_json(const struct watch_view *view)
{
    char *states = memory_or_exit(malloc(view->nodes + 1u));
    json_t *json;

    for (uint32_t i = 0; i < view->nodes; ++i) {
        states[i] = (char)('0' + view->state[i]);
    }
    json = json_stringn(states, view->nodes);
    free(states);
    return json;
}

/* Reads the run's state. With WATCH_CIRCUITS circuits this takes a few
   milliseconds. */
static json_t *read_state(void *context)
{
    struct run_page *page = context;
    const struct watch_view *view = &page->view;
    bool boots;

    watch_read(&page->view, page->watch);
    boots = view->nodes > 0 && view->up < view->nodes;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stage",
        stages[boots && view->stage == WATCH_RUNNING ? WATCH_BOOTING
                                                     : view->stage],
        "batch", json_whole(view->batch), "batches", json_whole(view->batches),
        "nodes", json_whole(view->nodes), "up", json_whole(view->up), "ended",
        json_whole(view->ended), "time_ps", json_whole(view->time_ps),
        "dropped", json_whole(view->dropped), "states", states_json(view),
        "circuits", circuits_json(view));
}

/* ---- life ---- */

static void free_all(struct run_page *page)
{
    page_server_close(page->server);
    watch_view_free(&page->view);
    watch_free(page->watch);
    free(page);
}

struct run_page *run_page_start(const struct request *request,
                                const char *command, uint16_t port)
{
    /* The thread takes at most a twentieth of a processor's time. */
    struct page_source source = {.event = "run",
                                 .read = read_state,
                                 .clock = CLOCK_THREAD_CPUTIME_ID,
                                 .ratio = 20,
                                 .least_s = 0.1,
                                 .most_s = 2};
    json_t *begin = report_begin(request, command);
    struct page_server *server = page_server_open(port, begin);
    struct run_page *page;

    json_decref(begin);
    if (server == NULL) {
        return NULL;
    }
    page = memory_or_exit(calloc(1, sizeof *page));
    page->server = server;
    page->watch = watch_new();
    source.context = page;
    if (page_server_start(server, &source) != 0) {
        free_all(page);
        return NULL;
    }
    return page;
}

struct watch *run_page_watch(const struct run_page *page)
{
    return page != NULL ? page->watch : NULL;
}

void run_page_finish(struct run_page *page, const json_t *report)
{
    (void)page_server_stop(page->server, STOP_S);
    page_server_end(page->server, report);
    page->finished = true;
}

void run_page_stay(struct run_page *page, bool input_is_read)
{
    struct stay stay;

    if (stay_begin(&stay, input_is_read ? -1 : stay_input()) != 0) {
        return;
    }
    fprintf(stderr, "the page stays until Ctrl-C: %s\n",
            page_server_address(page->server));
    (void)stay_wait(&stay, -1);
    stay_end(&stay);
}

void run_page_stop(struct run_page *page)
{
    if (page == NULL) {
        return;
    }
    if (!page->finished) {
        run_page_finish(page, NULL);
    }
    free_all(page);
}
