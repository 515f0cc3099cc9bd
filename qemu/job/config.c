/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/config.h"

const struct profile *job_plan_profile(const struct job_config *config)
{
    return config->plan_profile != NULL ? config->plan_profile
                                        : &config->profile;
}
