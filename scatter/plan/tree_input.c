/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_input.h"

#include "scatter/plan/fixed.h"

int tree_check(const struct tree_input *input)
{
    const struct tree_circuit *circuit_ps = &input->circuit_ps;

    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->compute_ps > PLANNER_TIME_MAX_PS ||
        input->transfer_ps > PLANNER_TIME_MAX_PS ||
        fixed_product(input->compute_ps, input->load_units) >
            PLANNER_LOAD_MAX_PS ||
        (circuit_ps->startup | circuit_ps->hop | circuit_ps->branch |
         input->split_ps | input->queue_ps | input->kernel_start_ps |
         input->begin_ps) >>
                36 !=
            0 ||
        (input->ports != 1 && input->ports != 2 &&
         input->ports != TORUS_PORTS)) {
        return ERR_RANGE;
    }
    return ERR_OK;
}
