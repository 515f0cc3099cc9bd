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
    struct elf_image image;
    uint64_t bytes;
    uint8_t *data;
    int status = 0;

    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return file_error(path, "no firmware image; `make` builds it");
    }
    if (file_read(&data, &bytes, path) != 0) {
        return 1;
    }
    if (elf_open(&image, data, bytes, &board->place) != 0) {
        status = file_error(path, "%s", image.message);
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

unsigned firmware_kernels(char names[ELF_NAMES_BYTES], const char *path,
                          const struct board_kind *board)
{
    struct elf_image image;
    uint64_t bytes;
    uint8_t *data;
    unsigned count = 0;

    names[0] = '\0';
    if (file_read(&data, &bytes, path) == 0) {
        if (elf_open(&image, data, bytes, &board->place) == 0) {
            count = elf_kernels(names, &image);
        }
        free(data);
    }
    return count;
}

int firmware_check_kernel(const char *names, const char *path,
                          const struct board_kind *board, const char *kernel)
{
    size_t length = strlen(kernel);

    for (const char *at = strstr(names, kernel); at != NULL;
         at = strstr(at + 1, kernel)) {
        if (at[-1] == ' ' && (at[length] == ' ' || at[length] == '\0')) {
            return 0;
        }
    }
    names = quote_shown(names);
    return file_error(path,
                      "this image has no kernel '%s', only%s; `make BOARD=%s "
                      "KERNELS=\"%s %s\"' makes one with it",
                      kernel, names, board->folder, names + 1, kernel);
}
