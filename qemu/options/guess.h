/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of a subcommand's options, with a guess at what a mistyped one was
   meant to be. */
#ifndef QEMU_OPTIONS_GUESS_H
#define QEMU_OPTIONS_GUESS_H

#include <argp.h>

/* As argp_parse(), with its flags 0 or ARGP_IN_ORDER; but a long option that
   there is not, and that is near to one, is refused with that one's name. */
error_t guess_parse(const struct argp *argp, unsigned flags, int argc,
                    char **argv, void *input);

#endif
