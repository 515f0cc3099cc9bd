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

/* Where a board's image must lie; addresses and sizes in bytes. */
struct elf_place {
    const char *board;
    uint32_t flash_start; /* the vector table is here */
    uint32_t flash_bytes;
    uint32_t ram_start;
    uint32_t ram_bytes;
};

/*
 * Checks the file in data[0 .. bytes). It must be an executable for ARM whose
 * loaded segments lie in the flash; the initial stack pointer must be in RAM or
 * at its end, a multiple of 4, and the reset vector a Thumb address in a loaded
 * segment. Result: 0 with the bytes of flash from its start to the end of the
 * image in *flash_bytes; or -1 with the reason in `message`, one line without a
 * newline. Cost: the number of segments.
 */
NODISCARD int elf_check(uint32_t *flash_bytes, char message[ELF_MESSAGE_BYTES],
                        const uint8_t *data, uint64_t bytes,
                        const struct elf_place *place);

/*
 * Fills flash[0 .. flash_bytes) with the flash's contents after a file that has
 * passed elf_check() is loaded: 0xff where it loads nothing. flash_bytes as
 * from elf_check().
 */
void elf_flatten(uint8_t *flash, uint32_t flash_bytes, const uint8_t *data,
                 uint64_t bytes, const struct elf_place *place);

/*
 * Where in a file that has passed elf_check() the `count` bytes for `address`
 * are; 0: they are not loaded, or not in one segment.
 */
uint64_t elf_offset(const uint8_t *data, uint64_t bytes,
                    const struct elf_place *place, uint32_t address,
                    uint32_t count);

#define ELF_KERNELS_MAX 64u

#define ELF_NAMES_BYTES 640u

/*
 * The names of the kernels in a file that has passed elf_check(), by its
 * symbols and its kernel_table. They lie in the file's data. Result: how many;
 * 0: the file does not tell, since it has no symbols.
 */
unsigned elf_kernels(const char *name[ELF_KERNELS_MAX], const uint8_t *data,
                     uint64_t bytes, const struct elf_place *place);

/* The same as a text, each name behind a space; "": the file does not tell. */
unsigned elf_kernel_names(char text[ELF_NAMES_BYTES], const uint8_t *data,
                          uint64_t bytes, const struct elf_place *place);

#endif
