/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an ELF file is an image that a board can start: judged by what would
 * be written to its flash, and by the first two words of its vector table
 * (ARMv7-M Architecture Reference Manual, B1.5.5).
 */
#ifndef QEMU_BOARD_ELF_H
#define QEMU_BOARD_ELF_H

#include "hal/nodiscard.h"

#include <stdint.h>

#define ELF_MESSAGE_BYTES 256u
#define ELF_SEGMENTS_MAX 64u

/* Where a board's image must lie; addresses and sizes in bytes. */
struct elf_place {
    const char *board;
    uint32_t flash_start; /* the vector table is here */
    uint32_t flash_bytes;
    uint32_t ram_start;
    uint32_t ram_bytes;
};

/* A piece of the file and the address that it is loaded to. */
struct elf_segment {
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint64_t address;
};

struct elf_image {
    const uint8_t *data; /* the file; the caller's */
    uint64_t bytes;
    const struct elf_place *place;
    struct elf_segment segment[ELF_SEGMENTS_MAX];
    unsigned segments;
    uint32_t flash_bytes; /* from the flash's start to the end of the image */
    char message[ELF_MESSAGE_BYTES]; /* why it is none; one line, no newline */
};

/*
 * Fills in the image that the file in data[0 .. bytes) is. It must be an
 * executable for ARM whose loaded segments lie in the flash; the initial stack
 * pointer must be in RAM or at its end, a multiple of 4, and the reset vector a
 * Thumb address in a loaded segment. Result: 0; or -1 with the reason in
 * image->message. Cost: the number of segments.
 */
NODISCARD int elf_open(struct elf_image *image, const uint8_t *data,
                       uint64_t bytes, const struct elf_place *place);

/* Fills flash[0 .. image->flash_bytes) with the flash's contents after the
   image is loaded: 0xff where it loads nothing. */
void elf_flatten(uint8_t *flash, const struct elf_image *image);

/* Result: the place in the file of the `count` bytes for `address`; 0: they are
   not loaded, or not in one segment. */
uint64_t elf_offset(const struct elf_image *image, uint32_t address,
                    uint32_t count);

#define ELF_NAMES_BYTES 640u

/*
 * The names of the image's kernels, by its symbols and its kernel_table, each
 * behind a space. Result: how many; 0 and "": the file does not tell, since it
 * has no symbols.
 */
unsigned elf_kernels(char text[ELF_NAMES_BYTES], const struct elf_image *image);

#endif
