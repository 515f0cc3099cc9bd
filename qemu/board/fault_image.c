/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/fault_image.h"

#include "hal/crc32.h"
#include "hal/image.h"
#include "qemu/board/firmware.h"
#include "qemu/base/file.h"
#include "qemu/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the first board with serial ports that the image fits, and sets the
   image's size. NULL: it fits none; `why` is what the default board lacks. */
static const struct board_kind *board_of(struct fault_image *image,
                                         uint32_t *flash_bytes,
                                         const uint8_t *data, uint64_t bytes)
{
    const struct board_kind *board;
    char message[ELF_MESSAGE_BYTES];

    for (size_t i = 0; (board = board_at(i)) != NULL; ++i) {
        if (board->circuits != BOARD_SERIAL) {
            continue;
        }
        if (elf_check(flash_bytes, message, data, bytes, &board->place) == 0) {
            image->why[0] = '\0';
            return board;
        }
        if (image->why[0] == '\0') {
            snprintf(image->why, sizeof image->why, "%.60s %.200s", image->path,
                     message);
        }
    }
    return NULL;
}

/* Computes the CRC as a board does: of all bytes behind the identity, in which
   coordinates may have been set. */
static void reckon(struct fault_image *image, const uint8_t *data,
                   uint64_t bytes)
{
    uint32_t flash_bytes;
    const struct board_kind *board = board_of(image, &flash_bytes, data, bytes);
    uint32_t skipped;
    uint8_t *flash;

    if (board == NULL) {
        return;
    }
    skipped = board->identity_offset + (uint32_t)sizeof(struct image_identity);
    flash = flash_bytes > skipped ? malloc(flash_bytes) : NULL;
    if (flash == NULL) {
        snprintf(image->why, sizeof image->why,
                 "%.200s is too small for an image, or memory is short",
                 image->path);
        return;
    }
    (void)elf_kernel_names(image->kernels, data, bytes, &board->place);
    elf_flatten(flash, flash_bytes, data, bytes, &board->place);
    image->crc = crc32_update(0, flash + skipped, flash_bytes - skipped);
    free(flash);
}

void fault_image_open(struct fault_image *image, const char *path)
{
    uint64_t bytes;
    uint8_t *data;

    *image = (struct fault_image){.crc = 0};
    snprintf(image->path, sizeof image->path, "%s", path != NULL ? path : "");
    firmware_default(image->path, board_default(BOARD_SERIAL));
    if (euidaccess(image->path, R_OK) != 0 ||
        file_read(&data, &bytes, image->path) != 0) {
        snprintf(image->why, sizeof image->why, "%.200s cannot be read",
                 image->path);
        return;
    }
    reckon(image, data, bytes);
    free(data);
}

void fault_image_print(FILE *out, const struct fault_image *image, uint32_t crc)
{
    fprintf(out, "%08" PRIX32, crc);
    if (image->why[0] != '\0') {
        fprintf(out, " is unknown: %s", quote_shown(image->why));
    } else if (image->crc != crc) {
        fprintf(out, " is another one: %s has CRC %08" PRIX32,
                quote_shown(image->path), image->crc);
    } else {
        fprintf(out, " is %s, kernels%s", quote_shown(image->path),
                image->kernels[0] != '\0' ? image->kernels : " unknown");
    }
}

const char *fault_image_find(char pc_at[ADDRESSES_TEXT_BYTES],
                             char lr_at[ADDRESSES_TEXT_BYTES],
                             struct fault_image *image, uint32_t crc,
                             uint32_t pc, uint32_t lr)
{
    const uint32_t address[] = {pc, addresses_call(lr)};
    char text[2][ADDRESSES_TEXT_BYTES] = {"", ""};
    static char other[FAULT_IMAGE_WHY_BYTES];

    pc_at[0] = '\0';
    lr_at[0] = '\0';
    if (image->why[0] != '\0') {
        return image->why;
    }
    if (image->crc != crc) {
        snprintf(other, sizeof other,
                 "%.200s has CRC %08" PRIX32 ", the board's image %08" PRIX32
                 ": --firmware FILE names the right one",
                 image->path, image->crc, crc);
        return other;
    }
    if (!addresses_find(text, address, 2, image->path)) {
        snprintf(image->why, sizeof image->why,
                 "arm-none-eabi-addr2line, of binutils-arm-none-eabi, does not "
                 "run");
        return image->why;
    }
    memcpy(pc_at, text[0], sizeof text[0]);
    memcpy(lr_at, text[1], sizeof text[1]);
    return NULL;
}
