/* SPDX-License-Identifier: Apache-2.0 */
/* Memory without which there is nothing worth reporting. */
#ifndef QEMU_SUPPORT_MEMORY_H
#define QEMU_SUPPORT_MEMORY_H

/* What malloc(), calloc() or realloc() returned. NULL prints a message and ends
   the program with EXIT_FAILURE. */
void *memory_or_exit(void *memory);

#endif
