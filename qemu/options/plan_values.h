/* SPDX-License-Identifier: Apache-2.0 */
/* The value of each option of `quincunx plan`. */
#ifndef QEMU_OPTIONS_PLAN_VALUES_H
#define QEMU_OPTIONS_PLAN_VALUES_H

#include "qemu/options/plan.h"

/* Parses an option's text: as the functions of qemu/support/parse.h. Options
   whose text is taken as it is, and --load, which plan_value_load() parses, are
   fine. */
const char *plan_value_parse(struct plan_options *options, enum plan_key key,
                             const char *text);

/* The load that was given, once --unit is known. */
const char *plan_value_load(struct plan_options *options);

#endif
