/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void *memory_or_exit(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "quincunx: no memory is left\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}
