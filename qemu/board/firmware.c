/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/firmware.h"

#include "qemu/board/elf.h"
#include "qemu/flash/request.h"
#include "qemu/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Application Note AN385, 3.1: two pieces of 4 MB. */
static const struct elf_place mps2_an385 = {.board = "mps2-an385",
                                            .flash_start = 0,
                                            .flash_bytes = 4u << 20,
                                            .ram_start = 0x20000000,
                                            .ram_bytes = 4u << 20};

/* build/quincunx -> build/BOARD/firmware.elf */
static void beside_us(char path[PATH_MAX], const char *folder)
{
    char self[PATH_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        snprintf(path, PATH_MAX, "%s/%s/firmware.elf", self, folder);
    }
}

void firmware_default(char path[PATH_MAX], bool stm32f405)
{
    if (path[0] == '\0') {
        beside_us(path, stm32f405 ? "stm32f405" : "mps2_an385");
    }
}

int firmware_find(char path[PATH_MAX], bool stm32f405)
{
    const struct elf_place *place =
        stm32f405 ? &flash_request_chip("stm32f405")->place : &mps2_an385;
    char message[ELF_MESSAGE_BYTES];
    uint32_t flash_bytes;
    uint64_t bytes;
    uint8_t *data;
    int status = 0;

    firmware_default(path, stm32f405);
    if (access(path, R_OK) != 0) {
        return file_error(path, "no firmware image; `make` builds it");
    }
    if (file_read(&data, &bytes, path) != 0) {
        return 1;
    }
    if (elf_check(&flash_bytes, message, data, bytes, place) != 0) {
        status = file_error(path, message);
    }
    free(data);
    return status;
}
