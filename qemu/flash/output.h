/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a program that flashes: its current step, the chip, its last
 * lines. */
#ifndef QEMU_FLASH_OUTPUT_H
#define QEMU_FLASH_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#define FLASH_OUTPUT_LINES 8u
#define FLASH_OUTPUT_LINE_BYTES 200u /* with the 0; what is longer is cut */

struct flash_output {
    char step[16]; /* the last that was named; empty: none */
    char chip[96]; /* empty: not told yet */
    char line[FLASH_OUTPUT_LINES][FLASH_OUTPUT_LINE_BYTES]; /* a ring */
    unsigned lines;                                         /* ever */
    char open[FLASH_OUTPUT_LINE_BYTES]; /* the line that is being said */
    size_t open_bytes;
};

/* Adds the next bytes of output, whatever their values: bytes that cannot be
   printed become '?'. */
void flash_output_add(struct flash_output *said, const char *text,
                      size_t bytes);

/* Ends the last line, if it had no newline. */
void flash_output_end(struct flash_output *said);

/* The last lines, each after four blanks. */
void flash_output_print(const struct flash_output *said, FILE *out);

#endif
