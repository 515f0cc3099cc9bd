/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx model`. */
#ifndef QEMU_COMMAND_MODEL_OPTIONS_H
#define QEMU_COMMAND_MODEL_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

enum model_platform {
    MODEL_STAR,
    MODEL_RESULTS,
    MODEL_FARM,
    MODEL_MASTERS,
    MODEL_PLATFORMS,
};

/* The options, by the number of their row. */
enum model_key {
    MODEL_LOAD,
    MODEL_MASTER,
    MODEL_INSTALLMENTS,
    MODEL_RATIO,
    MODEL_FACTOR,
    MODEL_STARTUP,
    MODEL_TRANSFER,
    MODEL_COMPUTE,
    MODEL_SCALE,
    MODEL_JSON,
    MODEL_KEYS,
};

/* --installments: a number of rounds, or one of these. */
#define MODEL_UMR 0
#define MODEL_PERIODIC (~0u)

struct model_options {
    enum model_platform platform;
    const char *path;        /* FILE; into argv, as the texts */
    quad number[MODEL_KEYS]; /* 0: not given, or a word */
    unsigned rounds;         /* of --installments */
    bool json;
    const char *text[MODEL_KEYS]; /* the values as given; NULL: not given */
};

/*
 * Parses the command line of model_command(). Result: 0, or EXIT_USAGE after a
 * message on stderr. Does not return from --help.
 */
NODISCARD int model_options_parse(struct model_options *options, int argc,
                                  char **argv);

#endif
