/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/live.h"

#include "qemu/fabric/mesh.h"
#include "qemu/live/show.h"
#include "qemu/live/snapshot.h"
#include "qemu/live/ticker.h"
#include "qemu/serve/serve.h"
#include "qemu/support/memory.h"
#include "qemu/support/stay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between two looks: at least so long, and as long as lets looking take a
   twentieth of a processor's time, but no longer than the most. */
#define PAUSE_S 0.1
#define PAUSE_RATIO 20
#define PAUSE_MAX_S 2.0

#define REPEAT_S 2.0 /* with no news, so that lost clients are noticed */
#define SETTLE_MS 1000u
#define STOP_S 60.0 /* a look takes milliseconds */

struct live {
    struct serve *serve;
    struct watch *watch;
    struct ticker ticker;
    bool finished;
    /* The thread's. */
    struct watch_view view;
    char *seen; /* what was sent last */
    double sent_s;
};

/* ---- the thread that looks ---- */

/* Sends what there is to see if that is not what it was, or if it is time to
   say it again. */
static void look(struct live *live)
{
    char *text;

    watch_read(&live->view, live->watch);
    text = snapshot_text(&live->view);
    if (live->seen == NULL || strcmp(text, live->seen) != 0 ||
        mesh_wall_s() - live->sent_s > REPEAT_S) {
        serve_send(live->serve, "run", text);
        live->sent_s = mesh_wall_s();
    }
    free(live->seen);
    live->seen = text;
}

static double pause_after(double took_s)
{
    double pause_s = took_s * PAUSE_RATIO;

    if (pause_s < PAUSE_S) {
        return PAUSE_S;
    }
    return pause_s < PAUSE_MAX_S ? pause_s : PAUSE_MAX_S;
}

static void *look_on(void *context)
{
    struct live *live = context;
    double took_s = 0;

    while (!ticker_wait(&live->ticker, pause_after(took_s))) {
        double start_s = ticker_worked_s();

        if (serve_streams(live->serve) > 0) {
            look(live);
        }
        took_s = ticker_worked_s() - start_s;
    }
    return NULL;
}

/* ---- life ---- */

static void free_all(struct live *live)
{
    serve_stop(live->serve);
    watch_view_free(&live->view);
    watch_free(live->watch);
    free(live->seen);
    free(live);
}

struct live *live_start(struct job_config *config, const char *command,
                        uint16_t port)
{
    struct serve *serve = serve_start(port);
    struct live *live;
    json_t *begin;

    if (serve == NULL) {
        return NULL;
    }
    live = memory_or_exit(calloc(1, sizeof *live));
    live->serve = serve;
    live->watch = watch_new();
    begin = snapshot_report(config, command);
    show_page(serve, begin);
    json_decref(begin);
    if (ticker_start(&live->ticker, look_on, live) != 0) {
        free_all(live);
        return NULL;
    }
    config->watch = live->watch;
    show_address(serve);
    return live;
}

void live_finish(struct live *live, const json_t *report)
{
    (void)ticker_stop(&live->ticker, STOP_S);
    if (report != NULL) {
        show_page(live->serve, report);
    }
    show_end(live->serve, report != NULL);
    live->finished = true;
}

void live_stay(struct live *live, bool input_is_read)
{
    struct stay stay;

    if (stay_begin(&stay, input_is_read ? -1 : stay_input()) != 0) {
        return;
    }
    fprintf(stderr, "the page stays until Ctrl-C: %s\n",
            serve_address(live->serve));
    (void)stay_wait(&stay, -1);
    stay_end(&stay);
}

void live_stop(struct live *live)
{
    if (live == NULL) {
        return;
    }
    if (!live->finished) {
        live_finish(live, NULL);
    }
    serve_settle(live->serve, SETTLE_MS);
    free_all(live);
}
