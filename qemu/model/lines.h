/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The volumes of several rounds as affine functions of x, the volume that the
 * last phase of the last round carries: qemu/model/model.h,
 * model_plan_rounds().
 */
#ifndef QEMU_MODEL_LINES_H
#define QEMU_MODEL_LINES_H

#include "qemu/model/exact.h"

#define MODEL_LAYERS (MODEL_PHASES_MAX + 1)

/* An affine function of x, what the last phase of the last round carries. */
struct model_line {
    mpq_t slope;
    mpq_t offset;
};

/*
 * One number of phases, any number of rounds: the lines of a round depend on
 * how many rounds follow it, not on how many precede it.
 */
struct model_lines {
    const struct model_input *input;
    unsigned phases;
    mpq_t compute;
    mpq_t setup[MODEL_LAYERS]; /* g_j, units; entry 0: their sum G */
    mpq_t rate[MODEL_LAYERS];  /* rho_j */
    /* line[k][j]: v_{r,j} if k rounds follow r; entry 0: G + sum rho_j v_j,
       what the originator keeps between the ends of two rounds. */
    struct model_line line[MODEL_ROUNDS_MAX][MODEL_LAYERS];
    struct model_line own[MODEL_ROUNDS_MAX];  /* [R - 1]: T / c */
    struct model_line load[MODEL_ROUNDS_MAX]; /* [R - 1]: V */
    mpq_t x;                                  /* model_lines_try() */
    mpq_t term[2];                            /* scratch */
};

/* For any number of phases and rounds of the input, which must outlive it.
   model_lines_free(). */
struct model_lines *model_lines_new(const struct model_input *input);
void model_lines_free(struct model_lines *lines);

/* Lines for 1 to `rounds` rounds of `phases` phases, each at least 1. */
void model_lines_fill(struct model_lines *lines, unsigned phases,
                      unsigned rounds);

/* Sets x so that so many rounds carry the load; false if that is infeasible.
   At most as many rounds as the lines were filled for. */
bool model_lines_try(struct model_lines *lines, unsigned rounds);

/* The line's value at x. `to` is none of the lines' own numbers. */
void model_lines_value(const struct model_lines *lines, mpq_t to,
                       const struct model_line *line);

#endif
