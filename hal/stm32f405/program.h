/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the program defines. The serial driver's interrupt handlers
 * call them; the functions of hal/stm32f405/serial.h do not. The ports'
 * interrupts never interrupt each other; the console's interrupt is less
 * urgent. Code outside interrupts that touches the same data masks interrupts
 * (interrupts_mask()). The functions may take long: the driver buffers 512
 * bytes of each line.
 */
#ifndef HAL_STM32F405_PROGRAM_H
#define HAL_STM32F405_PROGRAM_H

#include <stdint.h>

/* Takes bytes that came in at a port; `data` is valid until the return, `bytes`
   is 1 or more. A damaged byte (NF, FE) from a port is passed unchanged, since
   a frame has a CRC; from the console it is passed as 0. Result: number of
   bytes taken, 1 or more; a later call brings the others, after other ports'
   bytes. */
unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes);

/* Notes that bytes were lost before or after the bytes that the last
   serial_came() brought. */
void serial_lost(unsigned port);

/* Does what is due at a port, such as repeating a frame that was not answered.
   The port's late handler (interrupts.h) calls this function at each run, after
   serial_came() and before anything is sent. */
void serial_attend(unsigned port);

/* Sets *data to the next bytes to be sent. Result: their number; 0: none. If
   the line takes any of them, serial_taken() is the driver's next call. */
unsigned serial_pending(unsigned port, const uint8_t **data);

/* Frees the first `bytes` pending bytes: the driver has sent or copied them. */
void serial_taken(unsigned port, unsigned bytes);

#endif
