/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HAL_HOT marks a constant table that is read for every byte of a line. Where
 * flash is slow its board's build puts it into RAM: a Cortex-M4 at 168 MHz
 * waits 5 cycles for a line of 16 bytes that its data cache of 8 lines has not.
 */
#ifndef HAL_HOT_H
#define HAL_HOT_H

#ifndef HAL_HOT
#define HAL_HOT
#endif

#endif
