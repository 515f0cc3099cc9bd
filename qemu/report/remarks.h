/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks are sentences on unexpected figures of a run. A run that went as
   planned, without long waits of circuits, has none. */
#ifndef QEMU_REPORT_REMARKS_H
#define QEMU_REPORT_REMARKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>

/* Returns an array of sentences, which the caller owns. qemu/report/README.md
   lists what gets a remark. Runs in the host's time get remarks only on how
   files were read, nodes without units, repeated frames and stacks. */
json_t *remarks_json(const struct outcome *outcome);

#endif
