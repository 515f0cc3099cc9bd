/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/process.h"

#include "qemu/support/host_clock.h"
#include "qemu/support/limits.h"
#include "qemu/support/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_BYTES 65536      /* read of the end of a log */
#define LAST_WORDS_BYTES 512 /* shown of it, at most */

/* Out of the way of every descriptor that a child is given. */
#define ABOVE (PROCESS_FD + (int)PROCESS_FDS_MAX)

static const int failed_write[] = {SIGPIPE, SIGXFSZ};

static void handle_failed_writes(void (*handler)(int))
{
    for (size_t i = 0; i < sizeof failed_write / sizeof *failed_write; ++i) {
        signal(failed_write[i], handler);
    }
}

void process_signals_ignore(void)
{
    handle_failed_writes(SIG_IGN);
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

void process_signals_default(void)
{
    handle_failed_writes(SIG_DFL);
}

/* In the child: nothing but system calls until exec. */
static _Noreturn void become(const struct process_config *config, pid_t parent)
{
    int up[PROCESS_FDS_MAX];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool sound = null >= 0;
    sigset_t none;

    sigemptyset(&none);
    setpgid(0, 0);
    process_signals_default();
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
    dup2(null, STDIN_FILENO);
    dup2(config->log, STDOUT_FILENO);
    dup2(config->log, STDERR_FILENO);
    for (unsigned i = 0; i < config->fds; ++i) {
        if (up[i] >= 0) {
            dup2(up[i], PROCESS_FD + (int)i);
        }
    }
    execvpe(config->argv[0], config->argv,
            config->environment != NULL ? config->environment : environ);
    _exit(127);
}

pid_t process_start(const struct process_config *config)
{
    pid_t parent = getpid();
    int small = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
    pid_t pid;

    /* A property of memory, which the child shares with its launcher until
       exec gives it another one like it. */
    if (config->small_pages) {
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    pid = vfork();
    if (pid == 0) {
        become(config, parent);
    }
    if (config->small_pages) {
        prctl(PR_SET_THP_DISABLE, small > 0, 0, 0, 0);
    }
    return pid;
}

void process_close(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

int process_log(void)
{
    int log = memfd_create("quincunx-log", MFD_CLOEXEC);

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

bool process_ended(pid_t *pid, int *status)
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

/* Reads the end of a log. Result: its bytes. */
static size_t read_log(char text[LOG_BYTES], int log)
{
    off_t end = lseek(log, 0, SEEK_END);
    off_t from = end > LOG_BYTES ? end - LOG_BYTES : 0;
    ssize_t got = pread(log, text, LOG_BYTES, from);

    return got > 0 ? (size_t)got : 0;
}

/* Whether a QEMU has said that it could start no thread or process. */
static bool was_limited(int log)
{
    const char *error = strerror(EAGAIN);
    char text[LOG_BYTES];

    return memmem(text, read_log(text, log), error, strlen(error)) != NULL;
}

void process_explain(FILE *out, const char *program, int status, uint64_t kills,
                     int log)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        memory_limit_kills("") > kills) {
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

/* Takes the lines out that say what is always so: boards have no network, and
   wait without a timer.
   Result: the bytes that are left. */
static size_t leave_out_usual(char *text, size_t bytes)
{
    static const char network[] = "nic lan9118.0 has no peer";
    static const char sleep[] = "icount sleep disabled and no active timers";
    size_t left = 0;

    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t line =
            end != NULL ? (size_t)(end - (text + at)) + 1 : bytes - at;

        if (memmem(text + at, line, network, strlen(network)) == NULL &&
            memmem(text + at, line, sleep, strlen(sleep)) == NULL) {
            memmove(text + left, text + at, line);
            left += line;
        }
        at += line;
    }
    return left;
}

/* Takes out the end of a line that began before the text. Result: the bytes
   that are left. */
static size_t leave_out_part(char *text, size_t bytes)
{
    const char *end = memchr(text, '\n', bytes);
    size_t part = end != NULL ? (size_t)(end - text) + 1 : 0;

    memmove(text, text + part, bytes - part);
    return bytes - part;
}

/* Where the last whole lines begin that have `most` bytes or fewer; if the last
   one is longer, its last bytes. */
static size_t last_lines(const char *text, size_t bytes, size_t most)
{
    size_t from = bytes > most ? bytes - most : 0;
    const char *end =
        from > 0 ? memchr(text + from - 1, '\n', bytes - from + 1) : NULL;

    return end != NULL && end + 1 < text + bytes ? (size_t)(end + 1 - text)
                                                 : from;
}

void process_last_words(FILE *out, int log)
{
    char text[LOG_BYTES];
    size_t bytes = read_log(text, log);
    size_t first;

    if (bytes == sizeof text) {
        bytes = leave_out_part(text, bytes);
    }
    bytes = leave_out_usual(text, bytes);
    first = last_lines(text, bytes, LAST_WORDS_BYTES);
    if (bytes > 0) {
        fprintf(out, "quincunx: last words of the boards' QEMUs:\n%.*s%s",
                (int)(bytes - first), text + first,
                text[bytes - 1] == '\n' ? "" : "\n");
    }
}
