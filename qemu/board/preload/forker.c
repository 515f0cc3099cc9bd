/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/preload/forker.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW_BYTES 0x01000000u
#define ZYGOTE_WINDOW "quincunx-zygote"
#define CONTROL_FD 64 /* launcher's socket; QEMU has no descriptor as high */
#define DESCRIPTORS 64
#define EVENTFDS_MAX 16u
#define TABLE_ELEMENTS 512u /* first size of QEMU's table of code blocks */
#define ENDING 3u

struct request {
    struct forker_request head;
    int answer;
    int fd[FORKER_FDS_MAX];
    unsigned fds;
};

/* Finds the function or variable `name` of QEMU (RTLD_DEFAULT) or of a library
   loaded after this one (RTLD_NEXT), and sets *function to it. If there is
   none, sets NULL and returns false. */
static bool find(void *function, void *where, const char *name)
{
    void *found = dlsym(where, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Makes QEMU's classes of machines before any fork. Otherwise each board would
   make all of them to find its own machine's. */
static void make_classes(void)
{
    void *(*object_class_get_list)(const char *type, bool abstract_too);

    if (find(&object_class_get_list, RTLD_DEFAULT, "object_class_get_list")) {
        object_class_get_list("machine", false);
    }
}

/* ---- forks of machines ---- */

/* Variables and functions of QEMU that are needed to fork a process whose
   machine is made. If QEMU does not export one of them, boards are forked
   before the machine is made. */
static struct {
    int *autostart;
    int *tcg_cur_ctxs;
    void *tb_ctx;
    bool (*qht_resize)(void *table, size_t elements);
    void (*rcu_enable_atfork)(void);
    void (*drain_call_rcu)(void);
    void (*lock)(const char *file, int line);
    void (*unlock)(void);
    void (*vm_start)(void);
} emulator;

/* Argument of a thread's function as QEMU's qemu_thread_create() passes it. The
   thread frees it. */
struct thread_args {
    void *(*run)(void *arg);
    void *arg;
    char *name;
};

static struct {
    bool expected; /* true: the zygote makes a machine before it forks */
    int control;
    int bell; /* the end of the zygote's doorbell that nobody uses */
    int window_fd;
    pthread_t *thread;
    void *(*start)(void *args);
    struct thread_args args;
    pthread_cond_t *waits_for; /* what the processor's thread waits on */
    void *window;
    int eventfd[EVENTFDS_MAX];
    unsigned eventfds;
} machine = {.control = FORKER_FD};

static bool find_emulator(void)
{
    static const struct {
        void *function;
        const char *name;
    } needed[] = {{&emulator.autostart, "autostart"},
                  {&emulator.tcg_cur_ctxs, "tcg_cur_ctxs"},
                  {&emulator.tb_ctx, "tb_ctx"},
                  {&emulator.qht_resize, "qht_resize"},
                  {&emulator.rcu_enable_atfork, "rcu_enable_atfork"},
                  {&emulator.drain_call_rcu, "drain_call_rcu"},
                  {&emulator.lock, "qemu_mutex_lock_iothread_impl"},
                  {&emulator.unlock, "qemu_mutex_unlock_iothread"},
                  {&emulator.vm_start, "vm_start"}};
    bool found = true;

    for (unsigned i = 0; i < sizeof needed / sizeof *needed; ++i) {
        found = find(needed[i].function, RTLD_DEFAULT, needed[i].name) && found;
    }
    return found;
}

/* Gives the zygote's machine a window (memory shared with its switch) and a
   doorbell, which no board uses. Returns false if that fails. */
static bool expect_machine(void)
{
    int pair[2];
    int window = memfd_create(ZYGOTE_WINDOW, 0);
    int control = fcntl(FORKER_FD, F_DUPFD_CLOEXEC, CONTROL_FD);

    if (window < 0 || control < 0 || ftruncate(window, WINDOW_BYTES) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
        dup2(pair[1], FORKER_FD) < 0 || dup2(window, FORKER_FD + 1) < 0) {
        return false;
    }
    close(pair[1]);
    close(window);
    machine.control = control;
    machine.bell = pair[0];
    machine.expected = true;
    *emulator.autostart = 0;
    return true;
}

static void find_window(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        void *begin;
        void *end;

        if (strstr(line, ZYGOTE_WINDOW) != NULL &&
            sscanf(line, "%p-%p", &begin, &end) == 2) {
            machine.window = begin;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
}

/* Finds the descriptors that each board must replace by its own: eventfds, and
   the file of the window. */
static void find_descriptors(void)
{
    for (int fd = 0; fd < DESCRIPTORS; ++fd) {
        char name[64];
        char what[64];
        ssize_t length;

        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        length = readlink(name, what, sizeof what - 1);
        if (length > 0 && machine.eventfds < EVENTFDS_MAX) {
            what[length] = '\0';
            if (strstr(what, "[eventfd]") != NULL) {
                machine.eventfd[machine.eventfds++] = fd;
            } else if (strstr(what, ZYGOTE_WINDOW) != NULL &&
                       fd != FORKER_FD + 1) {
                machine.window_fd = fd;
            }
        }
    }
}

/* Starts the thread of the board's processor, since a fork does not copy
   threads. */
static void start_processor(void)
{
    struct thread_args *args = malloc(sizeof *args);
    sigset_t all;
    sigset_t before;
    int error;

    *args = machine.args;
    args->name = strdup(machine.args.name);
    pthread_cond_init(machine.waits_for, NULL);
    machine.waits_for = NULL;
    *emulator.tcg_cur_ctxs = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(machine.thread, NULL, machine.start, args);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) { /* qemu_thread_create() aborts in this case, too */
        fprintf(stderr, "zygote.so: the processor's thread: %s\n",
                strerror(error));
        abort();
    }
}

static void take_window(void)
{
    if (mmap(machine.window, WINDOW_BYTES, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, FORKER_FD + 1, 0) == MAP_FAILED) {
        _exit(1);
    }
    if (machine.window_fd > 0) {
        dup3(FORKER_FD + 1, machine.window_fd, O_CLOEXEC);
    }
    close(machine.bell);
    fcntl(FORKER_FD, F_SETFL, O_NONBLOCK);
}

static void renew_eventfds(void)
{
    for (unsigned i = 0; i < machine.eventfds; ++i) {
        int fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);

        dup3(fd, machine.eventfd[i], O_CLOEXEC);
        close(fd);
    }
}

static void close_all(const struct request *request)
{
    close(request->answer);
    for (unsigned i = 0; i < request->fds; ++i) {
        close(request->fd[i]);
    }
}

static void reply(int socket, pid_t board)
{
    const struct forker_reply packet = {.board = board,
                                        .machine = machine.expected};

    if (send(socket, &packet, sizeof packet, MSG_NOSIGNAL) < 0) {
        _exit(0);
    }
}

/* Waits in the board until `middle`, the process that forked it, has ended. The
   launcher then becomes its parent. If another process does, the board ends. It
   dies with the launcher. */
static void await_adoption(pid_t launcher, pid_t middle)
{
    while (getppid() == middle) {
        sched_yield();
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) {
        _exit(0);
    }
}

/* Moves the board's descriptors to FORKER_FD and so on. They were received with
   rising, higher numbers, so none is overwritten before it is moved. */
static void become_board(const struct request *request, pid_t middle)
{
    setpgid(0, 0);
    await_adoption(request->head.launcher, middle);
    reply(request->answer, getpid());
    close(request->answer);
    for (unsigned i = 0; i < request->fds; ++i) {
        dup2(request->fd[i], FORKER_FD + (int)i);
    }
    for (unsigned i = 0; i < request->fds; ++i) {
        if (request->fd[i] >= FORKER_FD + (int)request->fds) {
            close(request->fd[i]);
        }
    }
}

/* Receives a request. Returns false if no more can come. */
static bool receive(struct request *request)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof request->answer + sizeof request->fd)];
    } control;
    struct iovec part = {.iov_base = &request->head,
                         .iov_len = sizeof request->head};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    struct cmsghdr *rights;
    ssize_t got;

    do {
        got = recvmsg(machine.control, &packet, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof request->head) {
        return false;
    }
    rights = CMSG_FIRSTHDR(&packet);
    if (rights == NULL) {
        return false;
    }
    request->fds =
        (unsigned)((rights->cmsg_len - CMSG_LEN(0)) / sizeof *request->fd) - 1;
    memcpy(&request->answer, CMSG_DATA(rights), sizeof request->answer);
    memcpy(request->fd, CMSG_DATA(rights) + sizeof request->answer,
           request->fds * sizeof *request->fd);
    return true;
}

/* Forks a board. Returns true in the board, false in the zygote. The process
   between them shares the zygote's memory (vfork), so that it is copied once
   only. */
static bool fork_board(const struct request *request)
{
    pid_t middle = vfork();

    if (middle == 0) {
        pid_t self = getpid();
        pid_t board = fork();

        if (board == 0) {
            become_board(request, self);
            return true;
        }
        _exit(0);
    }
    if (middle > 0) {
        waitpid(middle, NULL, 0);
    }
    close_all(request);
    return false;
}

/* Forks a board for each request. Returns only in boards. */
static void serve(void)
{
    struct request request;

    reply(machine.control, 0);
    while (receive(&request)) {
        if (fork_board(&request)) {
            return;
        }
    }
    _exit(0);
}

/* Replaces fopen() and fopen64(). When QEMU opens FORKER_FILE, prepares the
   zygote to make a machine and fork later; if that cannot be, forks boards
   here. */
static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    FILE *(*next)(const char *path, const char *mode);

    find(&next, RTLD_NEXT, name);
    if (strcmp(path, FORKER_FILE) == 0) {
        if (!find_emulator() || !expect_machine()) {
            make_classes();
            serve();
        }
        path = "/dev/null";
    }
    return next(path, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_stream("fopen64", path, mode);
}

/* Forks boards when the zygote's machine is made, but has not started. In a
   board, makes anew what a fork cannot share, and starts the machine. */
static void serve_machine(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction handled[ENDING]; /* QEMU's own handlers */

    emulator.drain_call_rcu();
    emulator.qht_resize(emulator.tb_ctx, TABLE_ELEMENTS);
    emulator.drain_call_rcu();
    emulator.rcu_enable_atfork();
    find_window();
    find_descriptors();
    if (machine.window == NULL || machine.waits_for == NULL) {
        _exit(1);
    }
    emulator.lock(__FILE__, __LINE__);
    for (unsigned i = 0; i < ENDING; ++i) {
        sigaction(ending[i], &(struct sigaction){.sa_handler = SIG_DFL},
                  &handled[i]);
    }
    serve();
    for (unsigned i = 0; i < ENDING; ++i) {
        sigaction(ending[i], &handled[i], NULL);
    }
    close(machine.control);
    take_window();
    renew_eventfds();
    start_processor();
    emulator.unlock();
    while (__atomic_load_n(&machine.waits_for, __ATOMIC_ACQUIRE) == NULL) {
        sched_yield();
    }
    emulator.lock(__FILE__, __LINE__);
    machine.expected = false;
    emulator.vm_start();
    emulator.unlock();
}

/* Replaces ppoll(), in which QEMU's main loop waits. At the first call the
   zygote begins to fork. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
          const sigset_t *mask)
{
    static int (*next)(struct pollfd *, nfds_t, const struct timespec *,
                       const sigset_t *);

    if (next == NULL) {
        find(&next, RTLD_NEXT, "ppoll");
    }
    if (machine.expected && machine.thread != NULL) {
        serve_machine();
        return 0;
    }
    return next(fds, count, timeout, mask);
}

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict arg)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct thread_args *args = arg;
    bool processor = machine.expected && args->name != NULL &&
                     strstr(args->name, "TCG") != NULL;

    find(&next, RTLD_NEXT, "pthread_create");
    if (processor) {
        machine.thread = thread;
        machine.start = start;
        machine.args = *args;
        machine.args.name = strdup(args->name);
    }
    return next(thread, attributes, start, arg);
}

int pthread_cond_wait(pthread_cond_t *restrict condition,
                      pthread_mutex_t *restrict mutex)
{
    static int (*next)(pthread_cond_t *, pthread_mutex_t *);

    if (next == NULL) {
        find(&next, RTLD_NEXT, "pthread_cond_wait");
    }
    if (machine.expected && machine.thread != NULL &&
        pthread_equal(pthread_self(), *machine.thread)) {
        __atomic_store_n(&machine.waits_for, condition, __ATOMIC_RELEASE);
    }
    return next(condition, mutex);
}

/* Replaces madvise(), and ignores MADV_DONTFORK: forks need the zygote's
   memory. */
int madvise(void *memory, size_t bytes, int advice)
{
    static int (*next)(void *, size_t, int);

    if (next == NULL) {
        find(&next, RTLD_NEXT, "madvise");
    }
    return machine.expected && advice == MADV_DONTFORK
               ? 0
               : next(memory, bytes, advice);
}
