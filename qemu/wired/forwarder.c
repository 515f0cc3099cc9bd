/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/wired/forwarder.h"

#include "qemu/wired/halt.h"

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
#define ABSENT_MS 20 /* how often a terminal is looked at that nobody has */

enum kind {
    LINK,
    CONSOLE,
    TTY,
    MONITOR
};

/* One end of what is joined. */
struct end {
    enum kind kind;
    int fd; /* -1: closed */
    uint32_t peer;
    uint32_t name;             /* which end of the torus, or which node */
    uint32_t events;           /* that epoll reports now; 0: not registered */
    bool absent;               /* a terminal that nobody has open */
    uint8_t out[BUFFER_BYTES]; /* to be written to fd: out[from .. to) */
    uint32_t from;
    uint32_t to;
    uint64_t random;
    char tail[TAIL_BYTES]; /* of what a console said, a ring */
    uint64_t said;         /* or of a monitor's line, from its beginning */
    uint32_t pending;      /* orders that a monitor has not answered */
};

struct wired_relay {
    struct end *end;
    uint32_t ends;
    uint32_t ends_max;
    struct noise noise;
    struct noise_counts damage;
    int epoll;
    int wake; /* an eventfd: the end has come */
    uint32_t absent;
    struct wired_halt halt;
    bool running;
    pthread_t thread;
    pthread_mutex_t lock; /* around tails */
};

/* ---- noise ---- */

static void count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/* Damages bytes in place; how many are left. */
static uint32_t damage(struct wired_relay *relay, struct end *end,
                       uint8_t *data, uint32_t bytes)
{
    struct noise_counts did = {.bytes = 0};
    uint32_t left = noise_apply(&relay->noise, &end->random, &did, data, bytes);

    count(&relay->damage.bytes, did.bytes);
    count(&relay->damage.changed, did.changed);
    count(&relay->damage.dropped, did.dropped);
    return left;
}

/* ---- moving bytes ---- */

static uint32_t wanted(const struct wired_relay *relay, const struct end *end)
{
    bool room = end->peer == NO_END ||
                relay->end[end->peer].from == relay->end[end->peer].to;

    return (room ? (uint32_t)EPOLLIN : 0) |
           (end->from < end->to ? (uint32_t)EPOLLOUT : 0);
}

/* Tells epoll what is waited for now. An end that has nothing to wait for is
   taken out: hang-ups are reported whatever was asked for. */
static void watch(struct wired_relay *relay, struct end *end)
{
    uint32_t events = end->fd < 0 || end->absent ? 0 : wanted(relay, end);
    struct epoll_event event = {.events = events,
                                .data.u32 = (uint32_t)(end - relay->end)};

    if (events == end->events) {
        return;
    }
    epoll_ctl(relay->epoll,
              events == 0        ? EPOLL_CTL_DEL
              : end->events == 0 ? EPOLL_CTL_ADD
                                 : EPOLL_CTL_MOD,
              end->fd, &event);
    end->events = events;
}

static void set_absent(struct wired_relay *relay, struct end *end, bool absent)
{
    if (end->absent != absent) {
        end->absent = absent;
        relay->absent += absent ? 1u : (uint32_t)-1;
    }
    if (absent) {
        end->from = end->to = 0;
    }
}

static void close_end(struct wired_relay *relay, struct end *end)
{
    if (end->fd >= 0) {
        set_absent(relay, end, false);
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

/* Writes what waits, as far as it goes; to nobody, it goes. */
static void flush(struct wired_relay *relay, struct end *end)
{
    if (end->fd >= 0 && end->kind == TTY && nobody_there(end)) {
        set_absent(relay, end, true);
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

/* Gives a monitor an order. What finds no room is not given: a board that has
   left 4 KiB unread has hung. */
static void order(struct wired_relay *relay, struct end *end, const char *what)
{
    uint32_t bytes = (uint32_t)strlen(what);

    if (end->fd >= 0 && BUFFER_BYTES - end->to >= bytes) {
        memcpy(end->out + end->to, what, bytes);
        end->to += bytes;
        end->pending += 1;
        flush(relay, end);
        watch(relay, end);
    }
}

static void order_others(struct wired_relay *relay, const struct end *leader,
                         const char *what)
{
    for (uint32_t i = 0; i < relay->ends; ++i) {
        if (relay->end[i].kind == MONITOR && &relay->end[i] != leader) {
            order(relay, &relay->end[i], what);
        }
    }
}

/* Takes what a monitor said, line by line; long lines without their end. */
static void hear(struct wired_relay *relay, struct end *end,
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
        what =
            wired_halt_hear(&relay->halt, end->name, &end->pending, end->tail);
        if (what != NULL) {
            order_others(relay, end, what);
        }
    }
}

/* Reads once from an end, into its peer's buffer, which is empty. */
static void fill(struct wired_relay *relay, struct end *end)
{
    struct end *peer = end->peer == NO_END ? NULL : &relay->end[end->peer];
    uint8_t nowhere[BUFFER_BYTES];
    uint8_t *data = peer != NULL ? peer->out : nowhere;
    ssize_t got = read(end->fd, data, BUFFER_BYTES);

    if (got <= 0) {
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (end->kind == TTY) {
            set_absent(relay, end, true);
        } else {
            close_end(relay, end);
        }
        return;
    }
    if (end->kind == CONSOLE) {
        note(end, data, (uint32_t)got);
    }
    if (end->kind == MONITOR) {
        hear(relay, end, data, (uint32_t)got);
    }
    if (peer != NULL) {
        peer->from = 0;
        peer->to = end->kind == LINK ? damage(relay, end, data, (uint32_t)got)
                                     : (uint32_t)got;
        flush(relay, peer);
    }
}

static void take_event(struct wired_relay *relay, uint32_t at, uint32_t events)
{
    struct end *end = &relay->end[at];

    if (end->fd < 0) {
        return;
    }
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        flush(relay, end);
    }
    if ((wanted(relay, end) & EPOLLIN) != 0 && !end->absent &&
        (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        fill(relay, end);
    }
    watch(relay, end);
    if (end->peer != NO_END) {
        watch(relay, &relay->end[end->peer]);
    }
}

/* Looks whether somebody has opened a terminal. */
static void look_for_people(struct wired_relay *relay)
{
    for (uint32_t i = 0; i < relay->ends; ++i) {
        struct end *end = &relay->end[i];

        if (end->absent && !nobody_there(end)) {
            set_absent(relay, end, false);
            watch(relay, end);
        }
    }
}

static void *run(void *context)
{
    struct wired_relay *relay = context;
    struct epoll_event event[EVENTS_MAX];

    for (;;) {
        int got = epoll_wait(relay->epoll, event, EVENTS_MAX,
                             relay->absent > 0 ? ABSENT_MS : -1);

        pthread_mutex_lock(&relay->lock);
        for (int i = 0; i < got; ++i) {
            if (event[i].data.u32 == NO_END) {
                pthread_mutex_unlock(&relay->lock);
                return NULL;
            }
            take_event(relay, event[i].data.u32, event[i].events);
        }
        if (relay->absent > 0) {
            look_for_people(relay);
        }
        pthread_mutex_unlock(&relay->lock);
    }
}

/* ---- setting up ---- */

struct wired_relay *wired_relay_new(uint32_t ends, const struct noise *noise)
{
    struct wired_relay *relay = calloc(1, sizeof *relay);

    if (relay == NULL) {
        return NULL;
    }
    relay->ends_max = ends;
    relay->noise = *noise;
    relay->halt.leader = WIRED_HALT_NOBODY;
    relay->end = calloc(ends > 0 ? ends : 1, sizeof *relay->end);
    relay->epoll = epoll_create1(EPOLL_CLOEXEC);
    relay->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&relay->lock, NULL);
    if (relay->end == NULL || relay->epoll < 0 || relay->wake < 0) {
        wired_relay_stop(relay);
        return NULL;
    }
    return relay;
}

static int add(struct wired_relay *relay, enum kind kind, int fd, uint32_t name)
{
    struct end *end = &relay->end[relay->ends];

    if (relay->ends == relay->ends_max) {
        errno = ENOSPC;
        return -1;
    }
    *end = (struct end){.kind = kind, .fd = fd, .peer = NO_END, .name = name};
    end->random = relay->noise.seed ^ (uint64_t)name << 32;
    end->random = noise_draw(&end->random);
    relay->ends += 1;
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void join_last_two(struct wired_relay *relay)
{
    relay->end[relay->ends - 1].peer = relay->ends - 2;
    relay->end[relay->ends - 2].peer = relay->ends - 1;
}

int wired_relay_link(struct wired_relay *relay, const int fd[2], uint32_t a,
                     uint32_t b)
{
    if (add(relay, LINK, fd[0], a) != 0 || add(relay, LINK, fd[1], b) != 0) {
        return -1;
    }
    join_last_two(relay);
    return 0;
}

int wired_relay_drain(struct wired_relay *relay, int fd, uint32_t node)
{
    return add(relay, CONSOLE, fd, node);
}

int wired_relay_monitor(struct wired_relay *relay, int fd, uint32_t node)
{
    int status = add(relay, MONITOR, fd, node);

    if (status == 0) {
        order(relay, &relay->end[relay->ends - 1], WIRED_HALT_HELLO);
    }
    return status;
}

/* Makes a terminal raw through its other side, which is then closed: the
   settings stay as long as this side is open. */
static int make_raw(const char *name)
{
    struct termios settings;
    int fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    int status = fd < 0 ? -1 : tcgetattr(fd, &settings);

    if (status == 0) {
        cfmakeraw(&settings);
        cfsetspeed(&settings, B115200);
        status = tcsetattr(fd, TCSANOW, &settings);
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

int wired_relay_tty(struct wired_relay *relay, int fd, uint32_t node,
                    char *name, size_t name_bytes)
{
    int tty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (tty < 0 || add(relay, CONSOLE, fd, node) != 0 ||
        add(relay, TTY, tty, node) != 0) {
        return -1;
    }
    join_last_two(relay);
    set_absent(relay, &relay->end[relay->ends - 1], true);
    if (grantpt(tty) != 0 || unlockpt(tty) != 0 ||
        (errno = ptsname_r(tty, name, name_bytes)) != 0) {
        return -1;
    }
    return make_raw(name);
}

int wired_relay_start(struct wired_relay *relay)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = NO_END};
    sigset_t all;
    sigset_t before;

    if (epoll_ctl(relay->epoll, EPOLL_CTL_ADD, relay->wake, &event) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < relay->ends; ++i) {
        watch(relay, &relay->end[i]);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&relay->thread, NULL, run, relay);
    relay->running = errno == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return relay->running ? 0 : -1;
}

/* ---- from other threads ---- */

struct noise_counts wired_relay_damage(const struct wired_relay *relay)
{
    const struct noise_counts *damage = &relay->damage;

    return (struct noise_counts){
        __atomic_load_n(&damage->bytes, __ATOMIC_RELAXED),
        __atomic_load_n(&damage->changed, __ATOMIC_RELAXED),
        __atomic_load_n(&damage->dropped, __ATOMIC_RELAXED)};
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

void wired_relay_last_words(struct wired_relay *relay, FILE *out, uint32_t node)
{
    pthread_mutex_lock(&relay->lock);
    for (uint32_t i = 0; i < relay->ends; ++i) {
        if (relay->end[i].kind == CONSOLE && relay->end[i].name == node) {
            print_tail(out, &relay->end[i]);
        }
    }
    pthread_mutex_unlock(&relay->lock);
}

void wired_relay_stop(struct wired_relay *relay)
{
    const uint64_t one = 1;

    if (relay == NULL) {
        return;
    }
    if (relay->running) {
        (void)!write(relay->wake, &one, sizeof one);
        pthread_join(relay->thread, NULL);
    }
    for (uint32_t i = 0; i < relay->ends; ++i) {
        close_end(relay, &relay->end[i]);
    }
    if (relay->epoll >= 0) {
        close(relay->epoll);
    }
    if (relay->wake >= 0) {
        close(relay->wake);
    }
    pthread_mutex_destroy(&relay->lock);
    free(relay->end);
    free(relay);
}
