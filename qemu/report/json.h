/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run as JSON. */
#ifndef QEMU_REPORT_JSON_H
#define QEMU_REPORT_JSON_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

#include <jansson.h>

/* `report_format` of reports as they are now. */
#define REPORT_FORMAT_NUMBER 1

/* The JSON object of `quincunx run`. The caller owns the reference. Ends the
   program without memory. */
json_t *report_json(const struct outcome *outcome);

/* `mesh` in it, which pages have as well; `on`: the kind of mesh. The caller
   owns the reference. */
json_t *report_mesh_json(struct torus_size size, struct torus_coord originator,
                         const char *on);

/* Writes the object to a file. Result: 0, or -1 after
   `quincunx: <path>: <reason>` on stderr. */
NODISCARD int report_write(const json_t *report, const char *path);

/* Writes the object, and nothing else, to stdout; the caller looks at the
   stream for errors. */
void report_print(const json_t *report);

#endif
