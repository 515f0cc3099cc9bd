/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/addresses.h"

#include "qemu/support/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "arm-none-eabi-addr2line"
#define WAITS 10u /* of process_ended(): half a second each */
#define OUTPUT_BYTES (ADDRESSES_MAX * 512u)
/* ARMv7-M, B1.5.8: above are no addresses but EXC_RETURN. */
#define CODE_END 0xf0000000u

uint32_t addresses_call(uint32_t lr)
{
    return lr < CODE_END && lr >= 2 ? (lr & ~1u) - 2 : lr;
}

/* Of a path what is below the sources' root: it may be any machine's. */
static const char *below_root(const char *path)
{
    static const char *const folders[] = {"/boot/", "/hal/", "/kernels/",
                                          "/scatter/", "/torus/"};

    for (unsigned i = 0; i < sizeof folders / sizeof *folders; ++i) {
        const char *found = strstr(path, folders[i]);

        if (found != NULL) {
            return found + 1;
        }
    }
    return path;
}

/* "FUNCTION at PATH:LINE (discriminator 3)"; "?? ??:0" is nothing. */
static void parse_line(char text[ADDRESSES_TEXT_BYTES], char *line)
{
    char *at = strstr(line, " at ");
    char *behind = strstr(line, " (discriminator");

    text[0] = '\0';
    if (at == NULL || strncmp(line, "??", 2) == 0) {
        return;
    }
    if (behind != NULL) {
        *behind = '\0';
    }
    *at = '\0';
    snprintf(text, ADDRESSES_TEXT_BYTES, "%.40s at %.80s", line,
             below_root(at + strlen(" at ")));
}

/* One line for each address. */
static void read_output(char (*text)[ADDRESSES_TEXT_BYTES], unsigned count,
                        int log)
{
    static char output[OUTPUT_BYTES + 1];
    ssize_t bytes = pread(log, output, OUTPUT_BYTES, 0);
    char *rest = output;

    output[bytes > 0 ? bytes : 0] = '\0';
    for (unsigned i = 0; i < count && rest != NULL; ++i) {
        char *line = strsep(&rest, "\n");

        parse_line(text[i], line);
    }
}

/* Whether it ended well; it is gone in any case. */
static bool run(char *const *argv, int log)
{
    struct process_config config = {.argv = argv, .log = log};
    pid_t pid = process_start(&config);
    int status = -1;
    bool ended = false;

    for (unsigned i = 0; pid > 0 && !ended && i < WAITS; ++i) {
        ended = process_ended(&pid, &status);
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool addresses_find(char (*text)[ADDRESSES_TEXT_BYTES], const uint32_t *address,
                    unsigned count, const char *elf)
{
    static char program[] = PROGRAM;
    static char options[][8] = {"-f", "-p", "-e"};
    char word[ADDRESSES_MAX][12];
    char file[4096];
    char *argv[ADDRESSES_MAX + 6] = {program, options[0], options[1],
                                     options[2], file};
    int log = process_log();
    bool good;

    count = count < ADDRESSES_MAX ? count : ADDRESSES_MAX;
    snprintf(file, sizeof file, "%s", elf);
    for (unsigned i = 0; i < count; ++i) {
        snprintf(word[i], sizeof word[i], "0x%08x", (unsigned)address[i]);
        argv[5 + i] = word[i];
        text[i][0] = '\0';
    }
    good = log >= 0 && run(argv, log);
    if (good) {
        read_output(text, count, log);
    }
    process_close(log);
    return good;
}
