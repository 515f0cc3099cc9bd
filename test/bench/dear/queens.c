/* SPDX-License-Identifier: Apache-2.0 */
/* A search tree by subproblems: queens on SIDE x SIDE, of which unit n has
   those of the first three rows in the columns that its digits to the base SIDE
   say; most have no solution and end at once. Argument as of mandelbrot.c.
   Result: u64, the solutions. */
#include "kernels/kernel.h"

#define SIDE 10u
#define ALL ((1u << SIDE) - 1u)
#define ROWS_GIVEN 3u

/* Boards below row `row`, whose columns and diagonals are taken. */
struct board {
    uint32_t columns[SIDE + 1];
    uint32_t left[SIDE + 1];
    uint32_t right[SIDE + 1];
    uint32_t tried[SIDE + 1];
};

static bool put(struct board *board, uint32_t row, uint32_t queen)
{
    if (((board->columns[row] | board->left[row] | board->right[row]) &
         queen) != 0) {
        return false;
    }
    board->columns[row + 1] = board->columns[row] | queen;
    board->left[row + 1] = (board->left[row] | queen) << 1;
    board->right[row + 1] = (board->right[row] | queen) >> 1;
    board->tried[row + 1] = 0;
    return true;
}

/* Goes through all rows from `first` on, without recursion. */
static uint32_t solve(struct board *board, uint32_t first)
{
    uint32_t row = first;
    uint32_t solutions = 0;

    board->tried[row] = 0;
    while (row + 1 > first) {
        uint32_t free = ALL & ~board->tried[row];
        uint32_t queen = free & (0u - free);

        board->tried[row] |= queen;
        if (queen == 0 || row == SIDE) {
            solutions += row == SIDE;
            row -= 1;
        } else if (put(board, row, queen)) {
            row += 1;
        }
    }
    return solutions;
}

static uint32_t subproblem(uint32_t number)
{
    struct board board = {.columns = {0}};

    for (uint32_t row = 0; row < ROWS_GIVEN; ++row) {
        if (!put(&board, row, 1u << number % SIDE)) {
            return 0;
        }
        number /= SIDE;
    }
    return solve(&board, ROWS_GIVEN);
}

static int queens_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    (void)work;
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = 4000;
    terms->cost_varies = job->arg_bytes > 0 && job->arg[0] == 'y';
    return KERNEL_OK;
}

static void queens_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    uint64_t solutions = 0;

    (void)work;
    for (uint32_t i = 0; i < range->units; ++i) {
        solutions += subproblem((uint32_t)range->first_unit + i);
    }
    kernel_store_u64(result->data, solutions);
    result->bytes = 8;
}

static void report_solutions(const struct kernel_result *result,
                             const struct kernel_sink *sink)
{
    sink->integer(sink->context, "solutions", kernel_load_u64(result->data));
}

const struct kernel kernel_queens = {
    .name = "queens",
    .argument = KERNEL_FOR_PEOPLE("y or n"),
    .summary = KERNEL_FOR_PEOPLE("queens that do not attack each other"),
    .begin = queens_begin,
    .run = queens_run,
    .merge = kernel_merge_count,
    .report = KERNEL_FOR_PEOPLE(report_solutions),
};
