/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx model`: which there are, and which platform has
 * which. */
#ifndef QEMU_OPTIONS_MODEL_H
#define QEMU_OPTIONS_MODEL_H

#include "hal/nodiscard.h"

#include <gmp.h>
#include <stdbool.h>

enum model_platform {
    MODEL_STAR,
    MODEL_RESULTS,
    MODEL_FARM,
    MODEL_MASTERS,
    MODEL_PLATFORMS,
};

enum model_key {
    MODEL_LOAD = 0x100,
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
    const char *path; /* FILE; into argv, as the texts */
    const char *text[MODEL_KEYS - MODEL_LOAD]; /* NULL: not given */
    mpq_t number[MODEL_KEYS - MODEL_LOAD];     /* 0 if it is not given or is a
                                                  word */
    unsigned rounds;                           /* of --installments */
};

/*
 * Parses the command line of model_command(). Result: 0, or EXIT_USAGE after a
 * message on stderr; model_options_free() in any case. Does not return from
 * --help and from options that getopt refuses.
 */
NODISCARD int model_options_parse(struct model_options *options, int argc,
                                  char **argv);
void model_options_free(struct model_options *options);

/* Reads the number of an option; the text stays the options'. */
mpq_srcptr model_number(const struct model_options *options,
                        enum model_key key);

/* The text of an option; NULL if it was not given. */
const char *model_text(const struct model_options *options, enum model_key key);

#endif
