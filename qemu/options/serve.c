/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/serve.h"

#include "qemu/support/parse.h"

int serve_options_set(void *field, const char *option, const char *text)
{
    struct serve_options *serve = field;
    uint64_t port = 0;
    const char *allowed = text != NULL ? parse_count(text, &port) : NULL;

    if (allowed != NULL || port > UINT16_MAX) {
        allowed = "must be a port from 1 to 65535, or 0: one that is free";
    }
    serve->given = true;
    serve->port = (uint16_t)port;
    return parse_report(option, text, allowed);
}
