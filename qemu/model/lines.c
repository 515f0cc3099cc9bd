/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/lines.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

static void line_each(struct model_line *line, void number_do(mpq_ptr))
{
    number_do(line->slope);
    number_do(line->offset);
}

/* Applies mpq_init() or mpq_clear() to every number of the lines. */
static void lines_each(struct model_lines *lines, void number_do(mpq_ptr))
{
    for (unsigned j = 0; j < MODEL_LAYERS; ++j) {
        number_do(lines->setup[j]);
        number_do(lines->rate[j]);
        for (unsigned k = 0; k < MODEL_ROUNDS_MAX; ++k) {
            line_each(&lines->line[k][j], number_do);
        }
    }
    for (unsigned k = 0; k < MODEL_ROUNDS_MAX; ++k) {
        line_each(&lines->own[k], number_do);
        line_each(&lines->load[k], number_do);
    }
    number_do(lines->compute);
    number_do(lines->x);
    number_do(lines->term[0]);
    number_do(lines->term[1]);
}

struct model_lines *model_lines_new(const struct model_input *input)
{
    struct model_lines *lines = memory_or_exit(malloc(sizeof *lines));

    lines_each(lines, mpq_init);
    lines->input = input;
    model_exact_set(lines->compute, input->compute_ps);
    return lines;
}

void model_lines_free(struct model_lines *lines)
{
    lines_each(lines, mpq_clear);
    free(lines);
}

static void line_set(struct model_line *to, const struct model_line *from)
{
    mpq_set(to->slope, from->slope);
    mpq_set(to->offset, from->offset);
}

/* to += factor * from */
static void line_add(struct model_lines *lines, struct model_line *to,
                     const mpq_t factor, const struct model_line *from)
{
    mpq_mul(lines->term[0], factor, from->slope);
    mpq_add(to->slope, to->slope, lines->term[0]);
    mpq_mul(lines->term[0], factor, from->offset);
    mpq_add(to->offset, to->offset, lines->term[0]);
}

/* The line's value at lines->x. */
void model_lines_value(const struct model_lines *lines, mpq_t to,
                       const struct model_line *line)
{
    mpq_mul(to, line->slope, lines->x);
    mpq_add(to, to, line->offset);
}

/* v_{r,j-1} from v_{r,j} and v_{r+1,j}, if k rounds follow r. */
static void fill_phase(struct model_lines *lines, unsigned k, unsigned j)
{
    struct model_line *to = &lines->line[k][j - 1];

    mpq_set_ui(lines->term[1], 5, 1);
    mpq_add(lines->term[1], lines->term[1], lines->rate[j]);
    mpq_set_ui(to->slope, 0, 1);
    mpq_set_ui(to->offset, 0, 1);
    line_add(lines, to, lines->term[1], &lines->line[k][j]);
    if (k == 0) {
        mpq_add(to->offset, to->offset, lines->setup[j]);
    } else {
        mpq_neg(lines->term[1], lines->rate[j]);
        line_add(lines, to, lines->term[1], &lines->line[k - 1][j]);
    }
}

/* The sums up to the round that k rounds follow. */
static void fill_sums(struct model_lines *lines, unsigned k)
{
    struct model_line *own = &lines->own[k];
    struct model_line *load = &lines->load[k];
    mpq_t *factor = &lines->term[1];

    if (k == 0) {
        mpq_set_ui(own->slope, 1, 1);
        mpq_set_ui(own->offset, 0, 1);
        line_set(load, own);
    } else {
        line_set(own, &lines->own[k - 1]);
        line_set(load, &lines->load[k - 1]);
    }
    mpq_set_ui(*factor, 1, 1);
    line_add(lines, own, *factor, &lines->line[k][0]);
    line_add(lines, load, *factor, &lines->line[k][0]);
    mpq_set_ui(*factor, 4, 1);
    for (unsigned j = 1; j <= lines->phases; ++j) {
        line_add(lines, load, *factor, &lines->line[k][j]);
    }
}

static void fill_round(struct model_lines *lines, unsigned k)
{
    unsigned phases = lines->phases;
    struct model_line *keep = &lines->line[k][0];

    if (k == 0) {
        mpq_set_ui(lines->line[0][phases].slope, 1, 1);
        mpq_set_ui(lines->line[0][phases].offset, 0, 1);
    } else {
        line_set(&lines->line[k][phases], &lines->line[k - 1][0]);
    }
    for (unsigned j = phases; j >= 2; --j) {
        fill_phase(lines, k, j);
    }
    mpq_set_ui(keep->slope, 0, 1);
    mpq_set(keep->offset, lines->setup[0]);
    for (unsigned j = 1; j <= phases; ++j) {
        line_add(lines, keep, lines->rate[j], &lines->line[k][j]);
    }
    fill_sums(lines, k);
}

/* Lines for 1 to `rounds` rounds of 1 or more phases. */
void model_lines_fill(struct model_lines *lines, unsigned phases,
                      unsigned rounds)
{
    lines->phases = phases;
    mpq_set_ui(lines->setup[0], 0, 1);
    for (unsigned j = 1; j <= phases; ++j) {
        model_exact_costs(lines->setup[j], lines->rate[j], lines->input, j,
                          false);
        mpq_div(lines->setup[j], lines->setup[j], lines->compute);
        mpq_div(lines->rate[j], lines->rate[j], lines->compute);
        mpq_add(lines->setup[0], lines->setup[0], lines->setup[j]);
    }
    for (unsigned k = 0; k < rounds; ++k) {
        fill_round(lines, k);
    }
}

/*
 * Whether no circuit carries less than nothing in one round. Then nobody keeps
 * less than nothing either: what it keeps lasts as long as the phases until its
 * next receipt.
 */
static bool round_feasible(struct model_lines *lines, unsigned k)
{
    for (unsigned j = lines->phases; j >= 1; --j) {
        model_lines_value(lines, lines->term[0], &lines->line[k][j]);
        if (mpq_sgn(lines->term[0]) < 0) {
            return false;
        }
    }
    return true;
}

/* Sets x for this number of rounds. */
bool model_lines_try(struct model_lines *lines, unsigned rounds)
{
    const struct model_line *load = &lines->load[rounds - 1];

    model_exact_set(lines->x, lines->input->load_units);
    mpq_sub(lines->x, lines->x, load->offset);
    mpq_div(lines->x, lines->x, load->slope);
    if (mpq_sgn(lines->x) < 0) {
        return false;
    }
    for (unsigned k = 0; k < rounds; ++k) {
        if (!round_feasible(lines, k)) {
            return false;
        }
    }
    return true;
}
