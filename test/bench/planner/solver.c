/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/planner/solver.h"

#include "test/unit/ignore.h"

#include <glpk.h>
#include <time.h>

#define BATCHES 5u
#define ENTRIES_MAX (8 * (PLANNER_PHASES_MAX + 1) * (PLANNER_PHASES_MAX + 1))

/* Rows of the programme as GLPK takes them, entry by entry from 1 on. */
struct rows {
    int row[ENTRIES_MAX];
    int column[ENTRIES_MAX];
    double value[ENTRIES_MAX];
    int entries;
};

static void add(struct rows *rows, unsigned row, unsigned column, double value)
{
    rows->entries += 1;
    rows->row[rows->entries] = (int)row;
    rows->column[rows->entries] = (int)column;
    rows->value[rows->entries] = value;
}

/* Columns: a_i is i + 1, v_i is phases + 2 + i. */
static void fill(glp_prob *problem, const struct planner_input *input,
                 unsigned phases)
{
    double compute = (double)input->compute_ps;
    double rho = (double)input->transfer_ps / compute;
    struct rows rows = {.entries = 0};
    unsigned volumes = phases + 2;
    unsigned row = 0;

    glp_add_cols(problem, (int)(2 * (phases + 1)));
    glp_add_rows(problem, (int)(2 * phases + 2));
    for (unsigned i = 1; i <= 2 * (phases + 1); ++i) {
        glp_set_col_bnds(problem, (int)i, GLP_LO, 0, 0);
    }
    glp_set_obj_dir(problem, GLP_MIN);
    glp_set_obj_coef(problem, 1, 1);
    for (unsigned i = 0; i <= phases; ++i) {
        /* v_i = a_i + 4 sum v_j (j > i) */
        row += 1;
        add(&rows, row, volumes + i, 1);
        add(&rows, row, i + 1, -1);
        for (unsigned j = i + 1; j <= phases; ++j) {
            add(&rows, row, volumes + j, -4);
        }
        glp_set_row_bnds(problem, (int)row, GLP_FX, 0, 0);
    }
    for (unsigned i = 1; i <= phases; ++i) {
        /* a_{i-1} = g_i + rho v_i + a_i */
        double setup = (double)input->startup_ps[i - 1] / compute;

        row += 1;
        add(&rows, row, i, 1);
        add(&rows, row, i + 1, -1);
        add(&rows, row, volumes + i, -rho);
        glp_set_row_bnds(problem, (int)row, GLP_FX, setup, setup);
    }
    row += 1;
    add(&rows, row, volumes, 1);
    glp_set_row_bnds(problem, (int)row, GLP_FX, input->load_units,
                     input->load_units);
    glp_load_matrix(problem, rows.entries, rows.row, rows.column, rows.value);
}

int solver_plan(double share_units[], const struct planner_input *input,
                unsigned phases)
{
    glp_prob *problem;
    glp_smcp control;
    int error;

    glp_term_out(GLP_OFF);
    problem = glp_create_prob();
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    fill(problem, input, phases);
    glp_scale_prob(problem, GLP_SF_AUTO);
    error = glp_simplex(problem, &control);
    if (error == 0 && glp_get_status(problem) != GLP_OPT) {
        error = -1;
    }
    for (unsigned i = 0; i <= phases; ++i) {
        share_units[i] = glp_get_col_prim(problem, (int)i + 1);
    }
    glp_delete_prob(problem);
    return error == 0 ? 0 : -1;
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double time_ns(const struct planner_input *input, unsigned runs, bool solver)
{
    double share_units[PLANNER_PHASES_MAX + 1];
    struct planner_plan plan;
    double least = 1e18;

    for (unsigned batch = 0; batch < BATCHES; ++batch) {
        double start = now_ns();

        for (unsigned run = 0; run < runs; ++run) {
            ignore(solver ? solver_plan(share_units, input, input->phases_max)
                          : planner_plan(&plan, input));
        }
        start = (now_ns() - start) / runs;
        least = start < least ? start : least;
    }
    return least;
}
