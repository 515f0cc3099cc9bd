/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/standing.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/live/show.h"
#include "qemu/live/ticker.h"
#include "qemu/serve/serve.h"
#include "qemu/support/memory.h"
#include "qemu/survey/links.h"
#include "qemu/survey/ps.h"

#include <stdlib.h>

/* Between two readings: at least so long, and so many times as long as one
   takes, so that most of the links' time is left to jobs. */
#define PAUSE_S 2.0
#define PAUSE_RATIO 3
#define PAUSE_MAX_S 10.0

/* A board that does not answer costs seconds (qemu/survey/sweep.h), so it is
   asked again no sooner than this. */
#define FORGIVE_MS 30000u

#define LOOK_S 0.2 /* for somebody who looks */
#define STOP_S 3.0
#define SETTLE_MS 1000u

struct standing {
    struct serve *serve;
    struct torus_size size;
    struct torus_coord originator;
    struct console *console; /* or NULL: nobody is asked yet */
    struct ticker ticker;
    bool well; /* atomic */
    /* The thread's. */
    struct ps ps;
    struct links links;
    uint64_t forgiven_ms;
};

/* ---- what the page is told ---- */

/* Errors in words, beside their numbers. */
static void add_words(json_t *nodes)
{
    json_t *node;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        int error = (int)json_integer_value(json_object_get(node, "error"));

        if (error != 0) {
            json_object_set_new(node, "error_text",
                                json_string(postmortem_error(error)));
        }
    }
}

static void send(struct standing *standing, bool silent)
{
    json_t *nodes = ps_json(&standing->ps);
    json_t *json;
    char *text;

    add_words(nodes);
    json = json_pack("{s:b, s:o, s:o}", "silent", silent, "nodes", nodes,
                     "links", links_json(&standing->links, true));
    memory_or_exit(json);
    text = memory_or_exit(json_dumps(json, JSON_COMPACT));
    json_decref(json);
    serve_send(standing->serve, "mesh", text);
    free(text);
}

/* ---- the thread that asks ---- */

static void ask(struct standing *standing)
{
    uint64_t now_ms = console_port_now_ms();
    bool well;
    bool silent;

    if (now_ms - standing->forgiven_ms > FORGIVE_MS) {
        sweep_forgive(&standing->ps.sweep);
        standing->forgiven_ms = now_ms;
    }
    well = ps_read(&standing->ps);
    silent = standing->ps.why[0] != '\0';
    if (!silent) {
        sweep_learn(&standing->links.sweep, &standing->ps.sweep);
        silent = links_read(&standing->links) < 0;
    }
    __atomic_store_n(&standing->well, well && !silent, __ATOMIC_RELAXED);
    send(standing, silent);
}

/* Whether the thread is to end; else somebody looks, after so many seconds at
   least. */
static bool wait_for_clients(struct standing *standing, double seconds)
{
    bool ends = ticker_wait(&standing->ticker, seconds);

    while (!ends && serve_streams(standing->serve) == 0) {
        ends = ticker_wait(&standing->ticker, LOOK_S);
    }
    return ends;
}

static double pause_after(uint64_t took_ms)
{
    double pause_s = (double)took_ms / 1000 * PAUSE_RATIO;

    if (pause_s < PAUSE_S) {
        return PAUSE_S;
    }
    return pause_s < PAUSE_MAX_S ? pause_s : PAUSE_MAX_S;
}

static void *ask_on(void *context)
{
    struct standing *standing = context;
    double pause_s = 0;

    while (!wait_for_clients(standing, pause_s)) {
        uint64_t start_ms = console_port_now_ms();

        ask(standing);
        pause_s = pause_after(console_port_now_ms() - start_ms);
    }
    return NULL;
}

/* ---- life ---- */

struct standing *standing_open(uint16_t port, struct torus_size size,
                               struct torus_coord originator)
{
    struct serve *serve = serve_start(port);
    struct standing *standing;
    json_t *begin;

    if (serve == NULL) {
        return NULL;
    }
    standing = memory_or_exit(calloc(1, sizeof *standing));
    *standing = (struct standing){
        .serve = serve, .size = size, .originator = originator, .well = true};
    begin = json_pack("{s:s, s:{s:i, s:i, s:[i, i], s:s}}", "live", "mesh",
                      "mesh", "width", size.width, "height", size.height,
                      "originator", originator.x, originator.y, "on", "boards");
    show_page(serve, memory_or_exit(begin));
    json_decref(begin);
    show_address(serve);
    return standing;
}

int standing_ask(struct standing *standing, struct console *console)
{
    standing->console = console;
    ps_begin(&standing->ps, console, standing->size, standing->originator);
    links_begin(&standing->links, console, standing->size,
                standing->originator);
    return ticker_start(&standing->ticker, ask_on, standing);
}

bool standing_well(struct standing *standing)
{
    return __atomic_load_n(&standing->well, __ATOMIC_RELAXED);
}

void standing_close(struct standing *standing)
{
    if (standing == NULL) {
        return;
    }
    show_end(standing->serve, false);
    if (!ticker_stop(&standing->ticker, STOP_S)) {
        return; /* it uses all of this, and ends with the process */
    }
    serve_settle(standing->serve, SETTLE_MS);
    serve_stop(standing->serve);
    if (standing->console != NULL) {
        ps_end(&standing->ps);
        links_end(&standing->links);
        console_close(standing->console);
    }
    free(standing);
}
