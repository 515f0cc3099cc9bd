/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_OPTIONS_PROGRESS_H
#define QEMU_OPTIONS_PROGRESS_H

#include <argp.h>

/* --progress and --quiet, as a child of a subcommand's options; it has no
   input. Once all options are read, progress is shown as they say. */
extern const struct argp progress_options_argp;

#endif
