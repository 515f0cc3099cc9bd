/* SPDX-License-Identifier: Apache-2.0 */
/* `--originator X,Y`, or `--originator X,Y=FILE`, which may be repeated: each
   of these nodes has a load of its own. */
#ifndef QEMU_COMMAND_ORIGINATORS_H
#define QEMU_COMMAND_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"
#include "qemu/job/request.h"

/*
 * Checks the options that were given with the mesh of a request, whose first
 * originator is at the last one's place, and sets its originators: of a single
 * one with a file, as if the file were the INPUT; of several *several, to be
 * freed with their loads. Result: 0, or EXIT_USAGE after a message.
 */
NODISCARD int originators_set(struct job_originator **several,
                              const struct option_places *given,
                              struct request *request);

#endif
