/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/standing.h"

#include "qemu/live/reading.h"
#include "qemu/live/show.h"
#include "qemu/live/ticker.h"
#include "qemu/serve/serve.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

/* Between two readings: at least so long, and so many times as long as one
   takes, so that most of the links' time is left to jobs. */
#define PAUSE_S 2.0
#define PAUSE_RATIO 3
#define PAUSE_MAX_S 10.0

#define LOOK_S 0.2 /* for somebody who looks */
#define STOP_S 3.0
#define LAST_S 20.0 /* a reading with dead boards takes 14 s */
#define SETTLE_MS 1000u

struct standing {
    struct serve *serve; /* or NULL: the page is not live */
    struct torus_size size;
    struct torus_coord originator;
    struct console *console; /* or NULL: nobody is asked yet */
    struct ticker ticker;
    bool well;              /* atomic */
    struct reading reading; /* the thread's, as long as there is one */
};

/* ---- the thread that asks ---- */

static void ask(struct standing *standing)
{
    bool well = reading_take(&standing->reading);
    json_t *json = reading_json(&standing->reading);
    char *text = memory_or_exit(json_dumps(json, JSON_COMPACT));

    __atomic_store_n(&standing->well, well, __ATOMIC_RELAXED);
    serve_send(standing->serve, "mesh", text);
    free(text);
    json_decref(json);
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
        uint64_t start_ms = host_clock_ms(host_clock());

        ask(standing);
        pause_s = pause_after(host_clock_ms(host_clock()) - start_ms);
    }
    return NULL;
}

/* ---- life ---- */

struct standing *standing_unserved(struct torus_size size,
                                   struct torus_coord originator)
{
    struct standing *standing = memory_or_exit(calloc(1, sizeof *standing));

    *standing =
        (struct standing){.size = size, .originator = originator, .well = true};
    return standing;
}

struct standing *standing_open(uint16_t port, struct torus_size size,
                               struct torus_coord originator)
{
    struct serve *serve = serve_start(port);
    struct standing *standing;
    json_t *begin;

    if (serve == NULL) {
        return NULL;
    }
    standing = standing_unserved(size, originator);
    standing->serve = serve;
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
    reading_begin(&standing->reading, console, standing->size,
                  standing->originator);
    return standing->serve != NULL
               ? ticker_start(&standing->ticker, ask_on, standing)
               : 0;
}

bool standing_well(struct standing *standing)
{
    return __atomic_load_n(&standing->well, __ATOMIC_RELAXED);
}

int standing_write(struct standing *standing, const char *path)
{
    if (!ticker_stop(&standing->ticker, LAST_S)) {
        file_error(path, "is not written: boards do not answer");
        return -1;
    }
    (void)reading_take(&standing->reading);
    return reading_write(&standing->reading, path);
}

void standing_close(struct standing *standing)
{
    if (standing == NULL) {
        return;
    }
    if (standing->serve != NULL) {
        show_end(standing->serve, false);
    }
    if (!ticker_stop(&standing->ticker, STOP_S)) {
        return; /* it uses all of this, and ends with the process */
    }
    if (standing->serve != NULL) {
        serve_settle(standing->serve, SETTLE_MS);
        serve_stop(standing->serve);
    }
    if (standing->console != NULL) {
        reading_end(&standing->reading);
        console_close(standing->console);
    }
    free(standing);
}
