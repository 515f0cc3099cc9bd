/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an ELF file as a board's image. Checks that the board can start it: by
   the bytes for its flash, and by the first two words of its vector table
   (ARMv7-M Architecture Reference Manual, B1.5.5). */
#ifndef QEMU_BOARD_ELF_H
#define QEMU_BOARD_ELF_H

#include "hal/nodiscard.h"

#include <stdint.h>

#define ELF_MESSAGE_BYTES 256u
#define ELF_SEGMENTS_MAX 64u

/* Memory of a board, in which its image must lie. */
struct elf_place {
    const char *board;
    uint32_t flash_start; /* address of the vector table */
    uint32_t flash_bytes;
    uint32_t ram_start;
    uint32_t ram_bytes;
};

struct elf_segment {
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint64_t address;
};

struct elf_image {
    const uint8_t *data; /* bytes of the file; the caller's */
    uint64_t bytes;
    const struct elf_place *place;
    struct elf_segment segment[ELF_SEGMENTS_MAX];
    unsigned segments;
    uint32_t flash_bytes; /* bytes from flash_start to the image's end */
    char message[ELF_MESSAGE_BYTES]; /* why elf_open() failed: one line */
};

/* Opens the file data[0 .. bytes) as an image. It must be an executable for ARM
   whose loaded segments all lie in flash. Its initial stack pointer must be in
   RAM or at its end, and a multiple of 4; its reset vector must be a Thumb
   address in a loaded segment. Returns 0, or -1 with the reason in
   image->message. Cost: O(segments). */
NODISCARD int elf_open(struct elf_image *image, const uint8_t *data,
                       uint64_t bytes, const struct elf_place *place);

/* Fills flash[0 .. image->flash_bytes) with the flash contents of the image,
   and with 0xff where nothing is loaded. */
void elf_flatten(uint8_t *flash, const struct elf_image *image);

/* Returns where the file has the `count` bytes that are loaded to `address`, as
   an offset. Returns 0 if they are not loaded, or not in one segment. */
uint64_t elf_offset(const struct elf_image *image, uint32_t address,
                    uint32_t count);

#define ELF_NAMES_BYTES 640u

/* Writes the names of the image's compute kernels, each after a space. Returns
   their number. Returns 0 and "" if the file has no symbols. */
unsigned elf_kernels(char text[ELF_NAMES_BYTES], const struct elf_image *image);

#endif
