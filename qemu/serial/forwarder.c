/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/forwarder.h"

#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/serial/halt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#define NO_END UINT32_MAX
#define BUFFER_BYTES 4096u
#define TAIL_BYTES 256u
#define EVENTS_MAX 64
/* pause between two looks for a program that opens a terminal, ms */
#define ABSENT_MS 20

enum kind {
    LINK,
    CONSOLE,
    TTY,
    MONITOR
};

/* A socket or terminal of the forwarder. Bytes read from it are written to the
   end `peer`. */
struct end {
    enum kind kind;
    int fd; /* -1: closed */
    uint32_t peer;
    uint32_t name;   /* number of the cable's end, or of the node */
    uint32_t events; /* events for which epoll waits; 0: it does not wait */
    bool absent;     /* true: a terminal that no program has open */
    uint8_t out[BUFFER_BYTES]; /* bytes to be written: out[from .. to) */
    uint32_t from;
    uint32_t to;
    uint64_t random;
    /* ring buffer with a console's last output, or with a line of QEMU's
       monitor */
    char tail[TAIL_BYTES];
    uint64_t said;    /* number of bytes of output, or of a monitor's line */
    uint32_t pending; /* number of commands without an answer so far */
};

struct wired_forwarder {
    struct end *end;
    uint32_t ends;
    uint32_t ends_max;
    struct noise noise;
    struct noise_counts damage;
    int epoll;
    int wake; /* eventfd that ends the thread */
    uint32_t absent;
    struct wired_halt halt;
    bool running;
    pthread_t thread;
    pthread_mutex_t lock; /* protects `damage` and each end's tail */
};

/* ---- moving bytes ---- */

static uint32_t wanted(const struct wired_forwarder *forwarder,
                       const struct end *end)
{
    bool room = end->peer == NO_END ||
                forwarder->end[end->peer].from == forwarder->end[end->peer].to;

    return (room ? (uint32_t)EPOLLIN : 0) |
           (end->from < end->to ? (uint32_t)EPOLLOUT : 0);
}

/* Tells epoll for which events of an end to wait. An end without events is
   removed from epoll, which always reports hang-ups. */
static void watch(struct wired_forwarder *forwarder, struct end *end)
{
    uint32_t events = end->fd < 0 || end->absent ? 0 : wanted(forwarder, end);
    struct epoll_event event = {.events = events,
                                .data.u32 = (uint32_t)(end - forwarder->end)};

    if (events == end->events) {
        return;
    }
    epoll_ctl(forwarder->epoll,
              events == 0        ? EPOLL_CTL_DEL
              : end->events == 0 ? EPOLL_CTL_ADD
                                 : EPOLL_CTL_MOD,
              end->fd, &event);
    end->events = events;
}

static void set_absent(struct wired_forwarder *forwarder, struct end *end,
                       bool absent)
{
    if (end->absent != absent) {
        end->absent = absent;
        forwarder->absent += absent ? 1u : (uint32_t)-1;
    }
    if (absent) {
        end->from = end->to = 0;
    }
}

static void close_end(struct wired_forwarder *forwarder, struct end *end)
{
    if (end->fd >= 0) {
        set_absent(forwarder, end, false);
        end->from = end->to = 0;
        close(end->fd);
        end->fd = -1;
        end->events = 0;
    }
}

static bool nobody_there(const struct end *end)
{
    struct pollfd look = {.fd = end->fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0 && (look.revents & POLLHUP) != 0 &&
           (look.revents & POLLIN) == 0;
}

/* Writes an end's bytes until its descriptor blocks. Drops bytes for a closed
   end, and for a terminal that no program has open. */
static void flush(struct wired_forwarder *forwarder, struct end *end)
{
    if (end->fd >= 0 && end->kind == TTY && nobody_there(end)) {
        set_absent(forwarder, end, true);
    }
    while (end->from < end->to) {
        ssize_t put = end->fd < 0 ? (errno = EPIPE, -1)
                                  : write(end->fd, end->out + end->from,
                                          end->to - end->from);

        if (put < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        end->from = put < 0 ? end->to : end->from + (uint32_t)put;
    }
    end->from = end->to = 0;
}

static void note(struct end *end, const uint8_t *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        end->tail[end->said++ % TAIL_BYTES] = (char)data[i];
    }
}

/* Sends a command to a board's QEMU monitor. Drops it if out[] is full: a
   monitor that leaves 4 KiB unread hangs. */
static void order(struct wired_forwarder *forwarder, struct end *end,
                  const char *what)
{
    uint32_t bytes = (uint32_t)strlen(what);

    if (end->fd >= 0 && BUFFER_BYTES - end->to >= bytes) {
        memcpy(end->out + end->to, what, bytes);
        end->to += bytes;
        end->pending += 1;
        flush(forwarder, end);
        watch(forwarder, end);
    }
}

static void order_others(struct wired_forwarder *forwarder,
                         const struct end *leader, const char *what)
{
    for (uint32_t i = 0; i < forwarder->ends; ++i) {
        if (forwarder->end[i].kind == MONITOR && &forwarder->end[i] != leader) {
            order(forwarder, &forwarder->end[i], what);
        }
    }
}

/* Handles the lines of a QEMU monitor. Long lines are cut. */
static void receive_monitor(struct wired_forwarder *forwarder, struct end *end,
                            const uint8_t *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        const char *what;

        if (data[i] != '\n') {
            end->tail[end->said] = (char)data[i];
            end->said += end->said < TAIL_BYTES - 1;
            continue;
        }
        end->tail[end->said] = '\0';
        end->said = 0;
        what = wired_halt_receive(&forwarder->halt, end->name, &end->pending,
                                  end->tail);
        if (what != NULL) {
            order_others(forwarder, end, what);
        }
    }
}

/* Reads once from an end, into the buffer of its peer; that must be empty. */
static void fill(struct wired_forwarder *forwarder, struct end *end)
{
    struct end *peer = end->peer == NO_END ? NULL : &forwarder->end[end->peer];
    uint8_t nowhere[BUFFER_BYTES];
    uint8_t *data = peer != NULL ? peer->out : nowhere;
    ssize_t got = read(end->fd, data, BUFFER_BYTES);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0 && end->kind == TTY) {
        set_absent(forwarder, end, true);
        return;
    }
    if (got <= 0) {
        close_end(forwarder, end);
        return;
    }
    if (end->kind == CONSOLE) {
        note(end, data, (uint32_t)got);
    }
    if (end->kind == MONITOR) {
        receive_monitor(forwarder, end, data, (uint32_t)got);
    }
    if (peer != NULL) {
        peer->from = 0;
        peer->to = (uint32_t)got;
        if (end->kind == LINK) {
            peer->to = noise_apply(&forwarder->noise, &end->random,
                                   &forwarder->damage, data, peer->to);
        }
        flush(forwarder, peer);
    }
}

static void handle_event(struct wired_forwarder *forwarder, uint32_t at,
                         uint32_t events)
{
    struct end *end = &forwarder->end[at];

    if (end->fd < 0) {
        return;
    }
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        flush(forwarder, end);
    }
    if ((wanted(forwarder, end) & EPOLLIN) != 0 && !end->absent &&
        (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        fill(forwarder, end);
    }
    watch(forwarder, end);
    if (end->peer != NO_END) {
        watch(forwarder, &forwarder->end[end->peer]);
    }
}

static void look_for_people(struct wired_forwarder *forwarder)
{
    for (uint32_t i = 0; i < forwarder->ends; ++i) {
        struct end *end = &forwarder->end[i];

        if (end->absent && !nobody_there(end)) {
            set_absent(forwarder, end, false);
            watch(forwarder, end);
        }
    }
}

static void *run(void *context)
{
    struct wired_forwarder *forwarder = context;
    struct epoll_event event[EVENTS_MAX];

    for (;;) {
        int got = epoll_wait(forwarder->epoll, event, EVENTS_MAX,
                             forwarder->absent > 0 ? ABSENT_MS : -1);

        pthread_mutex_lock(&forwarder->lock);
        for (int i = 0; i < got; ++i) {
            if (event[i].data.u32 == NO_END) {
                pthread_mutex_unlock(&forwarder->lock);
                return NULL;
            }
            handle_event(forwarder, event[i].data.u32, event[i].events);
        }
        if (forwarder->absent > 0) {
            look_for_people(forwarder);
        }
        pthread_mutex_unlock(&forwarder->lock);
    }
}

/* ---- setting up ---- */

struct wired_forwarder *wired_forwarder_new(uint32_t ends,
                                            const struct noise *noise)
{
    struct wired_forwarder *forwarder =
        memory_or_exit(calloc(1, sizeof *forwarder));

    forwarder->ends_max = ends;
    forwarder->noise = *noise;
    forwarder->halt.leader = WIRED_HALT_NOBODY;
    forwarder->end =
        memory_or_exit(calloc(ends > 0 ? ends : 1, sizeof *forwarder->end));
    forwarder->epoll = epoll_create1(EPOLL_CLOEXEC);
    forwarder->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&forwarder->lock, NULL);
    if (forwarder->epoll < 0 || forwarder->wake < 0) {
        wired_forwarder_stop(forwarder);
        return NULL;
    }
    return forwarder;
}

static int add(struct wired_forwarder *forwarder, enum kind kind, int fd,
               uint32_t name)
{
    struct end *end = &forwarder->end[forwarder->ends];

    if (forwarder->ends == forwarder->ends_max) {
        errno = ENOSPC;
        return -1;
    }
    *end = (struct end){.kind = kind, .fd = fd, .peer = NO_END, .name = name};
    end->random = forwarder->noise.seed ^ (uint64_t)name << 32;
    end->random = noise_draw(&end->random);
    forwarder->ends += 1;
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void join_last_two(struct wired_forwarder *forwarder)
{
    forwarder->end[forwarder->ends - 1].peer = forwarder->ends - 2;
    forwarder->end[forwarder->ends - 2].peer = forwarder->ends - 1;
}

int wired_forwarder_link(struct wired_forwarder *forwarder, const int fd[2],
                         uint32_t a, uint32_t b)
{
    if (add(forwarder, LINK, fd[0], a) != 0 ||
        add(forwarder, LINK, fd[1], b) != 0) {
        return -1;
    }
    join_last_two(forwarder);
    return 0;
}

int wired_forwarder_drain(struct wired_forwarder *forwarder, int fd,
                          uint32_t node)
{
    return add(forwarder, CONSOLE, fd, node);
}

int wired_forwarder_monitor(struct wired_forwarder *forwarder, int fd,
                            uint32_t node)
{
    int status = add(forwarder, MONITOR, fd, node);

    if (status == 0) {
        order(forwarder, &forwarder->end[forwarder->ends - 1],
              WIRED_HALT_GREETING);
    }
    return status;
}

/* Makes a terminal raw through its slave side, and closes that. The setting
   stays as long as the master side is open. */
static int set_raw(const char *name)
{
    struct termios settings;
    int fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    int status = fd < 0 ? -1 : tcgetattr(fd, &settings);

    if (status == 0) {
        cfmakeraw(&settings);
        cfsetspeed(&settings, B115200);
        status = tcsetattr(fd, TCSANOW, &settings);
    }
    process_close(fd);
    return status;
}

int wired_forwarder_tty(struct wired_forwarder *forwarder, int fd,
                        uint32_t node, char *name, size_t name_bytes)
{
    int tty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (tty < 0 || add(forwarder, CONSOLE, fd, node) != 0 ||
        add(forwarder, TTY, tty, node) != 0) {
        return -1;
    }
    join_last_two(forwarder);
    set_absent(forwarder, &forwarder->end[forwarder->ends - 1], true);
    if (grantpt(tty) != 0 || unlockpt(tty) != 0 ||
        (errno = ptsname_r(tty, name, name_bytes)) != 0) {
        return -1;
    }
    return set_raw(name);
}

int wired_forwarder_start(struct wired_forwarder *forwarder)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = NO_END};
    sigset_t all;
    sigset_t before;

    if (epoll_ctl(forwarder->epoll, EPOLL_CTL_ADD, forwarder->wake, &event) !=
        0) {
        return -1;
    }
    for (uint32_t i = 0; i < forwarder->ends; ++i) {
        watch(forwarder, &forwarder->end[i]);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&forwarder->thread, NULL, run, forwarder);
    forwarder->running = errno == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return forwarder->running ? 0 : -1;
}

/* ---- from other threads ---- */

struct noise_counts wired_forwarder_damage(struct wired_forwarder *forwarder)
{
    struct noise_counts damage;

    pthread_mutex_lock(&forwarder->lock);
    damage = forwarder->damage;
    pthread_mutex_unlock(&forwarder->lock);
    return damage;
}

static void print_tail(FILE *out, const struct end *end)
{
    uint64_t from = end->said > TAIL_BYTES ? end->said - TAIL_BYTES : 0;

    if (end->said == 0) {
        return;
    }
    fprintf(out, "quincunx: last words on its console:\n");
    for (uint64_t i = from; i < end->said; ++i) {
        char letter = end->tail[i % TAIL_BYTES];

        fputc(letter == '\n' || (letter >= ' ' && letter <= '~') ? letter : '.',
              out);
    }
    if (end->tail[(end->said - 1) % TAIL_BYTES] != '\n') {
        fputc('\n', out);
    }
}

void wired_forwarder_last_words(struct wired_forwarder *forwarder, FILE *out,
                                uint32_t node)
{
    pthread_mutex_lock(&forwarder->lock);
    for (uint32_t i = 0; i < forwarder->ends; ++i) {
        if (forwarder->end[i].kind == CONSOLE &&
            forwarder->end[i].name == node) {
            print_tail(out, &forwarder->end[i]);
        }
    }
    pthread_mutex_unlock(&forwarder->lock);
}

void wired_forwarder_stop(struct wired_forwarder *forwarder)
{
    const uint64_t one = 1;

    if (forwarder == NULL) {
        return;
    }
    if (forwarder->running) {
        (void)!write(forwarder->wake, &one, sizeof one);
        pthread_join(forwarder->thread, NULL);
    }
    for (uint32_t i = 0; i < forwarder->ends; ++i) {
        close_end(forwarder, &forwarder->end[i]);
    }
    process_close(forwarder->epoll);
    process_close(forwarder->wake);
    pthread_mutex_destroy(&forwarder->lock);
    free(forwarder->end);
    free(forwarder);
}
