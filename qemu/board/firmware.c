/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/firmware.h"

#include "qemu/base/file.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void firmware_default(char path[PATH_MAX], const struct board_kind *board)
{
    char name[64];

    if (path[0] == '\0') {
        snprintf(name, sizeof name, "%s/firmware.elf", board->folder);
        file_beside_program(path, name);
    }
}

static int check(const char *path, const struct board_kind *board)
{
    char message[ELF_MESSAGE_BYTES];
    uint32_t flash_bytes;
    uint64_t bytes;
    uint8_t *data;
    int status = 0;

    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return file_error(path, "no firmware image; `make` builds it");
    }
    if (file_read(&data, &bytes, path) != 0) {
        return 1;
    }
    if (elf_check(&flash_bytes, message, data, bytes, &board->place) != 0) {
        status = file_error(path, "%s", message);
    }
    free(data);
    return status;
}

int firmware_find(char path[PATH_MAX], const struct board_kind *board)
{
    firmware_default(path, board);
    return path[0] != '\0' ? check(path, board) : 1;
}

int firmware_find_slow(char path[PATH_MAX], const char *firmware,
                       const struct board_kind *board)
{
    const char *end = strrchr(firmware, '.');
    int stem = (int)(end == NULL || strchr(end, '/') != NULL
                         ? strlen(firmware)
                         : (size_t)(end - firmware));

    if (snprintf(path, PATH_MAX, "%.*s_slow.elf", stem, firmware) >= PATH_MAX) {
        return file_error(firmware, "is too long a name");
    }
    return check(path, board);
}

/* Result: as of firmware_check_kernel(). */
static int check_names(const char *path, const struct board_kind *board,
                       const char *kernel, const char *const name[],
                       unsigned names)
{
    for (unsigned i = 0; i < names; ++i) {
        if (strcmp(name[i], kernel) == 0) {
            return 0;
        }
    }
    fprintf(stderr, "quincunx: %s: this image has no kernel '%s', only",
            quote_shown(path), kernel);
    for (unsigned i = 0; i < names; ++i) {
        fprintf(stderr, " %s", quote_shown(name[i]));
    }
    fprintf(stderr, "; `make BOARD=%s KERNELS=\"", board->folder);
    for (unsigned i = 0; i < names; ++i) {
        fprintf(stderr, "%s ", quote_shown(name[i]));
    }
    fprintf(stderr, "%s\"' makes one with it\n", kernel);
    return 1;
}

int firmware_check_kernel(const char *path, const struct board_kind *board,
                          const char *kernel)
{
    const char *name[ELF_KERNELS_MAX];
    uint64_t bytes;
    uint8_t *data;
    unsigned names;
    int status;

    if (file_read(&data, &bytes, path) != 0) {
        return 1;
    }
    names = elf_kernels(name, data, bytes, &board->place);
    status = names > 0 ? check_names(path, board, kernel, name, names) : 0;
    free(data);
    return status;
}

unsigned firmware_kernels(char text[ELF_NAMES_BYTES], const char *path,
                          const struct board_kind *board)
{
    uint64_t bytes;
    uint8_t *data;
    unsigned names;

    if (file_read(&data, &bytes, path) != 0) {
        return 0;
    }
    names = elf_kernel_names(text, data, bytes, &board->place);
    free(data);
    return names;
}
