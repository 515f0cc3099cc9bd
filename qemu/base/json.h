/* SPDX-License-Identifier: Apache-2.0 */
/* Makes values of jansson, the JSON library. */
#ifndef QEMU_BASE_JSON_H
#define QEMU_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Makes jansson end the program when memory runs out, by memory_or_exit(). No
   function of jansson then fails for lack of memory. */
void json_take_memory(void);

json_t *json_whole(uint64_t value);

/* Returns a name as a JSON string. A name that is not UTF-8 is escaped by
   quote_shown(). */
json_t *json_name(const char *name);

#endif
