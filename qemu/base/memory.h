/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations without which the program cannot report anything: they succeed or
   end it. */
#ifndef QEMU_BASE_MEMORY_H
#define QEMU_BASE_MEMORY_H

/* Result: `memory`, as malloc(), calloc() or realloc() returned it; if that is
   NULL, the program ends with EXIT_FAILURE after a message on stderr. */
void *memory_or_exit(void *memory);

#endif
