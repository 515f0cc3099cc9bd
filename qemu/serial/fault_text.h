/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for faults that a discovery of the mesh has found. */
#ifndef QEMU_SERIAL_FAULT_TEXT_H
#define QEMU_SERIAL_FAULT_TEXT_H

#include "hal/discover/discover.h"

#define FAULT_TEXT_BYTES 96u

/* Writes a fault as text, without newline: "(3,1) east: leads to (0,2) west,
   not to (4,1) west". Returns the length. */
unsigned fault_text(char out[FAULT_TEXT_BYTES], struct torus_size size,
                    const struct discover_fault *fault);

#endif
