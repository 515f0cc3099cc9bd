/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/lines.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

/* The best that was found so far. */
struct choice {
    unsigned phases;
    unsigned rounds; /* 0: nothing yet */
    mpq_t own;
};

/* Ties go to fewer rounds, then to more phases. */
static void choose(struct choice *choice, const mpq_t own, unsigned phases,
                   unsigned rounds)
{
    int order = choice->rounds == 0 ? -1 : mpq_cmp(own, choice->own);

    if (order < 0 || (order == 0 &&
                      (rounds < choice->rounds || (rounds == choice->rounds &&
                                                   phases > choice->phases)))) {
        choice->phases = phases;
        choice->rounds = rounds;
        mpq_set(choice->own, own);
    }
}

/* Tries first .. last rounds of one number of phases; returns the largest
   feasible number of rounds, 0 if none. */
static unsigned search_rounds(struct model_lines *lines, struct choice *choice,
                              unsigned phases, const unsigned range[2])
{
    unsigned largest = 0;

    if (phases == 0) {
        model_exact_set(lines->x, lines->input->load_units);
        if (range[0] == 1) {
            choose(choice, lines->x, 0, 1);
        }
        return range[0] == 1;
    }
    model_lines_fill(lines, phases, range[1]);
    for (unsigned rounds = range[0]; rounds <= range[1]; ++rounds) {
        if (model_lines_try(lines, rounds)) {
            model_lines_value(lines, lines->term[0], &lines->own[rounds - 1]);
            choose(choice, lines->term[0], phases, rounds);
            largest = rounds;
        }
    }
    return largest;
}

/* All numbers of phases that are allowed; the largest feasible of rounds. */
static unsigned search(struct model_lines *lines, struct choice *choice,
                       const unsigned range[2])
{
    const struct model_input *input = lines->input;
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    unsigned largest = 0;

    for (unsigned phases = first; phases <= last && phases <= input->phases_max;
         ++phases) {
        unsigned rounds = search_rounds(lines, choice, phases, range);

        largest = rounds > largest ? rounds : largest;
    }
    return largest;
}

/* The largest number of phases that is feasible with so many rounds. */
static unsigned largest_phases(struct model_lines *lines, unsigned rounds)
{
    for (unsigned phases = lines->input->phases_max; phases > 0; --phases) {
        model_lines_fill(lines, phases, rounds);
        if (model_lines_try(lines, rounds)) {
            return phases;
        }
    }
    return 0;
}

/* Volume, share and end of layer j = N .. 1 in one round; `end` is of the
   round before, and moves on. */
static void set_round(struct model_part part[], struct model_lines *lines,
                      mpq_t end, unsigned k)
{
    mpq_t volume;
    mpq_t below;
    mpq_t time;

    mpq_inits(volume, below, time, NULL);
    for (unsigned j = lines->phases; j >= 1; --j) {
        model_lines_value(lines, volume, &lines->line[k][j]);
        part[j].nodes = model_layer_nodes(j);
        part[j].volume_units = model_exact_double(volume);
        part[j].volume_floor = model_exact_floor(volume);
        mpq_sub(time, volume, below);
        part[j].share_units = model_exact_double(time);
        part[j].share_floor = model_exact_floor(time);
        mpq_mul_2exp(volume, volume, 2);
        mpq_add(below, below, volume);
    }
    for (unsigned j = 1; j <= lines->phases; ++j) {
        model_lines_value(lines, volume, &lines->line[k][j]);
        mpq_mul(time, volume, lines->rate[j]);
        mpq_add(time, time, lines->setup[j]);
        mpq_mul(time, time, lines->compute);
        mpq_add(end, end, time);
        part[j].end_ps = model_exact_round(end);
    }
    part[0].nodes = 1;
    part[0].volume_units = model_exact_double(below);
    part[0].volume_floor = model_exact_floor(below);
    mpq_clears(volume, below, time, NULL);
}

/* One round: the plan has all there is to say. */
static int single_round(struct model_plan *plan,
                        const struct model_input *input,
                        const struct choice *choice)
{
    struct model_input single = *input;

    single.phases_fixed = 1;
    single.phases_want = (uint8_t)choice->phases;
    return model_plan(plan, &single);
}

/* Several rounds, of the choice. */
static int several_rounds(struct model_plan *plan, struct model_detail *detail,
                          struct model_lines *lines,
                          const struct choice *choice)
{
    unsigned layers = choice->phases + 1;
    mpq_t end;
    int error;

    detail->order = MODEL_BY_ROUND;
    detail->count = choice->rounds * layers;
    detail->part = memory_or_exit(calloc(detail->count, sizeof *detail->part));
    mpq_init(end);
    model_lines_fill(lines, choice->phases, choice->rounds);
    model_lines_try(lines, choice->rounds);
    for (unsigned r = 0; r < choice->rounds; ++r) {
        set_round(&detail->part[r * layers], lines, end,
                  choice->rounds - 1 - r);
    }
    plan->phases = (uint8_t)choice->phases;
    plan->rounds = (uint8_t)choice->rounds;
    detail->part[0].share_units = model_exact_double(choice->own);
    detail->part[0].share_floor = model_exact_floor(choice->own);
    model_exact_add_parts(plan, detail->part);
    model_exact_set(end, lines->input->load_units);
    plan->volume_units[0] = model_exact_double(end);
    mpq_mul(end, choice->own, lines->compute);
    error = model_exact_makespan(plan, end, lines->input->load_units,
                                 lines->input->compute_ps);
    mpq_clear(end);
    return error;
}

static int find_plan(struct model_plan *plan, struct model_detail *detail,
                     struct model_lines *lines, struct choice *choice,
                     unsigned rounds)
{
    const unsigned every[2] = {1, MODEL_ROUNDS_MAX};
    const unsigned wanted[2] = {rounds == 0 ? 1 : rounds,
                                rounds == 0 ? MODEL_ROUNDS_AUTO_MAX : rounds};
    int error;

    search(lines, choice, wanted);
    if (choice->rounds == 0) {
        plan->rounds_feasible = (uint8_t)search(lines, choice, every);
        plan->phases_feasible = (uint8_t)largest_phases(lines, 1);
        return ERR_PHASES;
    }
    if (choice->rounds == 1) {
        return single_round(plan, lines->input, choice);
    }
    plan->phases_feasible = (uint8_t)largest_phases(lines, choice->rounds);
    error = several_rounds(plan, detail, lines, choice);
    if (error != ERR_OK) {
        model_detail_free(detail);
    }
    return error;
}

int model_plan_rounds(struct model_plan *plan, struct model_detail *detail,
                      const struct model_input *input, unsigned rounds)
{
    struct choice choice = {.rounds = 0};
    struct model_lines *lines;
    int error = model_exact_check(plan, input);

    *detail = (struct model_detail){.part = NULL};
    if (error != ERR_OK) {
        return error;
    }
    lines = model_lines_new(input);
    mpq_init(choice.own);
    error = find_plan(plan, detail, lines, &choice, rounds);
    mpq_clear(choice.own);
    model_lines_free(lines);
    return error;
}
