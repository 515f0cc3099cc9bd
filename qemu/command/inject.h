/* SPDX-License-Identifier: Apache-2.0 */
/* `--inject KIND@X,Y[@TIME]`, which may be repeated. */
#ifndef QEMU_COMMAND_INJECT_H
#define QEMU_COMMAND_INJECT_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <stdbool.h>

/* What was given; all zero at first. */
struct inject_options {
    struct injection injection[INJECTION_MAX];
    const char *text[INJECTION_MAX]; /* the values, for messages */
    uint32_t count;
};

/* Parses one more value, which outlives the options, into a struct
   inject_options: an option row's set(). Result: 0, or EXIT_USAGE after a
   message.
 */
NODISCARD int inject_options_add(void *field, const char *option,
                                 const char *text);

/*
 * Checks them with the mesh of a request, whose slow_shift says which nodes are
 * slow by plan. Result: 0, or EXIT_USAGE after a message.
 */
NODISCARD int inject_options_check(const struct inject_options *options,
                                   const struct request *request);

/* Whether one of them makes a node slow later than from the start. */
bool inject_options_any_later(const struct inject_options *options);

#endif
