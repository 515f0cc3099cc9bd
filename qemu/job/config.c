/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/config.h"

#include "torus/pattern.h"

const struct profile *job_plan_profile(const struct job_config *config)
{
    return config->plan_profile != NULL ? config->plan_profile
                                        : &config->profile;
}

bool job_needs_tree(const struct job_config *config)
{
    return torus_phases(config->size) < 0 ||
           config->schedule != SCHEDULE_PETERS_SYSKA ||
           config->ports != TORUS_PORTS || config->store_and_forward ||
           config->slow_shift != NULL;
}
