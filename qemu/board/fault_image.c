/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/fault_image.h"

#include "hal/crc32.h"
#include "hal/image.h"
#include "qemu/board/firmware.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens the ELF file as an image of a kind of board with serial ports. Returns
   the first kind that it fits. Returns NULL if it fits none; then image->why
   says why not the first kind. */
static const struct board_kind *board_of(struct fault_image *image,
                                         struct elf_image *elf,
                                         const uint8_t *data, uint64_t bytes)
{
    const struct board_kind *board;

    for (size_t i = 0; (board = board_at(i)) != NULL; ++i) {
        if (board->circuits != BOARD_SERIAL) {
            continue;
        }
        if (elf_open(elf, data, bytes, &board->place) == 0) {
            image->why[0] = '\0';
            return board;
        }
        if (image->why[0] == '\0') {
            snprintf(image->why, sizeof image->why, "%.60s %.200s", image->path,
                     elf->message);
        }
    }
    return NULL;
}

/* Computes an image's CRC as a board does: over all bytes behind its identity,
   which holds the board's coordinates. */
static void reckon(struct fault_image *image, const uint8_t *data,
                   uint64_t bytes)
{
    struct elf_image elf;
    const struct board_kind *board = board_of(image, &elf, data, bytes);
    uint32_t skipped;
    uint8_t *flash;

    if (board == NULL) {
        return;
    }
    skipped = board->identity_offset + (uint32_t)sizeof(struct image_identity);
    if (elf.flash_bytes <= skipped) {
        snprintf(image->why, sizeof image->why,
                 "%.200s is too small for an image", image->path);
        return;
    }
    flash = memory_or_exit(malloc(elf.flash_bytes));
    (void)elf_kernels(image->kernels, &elf);
    elf_flatten(flash, &elf);
    image->crc = crc32_update(0, flash + skipped, elf.flash_bytes - skipped);
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
    if (!addresses_find(pc_at, lr_at, pc, lr, image->path)) {
        snprintf(image->why, sizeof image->why, ADDRESSES_MISSING);
        return image->why;
    }
    return NULL;
}
