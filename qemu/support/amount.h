/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_SUPPORT_AMOUNT_H
#define QEMU_SUPPORT_AMOUNT_H

#include <stdint.h>
#include <stdio.h>

/* Bytes for people, with three digits and a unit of thousands: "237 kB". */
void amount_bytes(FILE *out, double bytes);

/* So many things, by the word for one of them: "1 board", "25 boards". */
void amount_things(FILE *out, uint64_t count, const char *thing);

#endif
