/* SPDX-License-Identifier: Apache-2.0 */
/* `--originator X,Y`, or `--originator X,Y=FILE`, which may be repeated: each
   of these nodes has a load of its own. */
#ifndef QEMU_COMMAND_ORIGINATORS_H
#define QEMU_COMMAND_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <stdbool.h>

/* What was given; all zero at first. */
struct originators_options {
    bool allowed;                 /* the command takes loads with it */
    const char *plain;            /* the last value without a file, or NULL */
    struct job_originator *given; /* those with one; freed as `text` is */
    const char **text;            /* their values, for messages */
    uint32_t count;
};

/* Parses one more value, which outlives the options; one without a file sets
 *originator. Result: 0, or EXIT_USAGE after a message. */
NODISCARD int originators_options_add(struct originators_options *options,
                                      struct torus_coord *originator,
                                      const char *text);

/*
 * Checks them with the mesh of a request, and sets its originators: of a single
 * one with a file, as if the file were the INPUT. Result: 0, or EXIT_USAGE
 * after a message.
 */
NODISCARD int originators_options_check(struct originators_options *options,
                                        struct request *request);

/* Frees what was given, and the loads. */
void originators_options_free(struct originators_options *options);

#endif
