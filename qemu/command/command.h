/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `quincunx`. Each is in the file of its name, but `kernels`
   is in run.c and `flash-map` in flash_map.c. Results go to standard output,
   errors to standard error. Exit status: 0; 1 if the command failed; 2 if it
   was used wrongly; 130 if Ctrl-C interrupted it. */
#ifndef QEMU_COMMAND_COMMAND_H
#define QEMU_COMMAND_COMMAND_H

#include "qemu/base/option.h"

extern const struct option_command boards_command;
extern const struct option_command calibrate_command;
extern const struct option_command certificate_command;
extern const struct option_command compare_command;
extern const struct option_command console_command;
extern const struct option_command flash_command;
extern const struct option_command flash_map_command;
extern const struct option_command html_command;
extern const struct option_command identify_command;
extern const struct option_command kernels_command;
extern const struct option_command links_command;
extern const struct option_command mesh_command;
extern const struct option_command model_command;
extern const struct option_command nodes_command;
extern const struct option_command plan_command;
extern const struct option_command ps_command;
extern const struct option_command reset_command;
extern const struct option_command run_command;

#endif
