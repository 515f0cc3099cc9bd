/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image that fault records of boards with serial ports come from, and the
 * source lines of their addresses.
 */
#ifndef QEMU_BOARD_FAULT_IMAGE_H
#define QEMU_BOARD_FAULT_IMAGE_H

#include "qemu/board/addresses.h"
#include "qemu/board/elf.h"

#include <limits.h>
#include <stdio.h>

#define FAULT_IMAGE_WHY_BYTES 320u

struct fault_image {
    char path[PATH_MAX];
    uint32_t crc;                    /* as its boards tell it */
    char kernels[ELF_NAMES_BYTES];   /* " search spin"; "": unknown */
    char why[FAULT_IMAGE_WHY_BYTES]; /* it is of no use; "": it is */
};

/* `path` is an ELF file; "" or NULL: firmware.elf beside this program. */
void fault_image_open(struct fault_image *image, const char *path);

/* Prints the CRC, whether the image that boards have, by its CRC, is this one,
   and which kernels it has; or why this one is of no use. */
void fault_image_print(FILE *out, const struct fault_image *image,
                       uint32_t crc);

/*
 * Where pc and lr of a fault are, of a board whose image has this CRC; "" where
 * there is no code. Result: NULL; or the reason for which both stay unknown, a
 * sentence that is valid until the next call.
 */
const char *fault_image_find(char pc_at[ADDRESSES_TEXT_BYTES],
                             char lr_at[ADDRESSES_TEXT_BYTES],
                             struct fault_image *image, uint32_t crc,
                             uint32_t pc, uint32_t lr);

#endif
