/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where in the source boards with serial ports had faults, if they run a
   known image. */
#ifndef QEMU_BOARD_FAULT_IMAGE_H
#define QEMU_BOARD_FAULT_IMAGE_H

#include "qemu/board/addresses.h"
#include "qemu/board/elf.h"

#include <limits.h>
#include <stdio.h>

#define FAULT_IMAGE_WHY_BYTES 320u

struct fault_image {
    char path[PATH_MAX];
    uint32_t crc;
    char kernels[ELF_NAMES_BYTES]; /* " search spin"; "": unknown */
    /* why the image is unusable; "": it is usable */
    char why[FAULT_IMAGE_WHY_BYTES];
};

/* Opens the ELF file `path`. "" and NULL stand for firmware.elf beside this
   program. */
void fault_image_open(struct fault_image *image, const char *path);

/* Prints the CRC of the boards' image, whether this image has it, and this
   image's kernels; or why this image cannot be used. */
void fault_image_print(FILE *out, const struct fault_image *image,
                       uint32_t crc);

/* Finds the source lines of a fault's pc and lr, on a board whose image has
   this CRC. Each is "" if there is no code. Returns NULL; or the reason why
   both stay unknown, valid until the next call. */
const char *fault_image_find(char pc_at[ADDRESSES_TEXT_BYTES],
                             char lr_at[ADDRESSES_TEXT_BYTES],
                             struct fault_image *image, uint32_t crc,
                             uint32_t pc, uint32_t lr);

#endif
