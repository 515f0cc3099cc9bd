/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source lines of code addresses in a board's image, by addr2line of
   binutils, which comes with the boards' compiler. */
#ifndef QEMU_BOARD_ADDRESSES_H
#define QEMU_BOARD_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_TEXT_BYTES 128u

#define ADDRESSES_MISSING                                                      \
    "arm-none-eabi-addr2line, of binutils-arm-none-eabi, does not run"

/* Finds where a fault happened: writes lines such as "search_run at
   kernels/search.c:123" for its program counter, and for the call to which its
   link register returns. Each is "" if the ELF file `elf` has no code there.
   Waits at most 5 s. Returns false, with both "", if addr2line cannot run or
   does not end in time. */
bool addresses_find(char pc_at[ADDRESSES_TEXT_BYTES],
                    char lr_at[ADDRESSES_TEXT_BYTES], uint32_t pc, uint32_t lr,
                    const char *elf);

#endif
