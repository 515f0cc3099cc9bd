/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of an STM32F405 board that survive a reset, in memory that nothing
 * initialises: the fault that ended the program before. It is gone when the
 * power goes.
 */
#ifndef BOOT_STM32F405_END_H
#define BOOT_STM32F405_END_H

#include "hal/node.h"

/* The fault before this start; NULL: none. Stays until it is forgotten. */
const struct node_fault *boot_last_fault(void);

/* Faults since the power came on or since they were forgotten. */
uint32_t boot_faults(void);

void boot_forget_faults(void);

#endif
