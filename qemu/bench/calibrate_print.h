/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a calibration, for people and as JSON, and saves it as a profile. */
#ifndef QEMU_BENCH_CALIBRATE_PRINT_H
#define QEMU_BENCH_CALIBRATE_PRINT_H

#include "hal/nodiscard.h"
#include "qemu/bench/calibrate.h"

#include <stdio.h>

void calibrate_print(FILE *out, const struct calibration *calibration,
                     const struct request *request);

/* Prints a calibration as JSON. If writing fails, the stream's error flag is
   set. */
void calibrate_print_json(FILE *out, const struct calibration *calibration,
                          const struct request *request);

/* Checks that the fitted times can be. Returns 0, or EXIT_FAILED after a
   message that names one that cannot. */
NODISCARD int calibrate_check(const struct calibration *calibration);

/* Writes the fitted times as a profile, in whole ps. Returns 0, or 1 after a
   message. */
NODISCARD int calibrate_save(const struct calibration *calibration,
                             const struct request *request, const char *path);

#endif
