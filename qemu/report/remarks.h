/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks are sentences on unexpected figures of a run. A run that went as
   planned, and whose circuits did not wait long, has none. */
#ifndef QEMU_REPORT_REMARKS_H
#define QEMU_REPORT_REMARKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>

/* Returns an array of sentences, which the caller releases.
   qemu/report/README.md lists what gets a remark. If boards run in real time,
   remarks are only about files, nodes without units, frames sent again, and
   stacks. */
json_t *remarks_json(const struct outcome *outcome);

#endif
