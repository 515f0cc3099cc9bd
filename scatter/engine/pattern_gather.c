/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size, unlike pattern.c: the makespan does not wait for it. */
#include "scatter/engine/pattern_gather.h"

#include "scatter/engine/gather.h"

int pattern_gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
            if (split_child_units(&scatter->split, phase, port) > 0) {
                error = scatter_gather_child(scatter, phase, port);
            }
        }
    }
    return error;
}
