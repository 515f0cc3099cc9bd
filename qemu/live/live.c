/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/live.h"

#include "qemu/fabric/mesh.h"
#include "qemu/live/snapshot.h"
#include "qemu/page/page.h"
#include "qemu/serve/serve.h"
#include "qemu/support/memory.h"
#include "qemu/support/stay.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Between two looks: at least so long, and as long as lets looking take a
   twentieth of a processor's time, but no longer than the most. */
#define PAUSE_S 0.1
#define PAUSE_RATIO 20
#define PAUSE_MAX_S 2.0
#define REPEAT_S 2.0 /* with no news, so that lost clients are noticed */
#define SETTLE_MS 1000u

struct live {
    struct serve *serve;
    struct watch *watch;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool finished;
    struct watch_view view; /* the thread's */
};

/* ---- the thread that looks ---- */

/* Waits for so long, or until the run is over. Result: whether it is. */
static bool wait_s(struct live *live, double seconds)
{
    struct timespec until;
    double whole;
    bool finished;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds += (double)until.tv_nsec * 1e-9;
    whole = (double)(time_t)seconds;
    until.tv_sec += (time_t)whole;
    until.tv_nsec = (long)((seconds - whole) * 1e9);
    pthread_mutex_lock(&live->lock);
    while (!live->finished && error == 0) {
        error = pthread_cond_timedwait(&live->changed, &live->lock, &until);
    }
    finished = live->finished;
    pthread_mutex_unlock(&live->lock);
    return finished;
}

/* Looks, and sends what is seen if that is not what it was, or if it is time to
   say it again. */
static void look(struct live *live, char **before, double *sent_s)
{
    char *text;
    bool due = mesh_wall_s() - *sent_s > REPEAT_S;

    watch_read(&live->view, live->watch);
    text = snapshot_text(&live->view);
    if (due || *before == NULL || strcmp(text, *before) != 0) {
        serve_send(live->serve, "run", text);
        *sent_s = mesh_wall_s();
    }
    free(*before);
    *before = text;
}

/* Processor time of this thread. */
static double worked_s(void)
{
    struct timespec worked;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
    return (double)worked.tv_sec + (double)worked.tv_nsec * 1e-9;
}

static double pause_after_s(double took_s)
{
    double pause_s = took_s * PAUSE_RATIO;

    return pause_s < PAUSE_S       ? PAUSE_S
           : pause_s > PAUSE_MAX_S ? PAUSE_MAX_S
                                   : pause_s;
}

static void *look_on(void *context)
{
    struct live *live = context;
    char *before = NULL;
    double sent_s = 0;
    double took_s = 0;

    while (!wait_s(live, pause_after_s(took_s))) {
        double start_s = worked_s();

        if (serve_streams(live->serve) > 0) {
            look(live, &before, &sent_s);
        }
        took_s = worked_s() - start_s;
    }
    free(before);
    return NULL;
}

/* ---- pages ---- */

static void show(struct live *live, const json_t *report)
{
    char policy[PAGE_POLICY_BYTES];
    size_t bytes;
    char *page = memory_or_exit(page_text(report, &bytes));

    page_policy(policy, page);
    serve_page(live->serve, page, bytes, policy);
    free(page);
}

/* ---- life ---- */

/* A thread that gets no signal. Result: 0 or an error number. */
static int start_thread(struct live *live)
{
    pthread_condattr_t monotonic;
    sigset_t all;
    sigset_t before;
    int error;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&live->lock, NULL);
    pthread_cond_init(&live->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&live->thread, NULL, look_on, live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void free_all(struct live *live)
{
    serve_stop(live->serve);
    watch_view_free(&live->view);
    watch_free(live->watch);
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
    show(live, begin);
    json_decref(begin);
    if (start_thread(live) != 0) {
        fputs("quincunx: --serve: no thread\n", stderr);
        free_all(live);
        return NULL;
    }
    config->watch = live->watch;
    fprintf(stderr, "page      %s\n", serve_address(serve));
    fflush(stderr);
    return live;
}

/* The thread is gone behind it. Result: false: it was before. */
static bool stop_looking(struct live *live)
{
    bool looks;

    pthread_mutex_lock(&live->lock);
    looks = !live->finished;
    live->finished = true;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->lock);
    if (looks) {
        pthread_join(live->thread, NULL);
    }
    return looks;
}

void live_finish(struct live *live, const json_t *report)
{
    (void)stop_looking(live);
    if (report != NULL) {
        show(live, report);
    }
    serve_end(live->serve, "end",
              report != NULL ? "{\"report\":true}" : "{\"report\":false}");
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
    if (stop_looking(live)) {
        live_finish(live, NULL);
    }
    serve_settle(live->serve, SETTLE_MS);
    pthread_mutex_destroy(&live->lock);
    pthread_cond_destroy(&live->changed);
    free_all(live);
}
