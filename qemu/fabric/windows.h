/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FABRIC_WINDOWS_H
#define QEMU_FABRIC_WINDOWS_H

#include "hal/window/window.h"

#include <stddef.h>

#define BACKEND_WINDOW_BYTES 0x01000000u

/* Allocates zeroed memory for the windows of `nodes` nodes, one after the
   other. Pages that are never written take no memory. Returns NULL after a
   message. The caller frees it by windows_free(). */
uint8_t *windows_new(uint32_t nodes);
void windows_free(uint8_t *memory, uint32_t nodes);

static inline struct window *windows_at(uint8_t *memory, uint32_t node)
{
    return (struct window *)(void *)(memory +
                                     (size_t)node * BACKEND_WINDOW_BYTES);
}

/* Copies bytes from a board's window. The board may write at any time, so the
   host reads each byte once, and checks and uses the copy. `from` is volatile
   so that the compiler does not read again. */
static inline void window_read(void *to, const volatile void *from,
                               size_t bytes)
{
    const volatile uint8_t *byte = from;
    uint8_t *copy = to;

    for (size_t i = 0; i < bytes; ++i) {
        copy[i] = byte[i];
    }
}

static inline uint32_t window_read_u32(const volatile uint32_t *from)
{
    return *from;
}

/* Returns whether a range lies in the area of a window that has messages. */
static inline bool window_has(uint32_t offset, uint64_t bytes)
{
    return offset >= WINDOW_DMA_OFFSET && offset <= BACKEND_WINDOW_BYTES &&
           bytes <= BACKEND_WINDOW_BYTES - offset;
}

#endif
