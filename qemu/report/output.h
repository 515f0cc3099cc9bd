/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the output, or of the outputs of several loads. */
#ifndef QEMU_REPORT_OUTPUT_H
#define QEMU_REPORT_OUTPUT_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"
#include "qemu/job/outcome.h"

/* The output of one load. */
struct output_part {
    const struct format_load *load;
    const struct kernel_result *result;
};

/*
 * Writes the outputs, each as a file of that format, one behind the other.
 * `count` is 1 or more. Result: 0, or 1 after a message on stderr.
 */
NODISCARD int output_write(const char *path, const struct format *format,
                           const struct output_part part[], uint32_t count);

#endif
