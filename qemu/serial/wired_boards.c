/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/wired_boards.h"

#include "qemu/board/emulator.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TTY_BYTES 32u
#define ARGS_MAX 50u /* most words of QEMU's command line; 46 are used */

/* Descriptors of a board: those of its four ports, in the order of enum
   torus_port, then these. */
enum child_fd {
    CHILD_CONSOLE = BOARD_CONSOLE,
    CHILD_MONITOR, /* used only if there are gdb sockets */
    CHILD_GDB,
    CHILD_FDS
};

struct board {
    pid_t pid; /* process id; 0: not started, or ended */
    int pidfd;
    int fd[CHILD_FDS]; /* the board's descriptors before its start; -1: none */
    int console; /* this program's end of a console that the caller reads */
    char tty[TTY_BYTES];
};

struct wired {
    struct wired_config config;
    struct board *board;
    uint32_t nodes;
    uint32_t *peer; /* other end of each end of a cable */
    /* A descriptor of each cable, at its lower end, for wired_cut(); -1: there
       is none. NULL: no cable will be cut. */
    int *cable;
    struct wired_forwarder *forwarder;
    int epoll;
    int log;        /* file with the output of all QEMUs */
    uint64_t kills; /* limits_memory_kills() before the start */
    bool has_sandbox;
};

static int print_error(const struct wired *wired, uint32_t node,
                       const char *what)
{
    struct torus_coord at = torus_coord_of(wired->config.size, node);

    fprintf(stderr, "quincunx: board %u,%u: %s: %s\n", at.x, at.y, what,
            limits_start_error(errno));
    return -1;
}

/* ---- cables ---- */

static int accept_from(int listener, const struct sockaddr_in *other)
{
    struct sockaddr_in from;
    int fd = -1;

    do {
        socklen_t length = sizeof from;

        process_close(fd);
        fd = accept4(listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
    } while (fd >= 0 && from.sin_port != other->sin_port);
    return fd;
}

static int connect_to(int listener, struct sockaddr_in *own)
{
    struct sockaddr_in at;
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 &&
        (getsockname(listener, (struct sockaddr *)&at, &length) != 0 ||
         connect(fd, (struct sockaddr *)&at, length) != 0 ||
         getsockname(fd, (struct sockaddr *)own, &length) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Makes a pair of descriptors that are connected over TCP; no other process can
   connect. QEMU writes single bytes and blocks if it cannot: a pair of Unix
   sockets holds only 278 such writes by default, TCP some millions. */
static int open_pair(int pair[2])
{
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int at_once = 1;
    int error;

    pair[0] = pair[1] = -1;
    if (listener >= 0 &&
        bind(listener, (struct sockaddr *)&own, sizeof own) == 0 &&
        listen(listener, 1) == 0) {
        pair[0] = connect_to(listener, &own);
        pair[1] = pair[0] >= 0 ? accept_from(listener, &own) : -1;
    }
    error = errno;
    process_close(listener);
    if (pair[1] < 0) {
        process_close(pair[0]);
        errno = error;
        return -1;
    }
    for (int i = 0; i < 2; ++i) {
        setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    }
    return 0;
}

/* Connects two ends of a cable by a pair of sockets; or, if links have damage,
   by two pairs and the forwarder between them. */
static int lay_cable(struct wired *wired, uint32_t a, uint32_t b)
{
    int *end_a = &wired->board[a / TORUS_PORTS].fd[a % TORUS_PORTS];
    int *end_b = &wired->board[b / TORUS_PORTS].fd[b % TORUS_PORTS];
    int first[2];
    int second[2];

    if (open_pair(first) != 0) {
        return -1;
    }
    *end_a = first[0];
    if (wired->cable != NULL) {
        wired->cable[a] = fcntl(first[0], F_DUPFD_CLOEXEC, 0);
    }
    if (!noise_any(&wired->config.noise)) {
        *end_b = first[1];
        return 0;
    }
    if (open_pair(second) != 0) {
        close(first[1]);
        return -1;
    }
    *end_b = second[0];
    return wired_forwarder_link(wired->forwarder, (int[]){first[1], second[1]},
                                a, b);
}

static int lay_cables(struct wired *wired)
{
    for (uint32_t end = 0; end < TORUS_PORTS * wired->nodes; ++end) {
        uint32_t peer = wired->peer[end];

        if (peer != WIRED_OPEN && end < peer &&
            lay_cable(wired, end, peer) != 0) {
            return print_error(wired, end / TORUS_PORTS, "a link's socket");
        }
    }
    return 0;
}

static int lay_console(struct wired *wired, uint32_t node)
{
    struct board *board = &wired->board[node];
    int pair[2];

    if (open_pair(pair) != 0) {
        return -1;
    }
    board->fd[CHILD_CONSOLE] = pair[0];
    switch (wired->config.console[node]) {
    case WIRED_SOCKET:
        board->console = pair[1];
        return fcntl(pair[1], F_SETFL, O_NONBLOCK);
    case WIRED_TTY:
        return wired_forwarder_tty(wired->forwarder, pair[1], node, board->tty,
                                   sizeof board->tty);
    default:
        return wired_forwarder_drain(wired->forwarder, pair[1], node);
    }
}

static int lay_monitor(struct wired *wired, uint32_t node)
{
    int pair[2];

    if (wired->config.gdb == NULL) {
        return 0;
    }
    if (open_pair(pair) != 0) {
        return -1;
    }
    wired->board[node].fd[CHILD_MONITOR] = pair[0];
    return wired_forwarder_monitor(wired->forwarder, pair[1], node);
}

static int lay_consoles(struct wired *wired)
{
    for (uint32_t node = 0; node < wired->nodes; ++node) {
        if (lay_console(wired, node) != 0) {
            return print_error(wired, node, "its console");
        }
        if (lay_monitor(wired, node) != 0) {
            return print_error(wired, node, "its monitor");
        }
    }
    return 0;
}

/* ---- boards ---- */

struct line {
    char *argv[ARGS_MAX];
    unsigned count;
    char name[32];
    char chardev[CHILD_FDS][64];
    char id[64];
};

static void add_option(struct line *line, const char *option, const char *value)
{
    assert(line->count + 2 < ARGS_MAX);
    line->argv[line->count++] = (char *)option;
    line->argv[line->count++] = (char *)value;
}

static const struct {
    const char *socket;
    const char *option;
    const char *value;
} uses[CHILD_FDS] = {
    {"id=p0", "-serial", "chardev:p0"},
    {"id=p1", "-serial", "chardev:p1"},
    {"id=p2", "-serial", "chardev:p2"},
    {"id=p3", "-serial", "chardev:p3"},
    [CHILD_CONSOLE] = {"id=p4", "-serial", "chardev:p4"},
    [CHILD_MONITOR] = {"id=monitor", "-mon", "chardev=monitor,mode=control"},
    [CHILD_GDB] = {"id=gdb,server=on,wait=off", "-gdb", "chardev:gdb"}};

static bool add_socket(struct line *line, const struct board *board,
                       unsigned which)
{
    if (board->fd[which] < 0) {
        return false;
    }
    snprintf(line->chardev[which], sizeof line->chardev[which],
             "socket,fd=%u,%s", PROCESS_FD + which, uses[which].socket);
    add_option(line, "-chardev", line->chardev[which]);
    add_option(line, uses[which].option, uses[which].value);
    return true;
}

static void compose(struct line *line, const struct wired *wired, uint32_t node)
{
    const struct board_kind *kind = wired->config.kind;
    const struct board *board = &wired->board[node];
    const char *const *image = wired->config.image;
    struct torus_coord at = torus_coord_of(wired->config.size, node);

    *line = (struct line){.argv = {(char *)wired->config.qemu}, .count = 1};
    snprintf(line->name, sizeof line->name, "board-%u-%u", at.x, at.y);
    add_option(line, "-name", line->name);
    add_option(line, "-machine", kind->machine);
    add_option(line, "-accel", "tcg,tb-size=1");
    line->argv[line->count++] = "-nodefaults";
    if (wired->has_sandbox) {
        add_option(line, "-sandbox", "on");
    }
    add_option(line, "-display", "none");
    for (size_t i = 0; i < BOARD_UARTS; ++i) {
        if (kind->uart[i] == BOARD_NO_LINE ||
            !add_socket(line, board, kind->uart[i])) {
            add_option(line, "-serial", "null");
        }
    }
    (void)add_socket(line, board, CHILD_MONITOR);
    (void)add_socket(line, board, CHILD_GDB);
    snprintf(line->id, sizeof line->id, "loader,addr=0x%x,data=0x%x,data-len=4",
             kind->unique_emulated, 0xA5000000u + node);
    add_option(line, "-device", line->id);
    add_option(line, "-kernel",
               image != NULL && image[node] != NULL ? image[node]
                                                    : wired->config.firmware);
}

static void close_ends(struct board *board)
{
    for (int i = 0; i <= CHILD_MONITOR; ++i) {
        if (board->fd[i] >= 0) {
            close(board->fd[i]);
            board->fd[i] = -1;
        }
    }
}

/* Returns the processor on which a board runs, of those that this program may
   use; an empty set stands for any. Two threads of QEMU pass each received
   byte, which is three times as fast if they share a processor. */
static cpu_set_t processor_of(uint32_t node)
{
    cpu_set_t all;
    cpu_set_t one;
    uint32_t left;

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        return one; /* there are more processors than cpu_set_t holds */
    }
    left = node % (uint32_t)CPU_COUNT(&all);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &all) && left-- == 0) {
            CPU_SET(cpu, &one);
        }
    }
    return one;
}

static int start_board(struct wired *wired, uint32_t node)
{
    struct board *board = &wired->board[node];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = node};
    struct line line;
    struct process_config process = {.argv = line.argv,
                                     .fd = board->fd,
                                     .fds = CHILD_FDS,
                                     .log = wired->log,
                                     .processor = processor_of(node),
                                     .small_pages = true};

    compose(&line, wired, node);
    board->pid = process_start(&process);
    close_ends(board);
    if (board->pid < 0) {
        board->pid = 0;
        return print_error(wired, node, "starting QEMU");
    }
    board->pidfd = pidfd_open(board->pid, 0);
    if (board->pidfd < 0 ||
        epoll_ctl(wired->epoll, EPOLL_CTL_ADD, board->pidfd, &event) != 0) {
        return print_error(wired, node, "watching its QEMU");
    }
    return 0;
}

static int start_boards(struct wired *wired)
{
    for (uint32_t node = 0; node < wired->nodes; ++node) {
        if (start_board(wired, node) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- setting up ---- */

/* Checks limits of this process. A board needs 17 descriptors: its pidfd, two
   ends of its console, a terminal, four ends of cables before its start, two
   cables to be cut, four of the forwarder, gdb's, and two ends of its monitor.
 */
static int check_limits(uint32_t nodes)
{
    int status = limits_allow_descriptors(17ul * nodes + 64, nodes);

    return status == 0
               ? limits_allow_threads(EMULATOR_THREADS * nodes + 1, nodes)
               : status;
}

static struct wired *wired_new(const struct wired_config *config)
{
    struct wired *wired = memory_or_exit(calloc(1, sizeof *wired));
    uint32_t nodes = torus_nodes(config->size);

    wired->config = *config;
    wired->nodes = nodes;
    wired->has_sandbox = emulator_has_sandbox(config->qemu);
    wired->board = memory_or_exit(calloc(nodes, sizeof *wired->board));
    wired->peer =
        memory_or_exit(calloc(nodes, TORUS_PORTS * sizeof *wired->peer));
    if (config->cuts) {
        wired->cable =
            memory_or_exit(malloc(nodes * TORUS_PORTS * sizeof *wired->cable));
        memset(wired->cable, 0xff, nodes * TORUS_PORTS * sizeof *wired->cable);
    }
    wired->forwarder = wired_forwarder_new(
        (noise_any(&config->noise) ? 7 : 3) * nodes, &config->noise);
    wired->epoll = epoll_create1(EPOLL_CLOEXEC);
    wired->log = process_log();
    wired->kills = limits_memory_kills("");
    for (uint32_t i = 0; i < nodes; ++i) {
        struct board *board = &wired->board[i];

        board->pidfd = board->console = -1;
        memset(board->fd, 0xff, sizeof board->fd);
        board->fd[CHILD_GDB] =
            config->gdb != NULL ? config->gdb[i].listener : -1;
    }
    if (wired->forwarder == NULL || wired->epoll < 0 || wired->log < 0) {
        wired_stop(wired);
        return NULL;
    }
    return wired;
}

static int plug_cables(struct wired *wired)
{
    const struct wired_config *config = &wired->config;

    wired_cables_torus(wired->peer, config->size);
    for (uint32_t i = 0; i < config->faults; ++i) {
        const struct wired_fault *fault = &config->fault[i];
        const char *why =
            wired_cables_mistake(wired->peer, config->size, fault);

        if (why != NULL) {
            fprintf(stderr, "quincunx: fault of the wiring at %u,%u: %s\n",
                    fault->a.at.x, fault->a.at.y, why);
            return -1;
        }
    }
    return 0;
}

struct wired *wired_start(const struct wired_config *config)
{
    uint32_t nodes = torus_nodes(config->size);
    struct wired *wired;

    if (check_limits(nodes) != 0) {
        return NULL;
    }
    wired = wired_new(config);
    if (wired == NULL) {
        fprintf(stderr, "quincunx: no memory or descriptors for %u boards\n",
                nodes);
        return NULL;
    }
    if (plug_cables(wired) != 0 || lay_cables(wired) != 0 ||
        lay_consoles(wired) != 0 || start_boards(wired) != 0) {
        wired_stop(wired);
        return NULL;
    }
    if (wired_forwarder_start(wired->forwarder) != 0) {
        perror("quincunx: the links' thread");
        wired_stop(wired);
        return NULL;
    }
    return wired;
}

/* ---- running ---- */

int wired_console(const struct wired *wired, uint32_t node)
{
    return wired->board[node].console;
}

const char *wired_tty(const struct wired *wired, uint32_t node)
{
    return wired->board[node].tty;
}

int wired_fd(const struct wired *wired)
{
    return wired->epoll;
}

void wired_cut(struct wired *wired, uint32_t node, enum torus_port port)
{
    uint32_t end = TORUS_PORTS * node + port;
    uint32_t peer = wired->peer[end];

    if (wired->cable != NULL && peer != WIRED_OPEN) {
        (void)shutdown(wired->cable[end < peer ? end : peer], SHUT_RDWR);
    }
}

static void cut_all(struct wired *wired, uint32_t node)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        wired_cut(wired, node, (enum torus_port)port);
    }
}

bool wired_died(struct wired *wired, uint32_t *node)
{
    struct epoll_event event;

    if (epoll_wait(wired->epoll, &event, 1, 0) != 1) {
        return false;
    }
    *node = event.data.u32;
    epoll_ctl(wired->epoll, EPOLL_CTL_DEL, wired->board[*node].pidfd, NULL);
    cut_all(wired, *node);
    return true;
}

void wired_strike(struct wired *wired, uint32_t node, int signal_number)
{
    cut_all(wired, node);
    if (wired->board[node].pid > 0) {
        (void)kill(wired->board[node].pid, signal_number);
    }
}

void wired_explain(struct wired *wired, uint32_t node)
{
    struct torus_coord at = torus_coord_of(wired->config.size, node);

    fprintf(stderr, "quincunx: board %u,%u died\n", at.x, at.y);
    process_explain(stderr, &wired->board[node].pid, wired->config.qemu,
                    wired->kills, wired->log);
    wired_forwarder_last_words(wired->forwarder, stderr, node);
}

struct noise_counts wired_damage(const struct wired *wired)
{
    return wired_forwarder_damage(wired->forwarder);
}

static void stop_boards(struct wired *wired)
{
    for (uint32_t i = 0; i < wired->nodes; ++i) {
        process_kill(wired->board[i].pid);
    }
    for (uint32_t i = 0; i < wired->nodes; ++i) {
        struct board *board = &wired->board[i];

        if (board->pid > 0) {
            waitpid(board->pid, NULL, 0);
        }
        close_ends(board);
        process_close(board->pidfd);
        process_close(board->console);
    }
}

void wired_stop(struct wired *wired)
{
    if (wired == NULL) {
        return;
    }
    stop_boards(wired);
    for (uint32_t i = 0; wired->cable != NULL && i < TORUS_PORTS * wired->nodes;
         ++i) {
        process_close(wired->cable[i]);
    }
    wired_forwarder_stop(wired->forwarder);
    process_close(wired->epoll);
    process_close(wired->log);
    free(wired->board);
    free(wired->peer);
    free(wired->cable);
    free(wired);
}
