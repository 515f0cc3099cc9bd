/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/page_server.h"

#include "qemu/report/page.h"
#include "qemu/report/serve.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_S 0.1   /* pause between two looks for a browser, s */
#define REPEAT_S 2.0 /* after this time, s, JSON is sent again unchanged */
#define SETTLE_S 1u
#define HASH_BYTES 64u
#define POLICY_BYTES 512u

struct page_server {
    struct serve *serve;
    struct page_source source;
    pthread_t thread;
    bool reads;
    sem_t end; /* raised when the thread must end */
    /* The members below are the thread's own. */
    char *seen; /* the last JSON of page_source.read() that was sent */
    double sent_s;
};

static double now_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct timespec after(double seconds)
{
    double at_s = now_s(CLOCK_MONOTONIC) + seconds;
    time_t whole = (time_t)at_s;

    return (struct timespec){.tv_sec = whole,
                             .tv_nsec = (long)((at_s - (double)whole) * 1e9)};
}

/* ---- reading thread ---- */

/* Sends the JSON of page_source.read() if it has changed, or if REPEAT_S has
   passed, which shows whether browsers are still there. */
static void look(struct page_server *server)
{
    json_t *state = server->source.read(server->source.context);
    char *text = json_dumps(state, JSON_COMPACT);

    json_decref(state);
    if (server->seen == NULL || strcmp(text, server->seen) != 0 ||
        now_s(CLOCK_MONOTONIC) - server->sent_s > REPEAT_S) {
        serve_send(server->serve, server->source.event, text);
        server->sent_s = now_s(CLOCK_MONOTONIC);
    }
    free(server->seen);
    server->seen = text;
}

static double pause_after(const struct page_source *source, double took_s)
{
    double pause_s = took_s * source->ratio;

    pause_s = pause_s > source->least_s ? pause_s : source->least_s;
    return pause_s < source->most_s ? pause_s : source->most_s;
}

static void *look_on(void *context)
{
    struct page_server *server = context;
    const struct page_source *source = &server->source;
    struct timespec until = after(0);

    while (sem_clockwait(&server->end, CLOCK_MONOTONIC, &until) != 0) {
        double start_s = now_s(source->clock);

        if (serve_streams(server->serve) == 0) {
            until = after(LOOK_S);
        } else {
            look(server);
            until = after(pause_after(source, now_s(source->clock) - start_s));
        }
    }
    return NULL;
}

/* ---- life ---- */

/* Writes the hash of a page's element as a Content-Security-Policy has it:
   'sha256-BASE64'. */
static void hash_element(char hash[HASH_BYTES], const char *page,
                         const char *begin, const char *end)
{
    const char *from = strstr(page, begin);
    const char *to = from != NULL ? strstr(from, end) : NULL;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    struct sha256_ctx sha256;

    if (to == NULL) {
        abort(); /* the page in this program is damaged */
    }
    from += strlen(begin);
    sha256_init(&sha256);
    sha256_update(&sha256, (size_t)(to - from), (const uint8_t *)from);
    sha256_digest(&sha256, sizeof digest, digest);
    base64_encode_raw(text, sizeof digest, digest);
    snprintf(hash, HASH_BYTES, "'sha256-%s'", text);
}

/* Writes the Content-Security-Policy: a browser runs only the page's own script
   and style, and reads events only from the page's origin. */
static void page_policy(char policy[POLICY_BYTES], const char *page)
{
    char script[HASH_BYTES];
    char style[HASH_BYTES];

    hash_element(script, page, "<script>", "</script>");
    hash_element(style, page, "<style>", "</style>");
    snprintf(policy, POLICY_BYTES,
             "default-src 'none'; script-src %s; style-src %s; img-src data:; "
             "connect-src 'self'; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'",
             script, style);
}

static void show(struct page_server *server, const json_t *report)
{
    char policy[POLICY_BYTES];
    size_t bytes;
    char *page = page_text(report, &bytes);

    page_policy(policy, page);
    serve_page(server->serve, page, bytes, policy);
    free(page);
}

struct page_server *page_server_open(uint16_t port, const json_t *begin)
{
    struct serve *serve = serve_start(port);
    struct page_server *server;

    if (serve == NULL) {
        return NULL;
    }
    server = memory_or_exit(calloc(1, sizeof *server));
    server->serve = serve;
    show(server, begin);
    fprintf(stderr, "page      %s\n", serve_address(serve));
    fflush(stderr);
    return server;
}

int page_server_start(struct page_server *server,
                      const struct page_source *source)
{
    sigset_t all;
    sigset_t before;
    int error;

    server->source = *source;
    sem_init(&server->end, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&server->thread, NULL, look_on, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    server->reads = error == 0;
    if (error != 0) {
        fprintf(stderr, "quincunx: --serve: no thread: %s\n",
                limits_start_error(error));
    }
    return server->reads ? 0 : -1;
}

bool page_server_stop(struct page_server *server, double seconds)
{
    struct timespec until = after(seconds);

    if (server->reads) {
        sem_post(&server->end);
        server->reads = pthread_clockjoin_np(server->thread, NULL,
                                             CLOCK_MONOTONIC, &until) != 0;
    }
    return !server->reads;
}

void page_server_end(struct page_server *server, const json_t *report)
{
    if (report != NULL) {
        show(server, report);
    }
    serve_end(server->serve, "end",
              report != NULL ? "{\"report\":true}" : "{\"report\":false}");
}

const char *page_server_address(const struct page_server *server)
{
    return serve_address(server->serve);
}

void page_server_close(struct page_server *server)
{
    serve_settle(server->serve, SETTLE_S);
    serve_stop(server->serve);
    free(server->seen);
    free(server);
}
