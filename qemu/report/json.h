/* SPDX-License-Identifier: Apache-2.0 */
/* JSON reports of runs. */
#ifndef QEMU_REPORT_JSON_H
#define QEMU_REPORT_JSON_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

#include <jansson.h>

/* Value of `report_format` in reports of this version. */
#define REPORT_FORMAT_NUMBER 1

/* Returns the JSON report of `quincunx run`, which the caller releases. The
   program ends if there is no memory. */
json_t *report_json(const struct outcome *outcome);

/* Returns the member `mesh` of a report, which live pages have, too. `on` is
   the kind of mesh: "boards". The caller releases it. */
json_t *report_mesh_json(struct torus_size size, struct torus_coord originator,
                         const char *on);

/* Writes a report to a file. Returns 0, or -1 after `quincunx: <path>:
   <reason>` on stderr. */
NODISCARD int report_write(const json_t *report, const char *path);

/* Prints a report on stdout. The caller checks the stream for errors. */
void report_print(const json_t *report);

#endif
