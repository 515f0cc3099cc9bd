/* SPDX-License-Identifier: Apache-2.0 */
/* Values of JSON, by jansson. */
#ifndef QEMU_BASE_JSON_H
#define QEMU_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

/* From now on jansson ends the program where there is no memory, as
   memory_or_exit(): none of its functions fails for that reason. */
void json_take_memory(void);

json_t *json_whole(uint64_t value);

/* A name as a string of JSON: as it is if it is UTF-8, which JSON escapes as it
   needs; else as quote_shown() (qemu/base/quote.h) has it. */
json_t *json_name(const char *name);

#endif
