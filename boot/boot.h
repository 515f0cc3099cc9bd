/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdint.h>

/* Every exception that nobody expects: records the frame and halts. */
void boot_fault_entry(void);

/* Where it goes on, with the stacked frame: r0-r3, r12, lr, pc, xpsr. */
_Noreturn void boot_fault_record(const uint32_t *frame);

#endif
