/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/snapshot.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/support/memory.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>
#include <string.h>

static const char *const stages[] = {[WATCH_STARTING] = "starting",
                                     [WATCH_BOOTING] = "booting",
                                     [WATCH_RUNNING] = "running",
                                     [WATCH_COLLECTING] = "collecting",
                                     [WATCH_DONE] = "done"};

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* ---- what it is ---- */

static json_t *originators_json(const struct job_config *config)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < config->originators; ++i) {
        json_array_append_new(all, json_pack("{s:i, s:i}", "x",
                                             config->several[i].at.x, "y",
                                             config->several[i].at.y));
    }
    return all;
}

json_t *snapshot_report(const struct job_config *config, const char *command)
{
    json_t *json = json_pack(
        "{s:s, s:{s:i, s:i, s:[i, i], s:s}, s:s, s:s}", "live", "run", "mesh",
        "width", config->size.width, "height", config->size.height,
        "originator", config->originator.x, config->originator.y, "on",
        config->mesh->on, "kernel", config->kernel->name, "command", command);

    memory_or_exit(json);
    if (config->originators > 0) {
        json_object_set_new(json, "originators", originators_json(config));
    }
    return json;
}

/* ---- what is to be seen ---- */

/* As qemu/page/live.js numbers them: announcement, part of the load, result. */
static int kind_of(const struct circuit_record *circuit)
{
    switch (circuit->kind) {
    case WIRE_ANNOUNCE:
        return 0;
    case WIRE_PART:
    case WIRE_BRANCH:
    case WIRE_BRANCH_ROUND:
    case WIRE_CHUNK:
        return 1;
    default:
        return 2;
    }
}

static json_t *circuits_json(const struct watch_view *view)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < view->circuits; ++i) {
        const struct circuit_record *circuit = &view->circuit[i];
        uint64_t zero_ps = view->order_ps;

        json_array_append_new(
            all,
            json_pack("[i, i, o, i, o, i, i, o, o, o, o]", kind_of(circuit),
                      circuit->phase, integer(circuit->source), circuit->port,
                      integer(circuit->destination), circuit->arrival,
                      circuit->hops, integer(circuit->bytes),
                      integer(circuit->request_ps - zero_ps),
                      integer(circuit->grant_ps - zero_ps),
                      integer(circuit->end_ps - zero_ps)));
    }
    return all;
}

/* A digit for each node. */
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

char *snapshot_text(const struct watch_view *view)
{
    bool boots = view->nodes > 0 && view->up < view->nodes;
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stage",
                  stages[boots && view->stage == WATCH_RUNNING ? WATCH_BOOTING
                                                               : view->stage],
                  "batch", integer(view->batch), "batches",
                  integer(view->batches), "nodes", integer(view->nodes), "up",
                  integer(view->up), "ended", integer(view->ended), "time_ps",
                  integer(view->time_ps), "dropped", integer(view->dropped),
                  "states", states_json(view), "circuits", circuits_json(view));
    char *dumped;

    memory_or_exit(json);
    dumped = memory_or_exit(json_dumps(json, JSON_COMPACT));
    json_decref(json);
    return dumped;
}
