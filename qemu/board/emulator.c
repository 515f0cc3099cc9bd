/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/emulator.h"

#include "qemu/support/exit_status.h"
#include "qemu/support/host_clock.h"
#include "qemu/support/process.h"
#include "qemu/support/quote.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PROGRAM "qemu-system-arm"
#define ANSWER_MS 10000
#define ANSWER_BYTES 32768u /* QEMU 10 lists its machines in 9 KB */

/* The variable's value; NULL if it is not set, or empty. */
static const char *variable(void)
{
    const char *value = getenv(EMULATOR_VARIABLE);

    return value == NULL || *value == '\0' ? NULL : value;
}

const char *emulator_program(void)
{
    const char *value = variable();

    return value == NULL ? DEFAULT_PROGRAM : value;
}

/* ---- the default ---- */

/* Result: whether a program of that name is on the PATH, and where. */
static bool on_path(char file[PATH_MAX], const char *program)
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");

        snprintf(file, PATH_MAX, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static int check_default(const char *otherwise)
{
    char file[PATH_MAX];

    if (!on_path(file, DEFAULT_PROGRAM)) {
        fprintf(stderr,
                "quincunx: " DEFAULT_PROGRAM
                " is not on the PATH; on Debian: apt-get install "
                "qemu-system-arm%s\n",
                otherwise);
        return EXIT_FAILED;
    }
    return 0;
}

bool emulator_has_sandbox(const char *program)
{
    static const char library[] = "libseccomp.so";
    char file[PATH_MAX];
    struct stat status;
    bool there = strchr(program, '/') != NULL
                     ? snprintf(file, sizeof file, "%s", program) < PATH_MAX
                     : on_path(file, program);
    int fd = there ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    bool found = false;

    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
        size_t bytes = (size_t)status.st_size;
        void *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);

        if (at != MAP_FAILED) {
            found = memmem(at, bytes, library, sizeof library - 1) != NULL;
            munmap(at, bytes);
        }
    }
    process_close(fd);
    return found;
}

/* ---- the variable's ---- */

/* Reads until the writer closes, `text` is full or the time is up; `text`
   becomes a string. Result: false if the time was up. */
static bool read_answer(char text[ANSWER_BYTES], int from)
{
    struct pollfd poll_fd = {.fd = from, .events = POLLIN};
    const struct host_clock *clock = host_clock();
    uint64_t end_ns = host_clock_ns(clock) + ANSWER_MS * HOST_CLOCK_MS_NS;
    size_t bytes = 0;
    ssize_t got = 1;

    while (got > 0 && bytes < ANSWER_BYTES - 1) {
        if (clock->wait(clock->context, &poll_fd, 1, end_ns, NULL) == 0) {
            text[bytes] = '\0';
            return false;
        }
        got = read(from, text + bytes, ANSWER_BYTES - 1 - bytes);
        bytes += got > 0 ? (size_t)got : 0;
    }
    text[bytes] = '\0';
    return true;
}

/* Whether a line of the text begins with this word and a space. */
static bool lists(const char *text, const char *word)
{
    size_t length = strlen(word);

    while (text != NULL) {
        if (strncmp(text, word, length) == 0 && text[length] == ' ') {
            return true;
        }
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return false;
}

/* Ends the program, and its children, which a script may have. */
static void end_group(pid_t pid, int *status)
{
    pid_t running = pid;
    bool ended = process_ended(&running, status);

    kill(-pid, SIGKILL);
    if (!ended) {
        waitpid(pid, status, 0);
    }
}

/* What became of a program that was asked something. */
enum asked {
    ASKED_NO_PIPE,
    ASKED_NOT_STARTED,
    ASKED_NOT_EXECUTED,
    ASKED_SILENT,
    ASKED_ANSWERED
};

/* Asks a program, with up to two words; `text` becomes what it says. */
static enum asked ask(char text[ANSWER_BYTES], const char *program,
                      const char *word, const char *second)
{
    char *argv[] = {(char *)program, (char *)word, (char *)second, NULL};
    struct process_config process = {.argv = argv};
    int pipe_fd[2];
    bool answered;
    int status = 0;
    pid_t pid;

    text[0] = '\0';
    if (pipe2(pipe_fd, O_CLOEXEC) != 0) {
        return ASKED_NO_PIPE;
    }
    process.log = pipe_fd[1];
    pid = process_start(&process);
    close(pipe_fd[1]);
    answered = pid > 0 && read_answer(text, pipe_fd[0]);
    close(pipe_fd[0]);
    if (pid > 0) {
        end_group(pid, &status);
    }
    if (pid < 0) {
        return ASKED_NOT_STARTED;
    }
    if (answered && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return ASKED_NOT_EXECUTED;
    }
    return answered ? ASKED_ANSWERED : ASKED_SILENT;
}

/* Result: what is wrong with the program; NULL: nothing. */
static const char *check_machine(const char *program, const char *machine)
{
    char text[ANSWER_BYTES];

    switch (ask(text, program, "-machine", "help")) {
    case ASKED_NO_PIPE:
        return "there is no pipe to ask it by";
    case ASKED_NOT_STARTED:
        return "it cannot be started";
    case ASKED_NOT_EXECUTED:
        return "it cannot be executed";
    case ASKED_SILENT:
        return "`-machine help' did not end within 10 s";
    default:
        return lists(text, machine) ? NULL : "`-machine help' does not list it";
    }
}

void emulator_version(char version[EMULATOR_VERSION_BYTES])
{
    char text[ANSWER_BYTES];

    ask(text, emulator_program(), "--version", NULL);
    text[strcspn(text, "\n")] = '\0';
    snprintf(version, EMULATOR_VERSION_BYTES, "%.*s",
             (int)EMULATOR_VERSION_BYTES - 1, text);
}

int emulator_check(const struct board_kind *board, const char *otherwise)
{
    const char *wrong;

    if (access("/proc/self/fd", F_OK) != 0) {
        fprintf(stderr,
                "quincunx: /proc is not mounted: QEMU finds its boards' "
                "memory there%s\n",
                otherwise);
        return EXIT_FAILED;
    }
    if (variable() == NULL) {
        return check_default(otherwise);
    }
    wrong = check_machine(variable(), board->machine);
    if (wrong != NULL) {
        fprintf(stderr,
                "quincunx: " EMULATOR_VARIABLE
                " '%s': must be a qemu-system-arm, which has the machine %s: "
                "%s\n",
                quote_shown(variable()), board->machine, wrong);
        return EXIT_USAGE;
    }
    return 0;
}
