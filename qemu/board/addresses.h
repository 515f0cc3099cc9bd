/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the source lines of addresses in an image's code, by binutils'
 * addr2line, which comes with the compiler for the boards.
 */
#ifndef QEMU_BOARD_ADDRESSES_H
#define QEMU_BOARD_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_MAX 64u
#define ADDRESSES_TEXT_BYTES 128u

/*
 * "search_run at kernels/search.c:123" for each of at most ADDRESSES_MAX
 * addresses of the ELF file `elf`; "" where there is no code. Waits 5 s at
 * most. Result: false, with all texts "", if addr2line cannot be run or does
 * not end in time.
 */
bool addresses_find(char (*text)[ADDRESSES_TEXT_BYTES], const uint32_t *address,
                    unsigned count, const char *elf);

/* The address of the call for a return address in a link register: pass this to
   addresses_find(). */
uint32_t addresses_call(uint32_t lr);

#endif
