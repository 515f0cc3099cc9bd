/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a calibration, for people and as JSON, and saves it as a profile. */
#ifndef QEMU_BENCH_CALIBRATE_PRINT_H
#define QEMU_BENCH_CALIBRATE_PRINT_H

#include "hal/nodiscard.h"
#include "qemu/bench/calibrate.h"

#include <stdio.h>

void calibrate_print(FILE *out, const struct calibration *calibration,
                     const struct request *request);

/* A write that fails leaves its mark on the stream. */
void calibrate_print_json(FILE *out, const struct calibration *calibration,
                          const struct request *request);

/* Whether the costs are such as circuits have. Result: 0; or EXIT_FAILED after
   a message that names the one that is not: then they are no profile. */
NODISCARD int calibrate_check(const struct calibration *calibration);

/* Writes the measured values, in whole picoseconds, as a profile. Result: 0, or
 * 1 with the reason said. */
NODISCARD int calibrate_save(const struct calibration *calibration,
                             const struct request *request, const char *path);

#endif
