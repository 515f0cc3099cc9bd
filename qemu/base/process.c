/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/process.h"

#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_BYTES 65536      /* most bytes read from the end of a log */
#define LAST_WORDS_BYTES 512 /* most bytes shown of a log's last lines */

/* Children first copy their descriptors to numbers from ABOVE on. So no
   descriptor is overwritten before it is copied. */
#define ABOVE (PROCESS_FD + (int)PROCESS_FDS_MAX)

static void handle_failed_writes(void (*handler)(int))
{
    signal(SIGPIPE, handler);
    signal(SIGXFSZ, handler);
}

void process_signals_ignore(void)
{
    handle_failed_writes(SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
}

void process_streams_hold(void)
{
    static const int unfit[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)!open("/dev/null", unfit[fd]);
        }
    }
}

static _Noreturn void execute(const struct process_config *config)
{
    const char *name = config->argv[0];
    const char *error;
    struct iovec message[] = {
        {(char *)name, strlen(name)}, {": ", 2}, {NULL, 0}, {"\n", 1}};

    execvpe(name, config->argv,
            config->environment != NULL ? config->environment : environ);
    error = strerrordesc_np(errno);
    message[2] = (struct iovec){(char *)error, strlen(error)};
    (void)!writev(STDERR_FILENO, message, sizeof message / sizeof *message);
    _exit(127);
}

/* Makes the child what `config` says. A child of vfork() shares its launcher's
   memory, so until exec this makes only system calls. */
static _Noreturn void become(const struct process_config *config, pid_t parent)
{
    int up[PROCESS_FDS_MAX];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool sound = null >= 0;
    sigset_t none;

    sigemptyset(&none);
    if (!config->joins) {
        setpgid(0, 0);
    }
    handle_failed_writes(SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (CPU_COUNT(&config->processor) > 0) {
        sched_setaffinity(0, sizeof config->processor, &config->processor);
    }
    for (unsigned i = 0; i < config->fds; ++i) {
        up[i] = -1;
        if (config->fd[i] >= 0) {
            up[i] = fcntl(config->fd[i], F_DUPFD_CLOEXEC, ABOVE);
            sound = sound && up[i] >= 0;
        }
    }
    if (getppid() != parent || !sound) {
        _exit(126);
    }
    dup2(config->input > 0 ? config->input : null, STDIN_FILENO);
    dup2(config->log, STDOUT_FILENO);
    dup2(config->error > 0    ? config->error
         : config->error == 0 ? config->log
                              : null,
         STDERR_FILENO);
    for (unsigned i = 0; i < config->fds; ++i) {
        if (up[i] >= 0) {
            dup2(up[i], PROCESS_FD + (int)i);
        }
    }
    if (config->work != NULL) {
        _exit(config->work(config->context));
    }
    execute(config);
}

pid_t process_start(const struct process_config *config)
{
    pid_t parent = getpid();
    int small = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
    pid_t pid;

    /* PR_SET_THP_DISABLE applies to the memory that a vfork() child shares with
       its launcher, and stays set after exec. The launcher's setting is
       restored below. */
    if (config->small_pages) {
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    pid = config->work != NULL ? fork() : vfork();
    if (pid == 0) {
        become(config, parent);
    }
    if (config->work != NULL && !config->joins) {
        setpgid(pid, pid); /* parent and child do it; either may be first */
    }
    if (config->small_pages) {
        prctl(PR_SET_THP_DISABLE, small > 0, 0, 0, 0);
    }
    return pid;
}

static bool is_ready(int fd, uint64_t end_ns)
{
    const struct host_clock *clock = host_clock();
    struct pollfd on = {.fd = fd, .events = POLLIN};
    int ready = end_ns == HOST_CLOCK_NEVER ? 1 : -1;

    while (ready < 0) {
        ready = clock->wait(clock->context, &on, 1, end_ns);
    }
    return ready > 0;
}

static void keep(struct process_output *output, const char *data, size_t bytes)
{
    size_t room = output->room - 1 - output->bytes;
    size_t kept = bytes < room ? bytes : room;

    memcpy(output->text + output->bytes, data, kept);
    output->bytes += kept;
    output->text[output->bytes] = '\0';
    if (output->passed && write(STDOUT_FILENO, data, bytes) < 0) {
        output->passed = false; /* nobody reads standard output any more */
    }
}

/* Returns whether the buffer is full and reading ends then. */
static bool is_full(const struct process_output *output)
{
    return output->ends && output->bytes == output->room - 1;
}

/* Reads a child's output until the child closes it, the buffer is full, or the
   time is end_ns. Returns false if it is end_ns. */
static bool read_output(struct process_output *output, int from,
                        uint64_t end_ns)
{
    char chunk[4096];
    ssize_t got = 1;

    while ((got > 0 || (got < 0 && errno == EINTR)) && !is_full(output)) {
        if (host_clock_ns(host_clock()) >= end_ns || !is_ready(from, end_ns)) {
            return false;
        }
        got = read(from, chunk, sizeof chunk);
        if (got > 0) {
            keep(output, chunk, (size_t)got);
        }
    }
    return true;
}

/* Waits until a child has ended, checking every 10 ms, on systems without
   pidfd_open(). Returns false if it runs at end_ns. */
static bool ends_by(pid_t pid, uint64_t end_ns)
{
    siginfo_t info = {.si_pid = 0};

    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == 0) {
        if (host_clock_ns(host_clock()) >= end_ns) {
            return false;
        }
        host_clock_pause(host_clock(), 10 * HOST_CLOCK_MS_NS);
    }
    return true;
}

/* Waits until a child has ended. Kills it at end_ns, or now if `late` is true.
   Its process group is killed before the child is reaped, because the group's
   number may be reused after that. Returns the wait status. */
static int await_end(pid_t pid, uint64_t end_ns, bool late)
{
    int ended = pidfd_open(pid, 0);
    bool in_time =
        !late && (ended >= 0 ? is_ready(ended, end_ns) : ends_by(pid, end_ns));
    siginfo_t info;
    int status;

    while (in_time && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    process_kill(pid);
    process_close(ended);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    errno = ETIMEDOUT;
    return in_time ? status : -1;
}

int process_run(const struct process_config *config,
                struct process_output *output, unsigned limit_ms)
{
    struct process_config child = *config;
    uint64_t end_ns =
        limit_ms > 0 ? host_clock_ns(host_clock()) + limit_ms * HOST_CLOCK_MS_NS
                     : HOST_CLOCK_NEVER;
    int ends[2] = {-1, -1};
    bool late = false;
    pid_t pid;

    if (output != NULL) {
        output->bytes = 0;
        output->text[0] = '\0';
        if (pipe2(ends, O_CLOEXEC) != 0) {
            return -1;
        }
        child.log = ends[1];
    }
    pid = process_start(&child);
    process_close(ends[1]);
    if (pid > 0 && output != NULL) {
        late = !read_output(output, ends[0], end_ns);
    }
    process_close(ends[0]);
    return pid > 0 ? await_end(pid, end_ns, late) : -1;
}

bool process_succeeded(int status)
{
    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void process_close(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

int process_memory(void)
{
    return memfd_create("quincunx", MFD_CLOEXEC);
}

bool process_memory_write(int file, const uint8_t *data, uint64_t bytes,
                          uint64_t at)
{
    while (bytes > 0) {
        ssize_t done = pwrite(file, data, (size_t)bytes, (off_t)at);

        if (done <= 0) {
            return false;
        }
        data += done;
        at += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return true;
}

int process_log(void)
{
    int log = process_memory();

    if (log >= 0) {
        fcntl(log, F_SETFL, O_APPEND);
    }
    return log;
}

void process_kill(pid_t pid)
{
    if (pid > 0) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
    }
}

void process_ending_signals(sigset_t *ending)
{
    struct sigaction hang_up;

    sigemptyset(ending);
    sigaddset(ending, SIGINT);
    sigaddset(ending, SIGTERM);
    sigaction(SIGHUP, NULL, &hang_up);
    if (hang_up.sa_handler != SIG_IGN) {
        sigaddset(ending, SIGHUP);
    }
}

int process_signal_pending(void)
{
    sigset_t ending;
    sigset_t pending;

    process_ending_signals(&ending);
    sigpending(&pending);
    for (int number = 1; number < NSIG; ++number) {
        if (sigismember(&ending, number) == 1 &&
            sigismember(&pending, number) == 1) {
            return number;
        }
    }
    return 0;
}

/* Returns whether a child has ended within 0.5 s, and then sets *pid to 0. */
static bool has_ended(pid_t *pid, int *status)
{
    for (int tries = 0; *pid > 0 && tries < 50; ++tries) {
        if (waitpid(*pid, status, WNOHANG) > 0) {
            *pid = 0;
            return true;
        }
        host_clock_pause(host_clock(), 10 * HOST_CLOCK_MS_NS);
    }
    return false;
}

static size_t read_log(char text[LOG_BYTES], int log)
{
    off_t end = lseek(log, 0, SEEK_END);
    off_t from = end > LOG_BYTES ? end - LOG_BYTES : 0;
    ssize_t got = pread(log, text, LOG_BYTES, from);

    return got > 0 ? (size_t)got : 0;
}

static bool was_limited(int log)
{
    const char *error = strerror(EAGAIN);
    char text[LOG_BYTES];

    return memmem(text, read_log(text, log), error, strlen(error)) != NULL;
}

static void print_end(FILE *out, const char *program, int status,
                      uint64_t kills, int log)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        limits_memory_kills("") > kills) {
        fprintf(out, "quincunx: memory ran out, and the system ended its QEMU; "
                     "take a smaller --mesh, or --on native\n");
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
               was_limited(log)) {
        fprintf(out, "quincunx: its QEMU could start no thread: %s\n",
                limits_start_error(EAGAIN));
    } else if (WIFSIGNALED(status)) {
        fprintf(out, "quincunx: its QEMU was ended by signal %d (%s)\n",
                WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == 127) {
        fprintf(out, "quincunx: %s could not be executed\n", program);
    } else {
        fprintf(out, "quincunx: its QEMU exited with status %d\n",
                WEXITSTATUS(status));
    }
    limits_print_own(out);
}

static size_t line_bytes(const char *text, size_t bytes)
{
    const char *end = memchr(text, '\n', bytes);

    return end != NULL ? (size_t)(end - text) + 1 : bytes;
}

/* Removes two warnings that QEMU usually prints from text[at .. bytes). Returns
   the number of bytes left. */
static size_t leave_out_usual(char *text, size_t at, size_t bytes)
{
    static const char network[] = "nic lan9118.0 has no peer";
    static const char sleep[] = "icount sleep disabled and no active timers";
    size_t left = 0;

    for (size_t line; at < bytes; at += line) {
        line = line_bytes(text + at, bytes - at);
        if (memmem(text + at, line, network, strlen(network)) == NULL &&
            memmem(text + at, line, sleep, strlen(sleep)) == NULL) {
            memmove(text + left, text + at, line);
            left += line;
        }
    }
    return left;
}

/* Returns where the last whole lines begin that have at most `most` bytes
   together. If the last line alone is longer, returns the offset of its last
   `most` bytes. */
static size_t last_lines(const char *text, size_t bytes, size_t most)
{
    size_t from = bytes > most ? bytes - most : 0;
    const char *end =
        from > 0 ? memchr(text + from - 1, '\n', bytes - from + 1) : NULL;

    return end != NULL && end + 1 < text + bytes ? (size_t)(end + 1 - text)
                                                 : from;
}

/* Prints the last lines of a log under a heading; nothing if no line is
   left. */
static void print_last_words(FILE *out, int log)
{
    char text[LOG_BYTES];
    size_t bytes = read_log(text, log);
    size_t begin = 0;
    size_t first;

    /* If the buffer is full, its first line may lack its beginning. */
    if (bytes == sizeof text && line_bytes(text, bytes) < bytes) {
        begin = line_bytes(text, bytes);
    }
    bytes = leave_out_usual(text, begin, bytes);
    first = last_lines(text, bytes, LAST_WORDS_BYTES);
    if (bytes > 0) {
        fprintf(out, "quincunx: last words of the boards' QEMUs:\n%.*s%s",
                (int)(bytes - first), text + first,
                text[bytes - 1] == '\n' ? "" : "\n");
    }
}

void process_explain(FILE *out, pid_t *pid, const char *program, uint64_t kills,
                     int log)
{
    int status = 0;

    if (has_ended(pid, &status)) {
        print_end(out, program, status, kills, log);
    }
    print_last_words(out, log);
}
