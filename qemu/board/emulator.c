/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/emulator.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/process.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* ---- default program ---- */

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

static int ask(char text[ANSWER_BYTES], const char *program, const char *word,
               const char *second)
{
    char *argv[] = {(char *)program, (char *)word, (char *)second, NULL};
    struct process_output output = {
        .text = text, .room = ANSWER_BYTES, .ends = true};

    return process_run(&(struct process_config){.argv = argv}, &output,
                       ANSWER_MS);
}

/* Returns NULL if the program can emulate the machine, else the reason. */
static const char *check_machine(const char *program, const char *machine)
{
    char text[ANSWER_BYTES];
    int status = ask(text, program, "-machine", "help");

    if (status < 0 && errno == ETIMEDOUT) {
        return "`-machine help' did not end within 10 s";
    }
    if (status < 0) {
        return "it cannot be started";
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return "it cannot be executed";
    }
    return lists(text, machine) ? NULL : "`-machine help' does not list it";
}

void emulator_version(char version[EMULATOR_VERSION_BYTES])
{
    char text[ANSWER_BYTES];

    (void)ask(text, emulator_program(), "--version", NULL);
    text[strcspn(text, "\n")] = '\0';
    snprintf(version, EMULATOR_VERSION_BYTES, "%.*s",
             (int)EMULATOR_VERSION_BYTES - 1, text);
}

int emulator_check(const struct board_kind *board, const char *otherwise)
{
    char file[PATH_MAX];
    const char *wrong;

    if (board->machine == NULL) {
        fprintf(stderr,
                "quincunx: --board %s: no QEMU machine emulates it: only real "
                "boards, with --port\n",
                board->place.board);
        return EXIT_USAGE;
    }
    if (access("/proc/self/fd", F_OK) != 0) {
        fprintf(stderr,
                "quincunx: /proc is not mounted: QEMU finds its boards' "
                "memory there%s\n",
                otherwise);
        return EXIT_FAILED;
    }
    if (variable() == NULL && on_path(file, DEFAULT_PROGRAM)) {
        return 0;
    }
    if (variable() == NULL) {
        fprintf(stderr,
                "quincunx: " DEFAULT_PROGRAM
                " is not on the PATH; on Debian: apt-get install "
                "qemu-system-arm%s\n",
                otherwise);
        return EXIT_FAILED;
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
