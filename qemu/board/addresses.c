/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/addresses.h"

#include "qemu/base/process.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "arm-none-eabi-addr2line"
#define WAIT_MS 5000u
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
static void parse_output(char (*text)[ADDRESSES_TEXT_BYTES], unsigned count,
                         char *output)
{
    for (unsigned i = 0; i < count && output != NULL; ++i) {
        parse_line(text[i], strsep(&output, "\n"));
    }
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
    static char room[OUTPUT_BYTES];
    struct process_output output = {.text = room, .room = sizeof room};
    bool good;

    count = count < ADDRESSES_MAX ? count : ADDRESSES_MAX;
    snprintf(file, sizeof file, "%s", elf);
    for (unsigned i = 0; i < count; ++i) {
        snprintf(word[i], sizeof word[i], "0x%08x", (unsigned)address[i]);
        argv[5 + i] = word[i];
        text[i][0] = '\0';
    }
    good = process_succeeded(process_run(
        &(struct process_config){.argv = argv, .error = -1}, &output, WAIT_MS));
    if (good) {
        parse_output(text, count, room);
    }
    return good;
}
