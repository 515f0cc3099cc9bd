/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_SUPPORT_AMOUNT_H
#define QEMU_SUPPORT_AMOUNT_H

#include <stdio.h>

/* Bytes for people, with three digits and a unit of thousands: "237 kB". */
void amount_bytes(FILE *out, double bytes);

#endif
