/* SPDX-License-Identifier: Apache-2.0 */
/* Option `--inject KIND@X,Y[@TIME]`: a fault or a slowdown of a node, or a link
   that is cut. The option may be repeated. */
#ifndef QEMU_COMMAND_INJECT_H
#define QEMU_COMMAND_INJECT_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <stdbool.h>

/* Values of all options --inject. Zeros at first. */
struct inject_options {
    struct injection injection[INJECTION_MAX];
    const char *text[INJECTION_MAX]; /* values as given, for messages */
    uint32_t count;
};

/* Parses and adds a value of --inject. `field` is a struct inject_options.
   `text` must outlive it. Returns 0, or EXIT_USAGE after a message. */
NODISCARD int inject_options_add(void *field, const char *option,
                                 const char *text);

/* Checks that the request's mesh has the nodes of all injections, that each
   node and link is named once and not by --slow, too, and that a node lives on.
   Returns 0, or EXIT_USAGE after a message. */
NODISCARD int inject_options_check(const struct inject_options *options,
                                   const struct request *request);

/* Returns the nodes and links that are dead before the job, or NULL if there is
   none. The caller frees them by schedule_holes_free(). */
struct schedule_holes *
inject_options_holes(const struct inject_options *options,
                     struct torus_size size);

/* Returns whether an injection makes a node slow at a TIME and not from its
   start. */
bool inject_options_any_later(const struct inject_options *options);

#endif
