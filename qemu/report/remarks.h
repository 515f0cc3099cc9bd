/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run is not as one would expect, in words. A run in which all went
   as planned, and no circuit had to wait long, has no remarks. */
#ifndef QEMU_REPORT_REMARKS_H
#define QEMU_REPORT_REMARKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>

/* What is worth a remark:
   - how files were read that could have been taken for something else;
   - one board alone would have been as fast, or some nodes got nothing;
   - the makespan is more than 5 % off the plan;
   - a node took more than 1.5 times as long for a unit as the middle node;
   - the first and the last node ended more than 5 % of the makespan apart;
   - a node had nothing to compute for more than 10 % of it, between its parts;
   - parts waited for links, one of them for more than 2 % of the answer's time;
   - set-ups or frames were repeated;
   - a stack was used to more than 90 %.
   Of boards that run in the host's time only the first, the last two and the
   parts.
   Result: an array of these sentences, the caller's. */
json_t *remarks_json(const struct outcome *outcome);

#endif
