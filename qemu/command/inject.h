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

/* Parses one value of --inject. `field` is a struct inject_options. `text` must
   outlive the options. Returns 0, or EXIT_USAGE after a message. */
NODISCARD int inject_options_add(void *field, const char *option,
                                 const char *text);

/* Checks that all injections suit the request's mesh and the nodes of --slow.
   Returns 0, or EXIT_USAGE after a message. */
NODISCARD int inject_options_check(const struct inject_options *options,
                                   const struct request *request);

/* Whether an injection slows a node only from a TIME on. */
bool inject_options_any_later(const struct inject_options *options);

#endif
