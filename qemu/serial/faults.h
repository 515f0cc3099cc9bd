/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that discovery found in a mesh of boards, in words. */
#ifndef QEMU_SERIAL_FAULTS_H
#define QEMU_SERIAL_FAULTS_H

#include "qemu/serial/client.h"
#include "qemu/serial/fault_text.h"
#include "torus/torus.h"

#include <stdio.h>

/* A row of the console's reply to `mesh`. False: it is none. */
bool console_faults_read(struct discover_fault *fault, char *row);

/* A line for each row of the console's reply to `mesh`, of a mesh that should
   have this size; a row that is none comes out as it is. */
void console_faults_print(FILE *out, const struct console_reply *reply,
                          struct torus_size size);

#endif
