/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of tables and functions that are used so often that a board's
 * build may treat them apart. Images are compiled for size.
 *
 *   HAL_HOT   a constant table that is read for every byte of a line: where
 *             flash is slow the build puts it into RAM (a Cortex-M4 at 168 MHz
 *             waits 5 cycles for a line of 16 bytes that its data cache of 8
 *             lines has not)
 *   HAL_FAST  a function that every message, or every planned layer, passes: on
 *             the mps2 boards it is compiled at -O2
 */
#ifndef HAL_HOT_H
#define HAL_HOT_H

#ifndef HAL_HOT
#define HAL_HOT
#endif

#ifndef HAL_FAST
#define HAL_FAST
#endif

#endif
