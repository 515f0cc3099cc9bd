/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/windows.h"

#include "qemu/base/limits.h"

#include <stdio.h>
#include <sys/mman.h>

uint8_t *windows_new(uint32_t nodes)
{
    void *at =
        mmap(NULL, (size_t)nodes * BACKEND_WINDOW_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        fprintf(stderr, "quincunx: no memory for %u windows of nodes\n", nodes);
        limits_print_own(stderr);
        return NULL;
    }
    return at;
}

void windows_free(uint8_t *memory, uint32_t nodes)
{
    if (memory != NULL) {
        munmap(memory, (size_t)nodes * BACKEND_WINDOW_BYTES);
    }
}
