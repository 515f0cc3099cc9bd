/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of tables and functions that are used so often that a board's
 * build may place or compile them differently. The rest of an image is compiled
 * for size.
 *
 *   HAL_HOT   a constant table that is read for every byte on a serial line.
 *             The build for a chip with slow flash puts such tables into RAM
 *   HAL_FAST  a function that runs for every message or every planned layer.
 *             The build for mps2 boards compiles it at -O2
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
