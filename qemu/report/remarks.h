/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks on a run: sentences on what is not as one would expect. A run in
   which all went as planned, and no circuit had to wait long, has none. */
#ifndef QEMU_REPORT_REMARKS_H
#define QEMU_REPORT_REMARKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>

/* An array of sentences, the caller's; qemu/report/README.md says what is worth
   one. Of boards that run in the host's time only how files were read, nodes
   without a part, repeats and stacks are. */
json_t *remarks_json(const struct outcome *outcome);

#endif
