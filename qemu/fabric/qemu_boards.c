/* SPDX-License-Identifier: Apache-2.0 */
/* A backend (backend.h) whose nodes are QEMU processes. A board's window is
   anonymous memory and its doorbell a socket pair; it inherits both as
   descriptors. So no file or named socket is left behind, and a full /dev/shm
   does not matter. Every board dies with its launcher (PR_SET_PDEATHSIG), even
   if the launcher is killed. If QEMU is a script, its children end with the
   board's process group. */
#include "qemu/board/emulator.h"
#include "qemu/board/preload/forker.h"
#include "qemu/board/zygote.h"
#include "qemu/fabric/backend.h"
#include "qemu/fabric/slices.h"
#include "qemu/fabric/windows.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING 'R'
#define EVENTS_MAX 64
#define ARGS_MAX 32u

/* Descriptors that a board's QEMU inherits, as numbers from PROCESS_FD on; -1:
   the board has no such descriptor. */
enum {
    FD_DOORBELL,
    FD_WINDOW,
    FD_GDB,
    FDS
};

struct board {
    struct window *window; /* shared memory; before the start in boards.head */
    pid_t pid; /* process id; 0: the board has not started, or has ended */
    int doorbell;
    bool boots;
    unsigned slow_shift;
    struct window_injection injection;
};

struct boards {
    struct boards_config config;
    struct board *board;
    struct window *head; /* first bytes of all windows, before boards start */
    uint32_t started;
    uint32_t booting; /* number of started boards without a request so far */
    uint32_t booting_max;
    int epoll;
    int signals;     /* descriptor for signals that end the program; or -1 */
    sigset_t before; /* signal mask before boards_start() */
    bool interrupted;
    int log;        /* file with the output of all QEMUs */
    uint64_t kills; /* limits_memory_kills() before the boards started */
    /* Boards are forked from a zygote (qemu/board/zygote.h), or each is a QEMU
       of its own. They behave alike. */
    bool forks; /* true: boards are forked; false once a zygote has failed */
    bool told;  /* true: stderr says that boards are forked */
    bool has_sandbox;
    /* One zygote for each slow_shift, as that is an option of QEMU; NULL: not
       started. */
    struct zygote *zygote[BACKEND_SLOW_SHIFT_MAX + 1];
    struct epoll_event event[EVENTS_MAX];
    int event_count;
    int event_at;
};

static struct window *boards_window(void *context, uint32_t node)
{
    struct boards *boards = context;

    return boards->board[node].window;
}

/* Notes that a board becomes slow later. It gets the image firmware_slow, which
   slows itself. */
static void boards_slow(void *context, uint32_t node, unsigned shift,
                        uint64_t from_ps)
{
    struct boards *boards = context;
    struct board *board = &boards->board[node];

    if (from_ps == 0) {
        board->slow_shift = shift;
        return;
    }
    board->injection =
        (struct window_injection){.slow_from_ps = from_ps, .slow_shift = shift};
    if (board->pid != 0) {
        board->window->injection = board->injection;
    }
}

/* ---- the command line ---- */

struct line {
    const char *argv[ARGS_MAX];
    unsigned count;
    char machine[64];
    char icount[48];
};

static void add_option(struct line *line, const char *option, const char *value)
{
    assert(line->count + 2 < ARGS_MAX);
    line->argv[line->count++] = option;
    line->argv[line->count++] = value;
}

/* Writes QEMU's -icount: an instruction takes 2^shift ns of virtual time. The
   board's timer counts virtual time, so a slow board sees more ticks for each
   instruction. QEMU takes a board that a debugger has stopped for asleep. With
   sleep=off, its clock then jumps to the timer's next deadline, by 171 s; with
   sleep=on, by the host time until QEMU has stopped. */
static void add_icount(struct line *line, const struct boards_config *config,
                       unsigned slow_shift)
{
    snprintf(line->icount, sizeof line->icount, "shift=%u,sleep=%s,align=off",
             5 + slow_shift, config->gdb != NULL ? "on" : "off");
    add_option(line, "-icount", line->icount);
}

static void compose(struct line *line, const struct boards *boards,
                    unsigned slow_shift, const char *firmware)
{
    const struct boards_config *config = &boards->config;

    static_assert(PROCESS_FD == 3, "as the options say");
    *line = (struct line){.argv = {config->qemu}, .count = 1};
    snprintf(line->machine, sizeof line->machine, "%s,memory-backend=window",
             config->board->machine);
    add_option(line, "-machine", line->machine);
    add_option(line, "-object",
               "memory-backend-file,id=window,size=16M,share=on,"
               "mem-path=/proc/self/fd/4");
    add_option(line, "-accel", "tcg,tb-size=1");
    add_icount(line, config, slow_shift);
    line->argv[line->count++] = "-nodefaults";
    if (boards->has_sandbox) {
        add_option(line, "-sandbox", "on");
    }
    add_option(line, "-display", "none");
    add_option(line, "-chardev", "socket,id=doorbell,fd=3");
    add_option(line, "-serial", "chardev:doorbell");
    add_option(line, "-kernel", firmware);
    if (config->gdb != NULL) {
        add_option(line, "-chardev", "socket,id=gdb,fd=5,server=on,wait=off");
        add_option(line, "-gdb", "chardev:gdb");
    }
}

/* ---- forks ---- */

static void stop_zygotes(struct boards *boards)
{
    for (unsigned shift = 0; shift <= BACKEND_SLOW_SHIFT_MAX; ++shift) {
        zygote_stop(boards->zygote[shift]);
        boards->zygote[shift] = NULL;
    }
}

static void start_one_by_one(struct boards *boards, const char *why)
{
    boards->forks = false;
    stop_zygotes(boards);
    if (boards->config.verbose) {
        fprintf(stderr, "quincunx: boards start one by one: %s\n", why);
    }
}

static void start_zygote(struct boards *boards, unsigned slow_shift)
{
    const char *why = NULL;
    struct line line;

    compose(&line, boards, slow_shift, boards->config.firmware);
    add_option(&line, "-readconfig", FORKER_FILE);
    boards->zygote[slow_shift] =
        zygote_start(&why, boards->config.zygote_object,
                     (char *const *)line.argv, boards->log);
    if (boards->zygote[slow_shift] == NULL) {
        start_one_by_one(boards, why);
    } else if (boards->config.verbose && !boards->told) {
        fprintf(stderr, "quincunx: boards are forked from one QEMU%s\n",
                zygote_has_machine(boards->zygote[slow_shift])
                    ? " with its machine"
                    : ", and make their machine themselves");
        boards->told = true;
    }
}

static pid_t fork_board(struct boards *boards, unsigned slow_shift,
                        const int fd[FDS])
{
    pid_t pid = 0;

    if (boards->forks && boards->zygote[slow_shift] == NULL) {
        start_zygote(boards, slow_shift);
    }
    if (boards->forks) {
        pid = zygote_fork(boards->zygote[slow_shift], fd, FD_GDB);
        if (pid == 0) {
            start_one_by_one(boards, "the zygote has ended");
        }
    }
    return pid;
}

/* Starts a QEMU for one board. `image` is the path of this board's own image;
   NULL: the image of all. If `halts` is true, the board stops before its first
   instruction until a debugger continues it. Returns the process id, or -1 with
   errno. */
static pid_t start_process(struct boards *boards, unsigned slow_shift,
                           const char *image, const int fd[FDS], bool halts)
{
    struct line line;
    const struct process_config process = {.argv = (char *const *)line.argv,
                                           .fd = fd,
                                           .fds = FDS,
                                           .log = boards->log,
                                           .small_pages = true};
    pid_t pid = image == NULL ? fork_board(boards, slow_shift, fd) : 0;

    if (pid == 0) {
        compose(&line, boards, slow_shift,
                image != NULL ? image : boards->config.firmware);
        if (halts) {
            line.argv[line.count++] = "-S";
        }
        pid = process_start(&process);
    }
    return pid;
}

/* ---- starting ---- */

/* Prints why a board did not start, unless a signal interrupted the start.
   Returns -1. */
static int start_error(const struct boards *boards, const char *what,
                       uint32_t node)
{
    if (errno != EINTR) {
        fprintf(stderr, "quincunx: board %u: %s: %s\n",
                boards->config.first + node, what, limits_start_error(errno));
    }
    return -1;
}

static int open_window(struct board *board)
{
    int fd = memfd_create("quincunx-window", MFD_CLOEXEC);
    void *at;

    if (fd < 0) {
        return -1;
    }
    if (ftruncate(fd, BACKEND_WINDOW_BYTES) != 0) {
        close(fd);
        return -1;
    }
    at = mmap(NULL, BACKEND_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
              fd, 0);
    if (at == MAP_FAILED) {
        close(fd);
        return -1;
    }
    /* No other field is copied, because a page that is never written takes no
       memory. */
    ((struct window *)at)->node.identity = board->window->node.identity;
    if (board->injection.slow_shift > 0) {
        ((struct window *)at)->injection = board->injection;
    }
    board->window = at;
    return fd;
}

static int start_board(struct boards *boards, uint32_t node)
{
    static const struct gdb_door none = {.listener = -1};
    const struct gdb_door *door =
        boards->config.gdb != NULL ? &boards->config.gdb[node] : &none;
    struct board *board = &boards->board[node];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = node};
    int fd[FDS];
    int pair[2];
    int window = open_window(board);
    bool slows = board->injection.slow_shift > 0; /* the image slows itself */

    if (window < 0) {
        return start_error(boards, "window memory", node);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        close(window);
        return start_error(boards, "doorbell socket", node);
    }
    fd[FD_DOORBELL] = pair[1];
    fd[FD_WINDOW] = window;
    fd[FD_GDB] = door->listener;
    board->pid = start_process(boards, slows ? 0 : board->slow_shift,
                               slows ? boards->config.firmware_slow : NULL, fd,
                               door->halts);
    close(window);
    close(pair[1]);
    board->doorbell = pair[0];
    if (board->pid < 0) {
        board->pid = 0;
        return start_error(boards, "starting QEMU", node);
    }
    boards->started += 1;
    board->boots = !door->halts;
    boards->booting += board->boots;
    return epoll_ctl(boards->epoll, EPOLL_CTL_ADD, pair[0], &event) == 0
               ? 0
               : start_error(boards, "epoll", node);
}

static int start_boards(struct boards *boards)
{
    if (boards->started == boards->config.nodes) {
        return 0;
    }
    while (boards->started < boards->config.nodes &&
           boards->booting < boards->booting_max) {
        if (start_board(boards, boards->started) != 0) {
            return -1;
        }
    }
    if (boards->started == boards->config.nodes) {
        stop_zygotes(boards);
    }
    return 0;
}

static void note_request(struct boards *boards, struct board *board)
{
    if (board->boots && window_read_u32(&board->window->request.sequence) > 0) {
        board->boots = false;
        boards->booting -= 1;
    }
}

/* Reads the rings of one board's doorbell. Returns false if the board has
   closed it. */
static bool read_ring(struct boards *boards, uint32_t node)
{
    struct board *board = &boards->board[node];
    char ring[16];
    ssize_t got = read(board->doorbell, ring, sizeof ring);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (got <= 0) {
        (void)epoll_ctl(boards->epoll, EPOLL_CTL_DEL, board->doorbell, NULL);
        return false;
    }
    note_request(boards, board);
    return true;
}

static enum backend_event next_event(struct boards *boards, uint32_t *node)
{
    *node = boards->event[boards->event_at++].data.u32;
    return read_ring(boards, *node) ? BACKEND_RANG : BACKEND_DIED;
}

static bool is_interrupted(struct boards *boards)
{
    boards->interrupted |= process_signal_pending() != 0;
    return boards->interrupted;
}

static bool look_for_rings(struct boards *boards, uint64_t ns)
{
    const struct host_clock *clock = host_clock();
    struct pollfd any[] = {{.fd = boards->epoll, .events = POLLIN},
                           {.fd = boards->signals, .events = POLLIN}};
    int ready = clock->wait(clock->context, any, 2, host_clock_ns(clock) + ns);
    int error = errno;

    boards->event_at = 0;
    boards->event_count =
        ready > 0 ? epoll_wait(boards->epoll, boards->event, EVENTS_MAX, 0) : 0;
    errno = ready < 0 ? error : errno;
    if (boards->event_count < 0) {
        boards->event_count = 0;
        ready = -1;
    }
    return ready >= 0 || errno == EINTR;
}

static enum backend_event boards_wait(void *context, uint32_t *node,
                                      uint64_t ns)
{
    struct boards *boards = context;

    if (boards->event_at < boards->event_count) {
        return next_event(boards, node);
    }
    if (!is_interrupted(boards) && start_boards(boards) != 0 &&
        !is_interrupted(boards)) {
        return BACKEND_FAILED;
    }
    if (!is_interrupted(boards) && !look_for_rings(boards, ns)) {
        perror("quincunx: waiting for boards");
        return BACKEND_FAILED;
    }
    if (is_interrupted(boards)) {
        return BACKEND_INTERRUPTED;
    }
    return boards->event_count == 0 ? BACKEND_TIMEOUT
                                    : next_event(boards, node);
}

static void boards_ring(void *context, uint32_t node)
{
    struct boards *boards = context;
    const char ring = RING;

    /* Errors are ignored: the next wait finds a dead board, and a full socket
       holds a ring already. */
    (void)!send(boards->board[node].doorbell, &ring, 1,
                MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void boards_kill(void *context, uint32_t node)
{
    struct boards *boards = context;

    process_kill(boards->board[node].pid);
}

/* Restores the signal mask when all boards are gone. A pending signal then ends
   the program. A run that a signal has interrupted ends in order, so it keeps
   the mask. */
static void release_signals(struct boards *boards)
{
    if (boards->signals >= 0 && !boards->interrupted) {
        sigprocmask(SIG_SETMASK, &boards->before, NULL);
    }
    process_close(boards->signals);
}

static void boards_stop(void *context)
{
    struct boards *boards = context;

    for (uint32_t i = 0; i < boards->started; ++i) {
        boards_kill(boards, i);
    }
    for (uint32_t i = 0; i < boards->config.nodes; ++i) {
        struct board *board = &boards->board[i];

        if (board->pid > 0) {
            waitpid(board->pid, NULL, 0);
        }
        process_close(board->doorbell);
        if (board->window != &boards->head[i]) {
            munmap(board->window, BACKEND_WINDOW_BYTES);
        }
    }
    stop_zygotes(boards);
    release_signals(boards);
    close(boards->epoll);
    close(boards->log);
    free(boards->board);
    free(boards->head);
    free(boards);
}

static void boards_explain(void *context, uint32_t node, FILE *out)
{
    struct boards *boards = context;

    process_explain(out, &boards->board[node].pid, boards->config.qemu,
                    boards->kills, boards->log);
}

/* Blocks signals and makes a descriptor for them. So a wait ends by a signal as
   by a ring, and no signal is missed just before a wait. */
static bool catch_signals(struct boards *boards)
{
    sigset_t caught;

    process_ending_signals(&caught);
    sigprocmask(SIG_BLOCK, &caught, &boards->before);
    boards->signals = signalfd(-1, &caught, SFD_CLOEXEC);
    return boards->signals >= 0;
}

int boards_start(struct backend *backend, const struct boards_config *config)
{
    unsigned zygotes = config->zygote_object != NULL && config->gdb == NULL;
    struct boards *boards;

    if (limits_allow_descriptors(config->nodes + 64ul, config->nodes) != 0 ||
        limits_allow_threads(EMULATOR_THREADS * (config->nodes + zygotes),
                             config->nodes) != 0) {
        return -1;
    }
    boards = memory_or_exit(calloc(1, sizeof *boards));
    boards->config = *config;
    boards->booting_max = 2 * slices_processors();
    boards->signals = -1;
    boards->epoll = epoll_create1(EPOLL_CLOEXEC);
    boards->log = process_log();
    boards->kills = limits_memory_kills("");
    boards->has_sandbox = emulator_has_sandbox(config->qemu);
    boards->forks = true;
    if (config->gdb != NULL) {
        start_one_by_one(boards, "debuggers may come");
    } else if (config->zygote_object == NULL) {
        start_one_by_one(boards, "--boot exec");
    }
    boards->board = memory_or_exit(calloc(config->nodes, sizeof(struct board)));
    boards->head = memory_or_exit(calloc(config->nodes, sizeof(struct window)));
    for (uint32_t i = 0; i < config->nodes; ++i) {
        boards->board[i].doorbell = -1;
        boards->board[i].window = &boards->head[i];
    }
    if (boards->epoll < 0 || boards->log < 0 || !catch_signals(boards)) {
        fprintf(stderr, "quincunx: no memory or descriptors for %u boards\n",
                config->nodes);
        boards_stop(boards);
        return -1;
    }
    *backend = (struct backend){.board = config->board->place.board,
                                .context = boards,
                                .window = boards_window,
                                .slow = boards_slow,
                                .wait = boards_wait,
                                .ring = boards_ring,
                                .kill = boards_kill,
                                .stop = boards_stop,
                                .explain = boards_explain};
    return 0;
}
