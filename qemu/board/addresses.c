/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/addresses.h"

#include "qemu/base/process.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "arm-none-eabi-addr2line"
#define WAIT_MS 5000u
#define OUTPUT_BYTES 65536u
/* Values from CODE_END on are no addresses but EXC_RETURN (ARMv7-M, B1.5.8). */
#define CODE_END 0xf0000000u

/* Returns an address within the call instruction before the return address
   `lr`. */
static uint32_t call_of(uint32_t lr)
{
    return lr < CODE_END && lr >= 2 ? (lr & ~1u) - 2 : lr;
}

/* Returns a path from the source tree's root on. The part before it differs
   between machines. */
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

/* Parses a line of addr2line, "FUNCTION at PATH:LINE (discriminator 3)" or "??
   ??:0". */
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

bool addresses_find(char pc_at[ADDRESSES_TEXT_BYTES],
                    char lr_at[ADDRESSES_TEXT_BYTES], uint32_t pc, uint32_t lr,
                    const char *elf)
{
    char text[OUTPUT_BYTES];
    char word[2][12];
    char *const argv[] = {PROGRAM,     "-f",    "-p",    "-e",
                          (char *)elf, word[0], word[1], NULL};
    struct process_output output = {.text = text, .room = sizeof text};
    char *rest = text;

    pc_at[0] = '\0';
    lr_at[0] = '\0';
    snprintf(word[0], sizeof word[0], "0x%08x", (unsigned)pc);
    snprintf(word[1], sizeof word[1], "0x%08x", (unsigned)call_of(lr));
    if (!process_succeeded(
            process_run(&(struct process_config){.argv = argv, .error = -1},
                        &output, WAIT_MS))) {
        return false;
    }
    parse_line(pc_at, strsep(&rest, "\n"));
    if (rest != NULL) {
        parse_line(lr_at, strsep(&rest, "\n"));
    }
    return true;
}
