/* SPDX-License-Identifier: Apache-2.0 */
/* Option `--inject KIND@X,Y[@TIME]`, which injects a fault or a slowdown into a
   node. The option may be repeated. */
#ifndef QEMU_COMMAND_INJECT_H
#define QEMU_COMMAND_INJECT_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <stdbool.h>

/* Parsed values of --inject; all zero at first. */
struct inject_options {
    struct injection injection[INJECTION_MAX];
    const char *text[INJECTION_MAX]; /* values as given, for messages */
    uint32_t count;
};

/* Parses one value of --inject into a struct inject_options, as an option row's
   set(). `text` must outlive the options. Returns 0, or EXIT_USAGE after a
   message. */
NODISCARD int inject_options_add(void *field, const char *option,
                                 const char *text);

/* Checks all injections against the request's mesh and its slow_shift (nodes
   that are slow by plan). Returns 0, or EXIT_USAGE after a message. */
NODISCARD int inject_options_check(const struct inject_options *options,
                                   const struct request *request);

/* Whether an injection slows a node later than from the start. */
bool inject_options_any_later(const struct inject_options *options);

#endif
