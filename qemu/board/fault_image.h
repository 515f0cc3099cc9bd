/* SPDX-License-Identifier: Apache-2.0 */
/* Finds source lines for the fault records of boards with serial ports, in the
   firmware image that they run. */
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
    char kernels[ELF_NAMES_BYTES];   /* " search spin"; "": unknown */
    char why[FAULT_IMAGE_WHY_BYTES]; /* why it is unusable, or "" */
};

/* Opens the ELF file `path`; "" or NULL: firmware.elf beside this program. */
void fault_image_open(struct fault_image *image, const char *path);

/* Prints the CRC that boards report, whether this image has it, and the image's
   kernels; or why this image is unusable. */
void fault_image_print(FILE *out, const struct fault_image *image,
                       uint32_t crc);

/* Finds the source lines of pc and lr of a fault on a board whose image has
   this CRC; "" where there is no code. Returns NULL, or the reason why both
   stay unknown, valid until the next call. */
const char *fault_image_find(char pc_at[ADDRESSES_TEXT_BYTES],
                             char lr_at[ADDRESSES_TEXT_BYTES],
                             struct fault_image *image, uint32_t crc,
                             uint32_t pc, uint32_t lr);

#endif
