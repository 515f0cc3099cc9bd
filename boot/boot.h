/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

/* Every exception that nobody expects: records the frame and halts. */
void boot_fault_entry(void);

#endif
