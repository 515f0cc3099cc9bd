/* SPDX-License-Identifier: Apache-2.0 */
/* What this board's software costs: one definition for each board. */
#ifndef BOOT_COSTS_H
#define BOOT_COSTS_H

#include "scatter/scatter.h"

extern const struct scatter_costs boot_costs;

#endif
