/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/json.h"

#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <stdlib.h>

static void *take(size_t bytes)
{
    return memory_or_exit(malloc(bytes));
}

void json_take_memory(void)
{
    json_set_alloc_funcs(take, free);
}

json_t *json_whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *json_name(const char *name)
{
    json_t *json = json_string(name);

    return json != NULL ? json : json_string(quote_shown(name));
}
