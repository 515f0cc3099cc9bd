/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/serve.h"

#include "qemu/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <nettle/base16.h>
#include <nettle/memops.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TOKEN_BYTES 16u
#define ADDRESS_BYTES 80u
#define BLOCK_BYTES 16384u
/* most bytes in which a request's end is looked for */
#define REQUEST_BYTES 8192u
#define REQUEST_END "\r\n\r\n"

struct stream {
    struct serve *serve;
    struct MHD_Connection *connection;
    struct stream *next;
    char *event; /* copy of the event that is being sent; or NULL */
    size_t sent_bytes;
    uint64_t number; /* number of the last event sent; 0: none */
    bool sleeps;     /* true: there is nothing to send */
};

struct client {
    struct client *next; /* the next newer connection */
    int fd;
    bool is_served; /* true: a request is being answered */
    bool is_cut_off;
};

struct serve {
    struct MHD_Daemon *daemon;
    struct client *clients; /* used by the thread of libmicrohttpd only */
    unsigned client_count;
    struct MHD_Response *missing;
    struct MHD_Response *refused;
    pthread_mutex_t lock;      /* protects all members below */
    pthread_cond_t gone;       /* signalled when a stream of events has ended */
    struct MHD_Response *page; /* NULL: there is no page yet */
    struct stream *streams;
    unsigned stream_count;
    char *event;     /* the newest event, or NULL */
    uint64_t number; /* number of the newest event, from 1 */
    bool ended;      /* true: the last event was sent */
    bool stopping;
    char token[2 * TOKEN_BYTES + 1];
    char address[ADDRESS_BYTES];
};

/* ---- streams (lock held) ---- */

static void wake_streams(struct serve *serve)
{
    for (struct stream *at = serve->streams; at != NULL; at = at->next) {
        if (at->sleeps) {
            at->sleeps = false;
            MHD_resume_connection(at->connection);
        }
    }
}

static void take_event(struct stream *stream)
{
    struct serve *serve = stream->serve;

    if (stream->number != serve->number) {
        stream->number = serve->number;
        stream->event = memory_or_exit(strdup(serve->event));
        stream->sent_bytes = 0;
    }
}

static size_t copy_event(struct stream *stream, char *to, size_t room)
{
    const char *from;
    size_t bytes;

    if (stream->event == NULL) {
        return 0;
    }
    from = stream->event + stream->sent_bytes;
    bytes = strnlen(from, room);
    memcpy(to, from, bytes);
    stream->sent_bytes += bytes;
    if (from[bytes] == '\0') {
        free(stream->event);
        stream->event = NULL;
    }
    return bytes;
}

/* libmicrohttpd calls this when the kernel has taken all bytes so far. */
static ssize_t on_more(void *context, uint64_t position, char *to, size_t room)
{
    struct stream *stream = context;
    struct serve *serve = stream->serve;
    ssize_t result;

    (void)position;
    pthread_mutex_lock(&serve->lock);
    if (stream->event == NULL) {
        take_event(stream);
    }
    result = (ssize_t)copy_event(stream, to, room);
    if (serve->stopping || (result == 0 && serve->ended)) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (result == 0) {
        stream->sleeps = true;
        MHD_suspend_connection(stream->connection);
    }
    pthread_mutex_unlock(&serve->lock);
    return result;
}

static void on_stream_end(void *context)
{
    struct stream *stream = context;
    struct serve *serve = stream->serve;
    struct stream **at = &serve->streams;

    pthread_mutex_lock(&serve->lock);
    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    serve->stream_count -= 1;
    pthread_cond_broadcast(&serve->gone);
    pthread_mutex_unlock(&serve->lock);
    free(stream->event);
    free(stream);
}

/* ---- answers ---- */

static void add_header(struct MHD_Response *response, const char *name,
                       const char *value)
{
    if (MHD_add_response_header(response, name, value) != MHD_YES) {
        memory_or_exit(NULL);
    }
}

/* Adds headers that forbid a browser to store an answer or to tell others about
   it. */
static void add_headers(struct MHD_Response *response, const char *type)
{
    add_header(response, "Content-Type", type);
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

static struct MHD_Response *response_new(const char *text, size_t bytes,
                                         const char *type, const char *policy)
{
    struct MHD_Response *response =
        memory_or_exit(MHD_create_response_from_buffer(bytes, (void *)text,
                                                       MHD_RESPMEM_MUST_COPY));

    add_headers(response, type);
    add_header(response, "Content-Security-Policy", policy);
    return response;
}

static struct MHD_Response *plain_response(const char *text)
{
    return response_new(text, strlen(text), "text/plain", "default-src 'none'");
}

static enum MHD_Result answer_events(struct serve *serve,
                                     struct MHD_Connection *connection)
{
    struct stream *stream = memory_or_exit(calloc(1, sizeof *stream));
    struct MHD_Response *response;
    enum MHD_Result result;

    stream->serve = serve;
    stream->connection = connection;
    response = memory_or_exit(MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_BYTES, on_more, stream, on_stream_end));
    add_headers(response, "text/event-stream");
    pthread_mutex_lock(&serve->lock);
    stream->next = serve->streams;
    serve->streams = stream;
    serve->stream_count += 1;
    pthread_mutex_unlock(&serve->lock);
    result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_page(struct serve *serve,
                                   struct MHD_Connection *connection)
{
    enum MHD_Result result;

    pthread_mutex_lock(&serve->lock);
    result = serve->page != NULL
                 ? MHD_queue_response(connection, MHD_HTTP_OK, serve->page)
                 : MHD_queue_response(connection, MHD_HTTP_NOT_FOUND,
                                      serve->missing);
    pthread_mutex_unlock(&serve->lock);
    return result;
}

/* Returns whether a request's Host is this machine: 127.0.0.1 or localhost,
   with or without a port. */
static bool is_local(struct MHD_Connection *connection)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                                   MHD_HTTP_HEADER_HOST);

    for (size_t i = 0; host != NULL && i < sizeof names / sizeof *names; ++i) {
        size_t length = strlen(names[i]);

        if (strncmp(host, names[i], length) == 0 &&
            (host[length] == '\0' ||
             (host[length] == ':' &&
              host[length + 1 + strspn(host + length + 1, "0123456789")] ==
                  '\0'))) {
            return true;
        }
    }
    return false;
}

/* Returns a path's rest after the token; NULL if it lacks the token. The
   comparison takes constant time, so that its time tells nothing about the
   token. */
static const char *behind_token(const struct serve *serve, const char *path)
{
    size_t length = strlen(serve->token);
    bool fits = strlen(path) > length + 1 && path[0] == '/' &&
                memeql_sec(path + 1, serve->token, length) != 0;

    return fits ? path + 1 + length : NULL;
}

/* ---- connections ---- */

static struct client *client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection,
                                   MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        ->socket_context;
}

/* Returns whether a client has no request: none is being answered, and its
   unread bytes have no complete one. */
static bool is_idle(const struct client *client)
{
    char unread[REQUEST_BYTES];
    ssize_t bytes;

    if (client->is_served || client->is_cut_off) {
        return false;
    }
    bytes = recv(client->fd, unread, sizeof unread, MSG_PEEK | MSG_DONTWAIT);
    return bytes <= 0 || memmem(unread, (size_t)bytes, REQUEST_END,
                                strlen(REQUEST_END)) == NULL;
}

/* Closes the oldest connection that has no complete request. All connections
   are in use, and clients without requests must not keep others out. */
static void make_room(struct client *first)
{
    struct client *at = first;

    while (at->next != NULL && !is_idle(at)) {
        at = at->next;
    }
    if (at->next != NULL) {
        at->is_cut_off = true;
        shutdown(at->fd, SHUT_RDWR);
    }
}

static void on_connection(void *context, struct MHD_Connection *connection,
                          void **of_socket,
                          enum MHD_ConnectionNotificationCode code)
{
    struct serve *serve = context;
    struct client **place = &serve->clients;
    struct client *client = *of_socket;

    while (*place != NULL && *place != client) {
        place = &(*place)->next;
    }
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        *place = client->next;
        serve->client_count -= 1;
        free(client);
        return;
    }
    client = memory_or_exit(calloc(1, sizeof *client));
    client->fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            ->connect_fd;
    *place = client;
    *of_socket = client;
    serve->client_count += 1;
    if (serve->client_count >= SERVE_CLIENTS) {
        make_room(serve->clients);
    }
}

static void on_answered(void *context, struct MHD_Connection *connection,
                        void **state, enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)state;
    (void)code;
    client_of(connection)->is_served = false;
}

static enum MHD_Result on_request(void *context,
                                  struct MHD_Connection *connection,
                                  const char *path, const char *method,
                                  const char *version, const char *body,
                                  size_t *body_bytes, void **state)
{
    struct serve *serve = context;
    bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    const char *behind;

    (void)version;
    (void)body;
    (void)body_bytes;
    (void)state;
    client_of(connection)->is_served = true;
    if (!is_local(connection)) {
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND,
                                  serve->missing);
    }
    if (!head && strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                                  serve->refused);
    }
    behind = behind_token(serve, path);
    if (behind != NULL && strcmp(behind, "/") == 0) {
        return answer_page(serve, connection);
    }
    if (behind != NULL && strcmp(behind, "/events") == 0) {
        return answer_events(serve, connection);
    }
    return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, serve->missing);
}

/* ---- life ---- */

static int listen_error(uint16_t port)
{
    bool used = errno == EADDRINUSE;

    fprintf(stderr, "quincunx: --serve '%u': %s%s\n", port, strerror(errno),
            used ? "; must be a port that is free, or none: then one is chosen"
                 : "");
    return -1;
}

static int listen_on(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(*port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int again = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    /* SO_REUSEADDR: a port may be used again right after its last connections
       closed. */
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(fd, SERVE_CLIENTS) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0) {
        int result = listen_error(*port);

        if (fd >= 0) {
            close(fd);
        }
        return result;
    }
    *port = ntohs(at.sin_port);
    return fd;
}

static int choose_token(char token[2 * TOKEN_BYTES + 1])
{
    uint8_t chance[TOKEN_BYTES];

    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance) {
        perror("quincunx: --serve: random numbers");
        return -1;
    }
    base16_encode_update(token, sizeof chance, chance);
    return 0;
}

/* Starts the thread of libmicrohttpd. All signals are blocked in it, so they go
   to the main thread. */
static struct MHD_Daemon *start_daemon(struct serve *serve, int fd)
{
    sigset_t all;
    sigset_t before;
    struct MHD_Daemon *daemon;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
        on_request, serve, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, SERVE_CLIENTS,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, serve,
        MHD_OPTION_NOTIFY_COMPLETED, on_answered, serve,
        MHD_OPTION_CONNECTION_TIMEOUT, SERVE_PATIENCE_S, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static void free_all(struct serve *serve)
{
    MHD_destroy_response(serve->missing);
    MHD_destroy_response(serve->refused);
    if (serve->page != NULL) {
        MHD_destroy_response(serve->page);
    }
    free(serve->event);
    pthread_mutex_destroy(&serve->lock);
    pthread_cond_destroy(&serve->gone);
    free(serve);
}

struct serve *serve_start(uint16_t port)
{
    struct serve *serve = memory_or_exit(calloc(1, sizeof *serve));
    int fd = -1;

    serve->missing = plain_response("not found\n");
    serve->refused = plain_response("only GET and HEAD\n");
    add_header(serve->refused, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    pthread_mutex_init(&serve->lock, NULL);
    pthread_cond_init(&serve->gone, NULL);
    if (choose_token(serve->token) == 0) {
        fd = listen_on(&port);
    }
    if (fd >= 0) {
        snprintf(serve->address, sizeof serve->address,
                 "http://127.0.0.1:%u/%s/", port, serve->token);
        serve->daemon = start_daemon(serve, fd);
        if (serve->daemon == NULL) {
            fputs("quincunx: --serve: no thread or memory for a server\n",
                  stderr);
            close(fd);
        }
    }
    if (serve->daemon == NULL) {
        free_all(serve);
        return NULL;
    }
    return serve;
}

const char *serve_address(const struct serve *serve)
{
    return serve->address;
}

void serve_page(struct serve *serve, const char *html, size_t bytes,
                const char *policy)
{
    struct MHD_Response *page =
        response_new(html, bytes, "text/html; charset=utf-8", policy);
    struct MHD_Response *before;

    pthread_mutex_lock(&serve->lock);
    before = serve->page;
    serve->page = page;
    pthread_mutex_unlock(&serve->lock);
    if (before != NULL) {
        MHD_destroy_response(before);
    }
}

static void send_event(struct serve *serve, const char *event, const char *data,
                       bool last)
{
    char *text = NULL;
    int bytes = asprintf(&text, "event: %s\ndata: %s\n\n", event, data);

    memory_or_exit(bytes < 0 ? NULL : text);
    pthread_mutex_lock(&serve->lock);
    free(serve->event);
    serve->event = text;
    serve->number += 1;
    serve->ended = last;
    wake_streams(serve);
    pthread_mutex_unlock(&serve->lock);
}

void serve_send(struct serve *serve, const char *event, const char *data)
{
    send_event(serve, event, data, false);
}

void serve_end(struct serve *serve, const char *event, const char *data)
{
    send_event(serve, event, data, true);
}

unsigned serve_streams(const struct serve *serve)
{
    struct serve *inner = (struct serve *)serve; /* a cast, to take the lock */
    unsigned count;

    pthread_mutex_lock(&inner->lock);
    count = serve->stream_count;
    pthread_mutex_unlock(&inner->lock);
    return count;
}

void serve_settle(struct serve *serve, unsigned wait_s)
{
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_s;
    pthread_mutex_lock(&serve->lock);
    while (serve->stream_count > 0 && error == 0) {
        error = pthread_cond_clockwait(&serve->gone, &serve->lock,
                                       CLOCK_MONOTONIC, &until);
    }
    pthread_mutex_unlock(&serve->lock);
}

void serve_stop(struct serve *serve)
{
    if (serve == NULL) {
        return;
    }
    /* libmicrohttpd does not close suspended connections, so they are woken. */
    pthread_mutex_lock(&serve->lock);
    serve->stopping = true;
    wake_streams(serve);
    pthread_mutex_unlock(&serve->lock);
    MHD_stop_daemon(serve->daemon);
    free_all(serve);
}
