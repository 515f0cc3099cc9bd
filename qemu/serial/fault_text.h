/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for the faults of a mesh. */
#ifndef QEMU_SERIAL_FAULT_TEXT_H
#define QEMU_SERIAL_FAULT_TEXT_H

#include "hal/discover/discover.h"

#define FAULT_TEXT_BYTES 96u

/* Writes a fault as a line without newline, such as "(3,1) east: leads to (0,2)
   west, not to (4,1) west". Returns the length. */
unsigned fault_text(char out[FAULT_TEXT_BYTES], struct torus_size size,
                    const struct discover_fault *fault);

#endif
