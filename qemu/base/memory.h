/* SPDX-License-Identifier: Apache-2.0 */
/* Checks allocations: an allocation succeeds, or the program ends. */
#ifndef QEMU_BASE_MEMORY_H
#define QEMU_BASE_MEMORY_H

/* Returns `memory`, the result of malloc(), calloc() or realloc(). NULL ends
   the program with EXIT_FAILURE after a message on stderr. */
void *memory_or_exit(void *memory);

#endif
