/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the program defines and the serial driver calls, always from
 * an interrupt. Those of the ports never interrupt each other, the console's is
 * less urgent than theirs, and the driver calls none while it is itself being
 * called. Code outside interrupts that touches the same data calls
 * interrupts_mask() around it. The functions may take their time: 512 bytes
 * wait at each line.
 */
#ifndef HAL_STM32F405_PROGRAM_H
#define HAL_STM32F405_PROGRAM_H

#include <stdint.h>

/* Bytes have come in, one behind the other; at least one, until the return. One
   with noise (NF) or without its stop bit (FE) comes as it is from a port,
   where it is probably right and mended if not, and as 0 from the console.
   Result: how many were taken, at least one; the others come again, after what
   other ports have. */
unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes);

/* At least one byte was lost near those reported last. */
void serial_lost(unsigned port);

/* Something happened at the port, or it was kicked: behind serial_came(),
   before anything is sent. */
void serial_attend(unsigned port);

/* Names the next bytes to go out, contiguous. Result: their number; 0: none. If
   the line has room for any of them, serial_taken() follows at once, before
   anything else is called. */
unsigned serial_pending(unsigned port, const uint8_t **data);

/* Says that these bytes need their place no more. */
void serial_taken(unsigned port, unsigned bytes);

#endif
