/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the source lines of addresses in an image's code, by binutils'
 * addr2line, which comes with the compiler for the boards.
 */
#ifndef QEMU_BOARD_ADDRESSES_H
#define QEMU_BOARD_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_TEXT_BYTES 128u

/* Why addresses_find() failed. */
#define ADDRESSES_MISSING                                                      \
    "arm-none-eabi-addr2line, of binutils-arm-none-eabi, does not run"

/*
 * "search_run at kernels/search.c:123" for the program counter of a fault and
 * for the call that its link register returns to, in the ELF file `elf`; ""
 * where there is no code. Waits 5 s at most. Result: false, with both texts "",
 * if addr2line cannot be run or does not end in time.
 */
bool addresses_find(char pc_at[ADDRESSES_TEXT_BYTES],
                    char lr_at[ADDRESSES_TEXT_BYTES], uint32_t pc, uint32_t lr,
                    const char *elf);

#endif
