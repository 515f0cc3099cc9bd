/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a board with serial lines: joins the drivers of its lines
   (hal/serial/driver.h) to its node. boot_board() of each board starts the
   devices and calls these functions. */
#ifndef BOOT_SERIAL_PROGRAM_H
#define BOOT_SERIAL_PROGRAM_H

#include "boot/serial/node.h"

/* Returns the CRC-32 of the image's bytes after boot_identity. */
uint32_t program_image_crc(void);

/* Initializes the node, which lies anywhere. Fills in the configuration's
   identity, salt and byte_ns; the board fills in the others. Preconditions: the
   timer and the lines have been started; serial_mask() is in force. */
void program_init(struct serial_node *node, struct serial_node_config *config);

/* Does the work of every millisecond. Called by the timer's interrupt. */
void program_tick(void);

/* Called at the time given to board_alarm(), in an interrupt of the ports'
   priority; never on a board that ignores board_alarm(). */
void program_alarm(void);

#endif
