/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of runs as JSON. */
#ifndef QEMU_REPORT_JSON_H
#define QEMU_REPORT_JSON_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

#include <jansson.h>

/* The current value of a report's `report_format`. */
#define REPORT_FORMAT_NUMBER 1

/* Returns the JSON report of `quincunx run`. The caller owns the reference. The
   program ends if there is no memory. */
json_t *report_json(const struct outcome *outcome);

/* Returns the report's `mesh`, which live pages have as well. `on` is the kind
   of mesh, e.g. "boards". The caller owns the reference. */
json_t *report_mesh_json(struct torus_size size, struct torus_coord originator,
                         const char *on);

/* Writes the object to a file. Returns 0, or -1 after `quincunx: <path>:
   <reason>` on stderr. */
NODISCARD int report_write(const json_t *report, const char *path);

/* Prints the object to stdout. The caller checks the stream for errors. */
void report_print(const json_t *report);

#endif
