/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/json_name.h"

#include "qemu/support/quote.h"

json_t *json_name(const char *name)
{
    json_t *json = json_string(name);

    return json != NULL ? json : json_string(quote_shown(name));
}
