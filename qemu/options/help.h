/* SPDX-License-Identifier: Apache-2.0 */
/* The text of --help, of argp's making but for its lines. */
#ifndef QEMU_OPTIONS_HELP_H
#define QEMU_OPTIONS_HELP_H

#include <argp.h>

/* Prints a parser's help, in lines of at most 79 characters, on stdout. `name`
   is the command's. Ends the program without memory. */
void help_print(const struct argp *argp, const char *name);

#endif
