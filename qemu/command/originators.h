/* SPDX-License-Identifier: Apache-2.0 */
/* Options `--originator X,Y` and `--originator X,Y=FILE`, which may be
   repeated. Each node named with a FILE has a load of its own. */
#ifndef QEMU_COMMAND_ORIGINATORS_H
#define QEMU_COMMAND_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"
#include "qemu/job/request.h"

/* Checks --originator against the request's mesh, and sets the request's
   originators. A single FILE is the job's INPUT. Several originators are
   allocated in *several; the caller frees them and their loads. Returns 0, or
   EXIT_USAGE after a message. */
NODISCARD int originators_set(struct job_originator **several,
                              const struct option_places *given,
                              struct request *request);

/* Returns the nodes that should be the originator, in order: *count of them, 1
   or more; `at` if none is given. The caller frees them. */
struct torus_coord *originators_preferred(const struct option_places *given,
                                          struct torus_coord at,
                                          uint32_t *count);

#endif
