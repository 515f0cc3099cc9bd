/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_REPORT_JSON_NAME_H
#define QEMU_REPORT_JSON_NAME_H

#include <jansson.h>

/* A name as a string of JSON: as it is if it is UTF-8, which JSON escapes as it
   needs; else as quote_shown() (qemu/support/quote.h) has it. NULL where there
   is no memory. */
json_t *json_name(const char *name);

#endif
