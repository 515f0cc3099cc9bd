/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the program defines; the serial driver's interrupt handlers
   call them. The ports' interrupts never interrupt each other. Other code masks
   interrupts (interrupts_mask()) to touch the same data. The driver buffers 512
   bytes of each line. */
#ifndef HAL_STM32F405_PROGRAM_H
#define HAL_STM32F405_PROGRAM_H

#include <stdint.h>

/* Takes bytes that came in at a port; `data` is valid until the return. A
   damaged byte comes unchanged from a port, and as 0 from the console. Result:
   number of bytes taken, 1 or more; a later call brings the others. */
unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes);

/* Notes that bytes were lost near those of the last serial_came(). */
void serial_lost(unsigned port);

/* Does what is due at a port. Called by each run of its late handler. */
void serial_attend(unsigned port);

/* Sets *data to the next bytes to be sent. Result: their number; 0: none. If
   the line takes any of them, serial_taken() is the driver's next call. */
unsigned serial_pending(unsigned port, const uint8_t **data);

/* Frees the first `bytes` pending bytes: the driver has sent or copied them. */
void serial_taken(unsigned port, unsigned bytes);

#endif
