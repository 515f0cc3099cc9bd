/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/halt.h"

#include <stddef.h>
#include <string.h>

const char *wired_halt_receive(struct wired_halt *halt, uint32_t board,
                               uint32_t *pending, const char *line)
{
    if (strstr(line, "\"return\"") != NULL ||
        strstr(line, "\"error\"") != NULL) {
        *pending -= *pending > 0;
        return NULL;
    }
    if (*pending > 0) {
        return NULL;
    }
    if (strstr(line, "\"event\": \"STOP\"") != NULL &&
        halt->leader == WIRED_HALT_NOBODY) {
        halt->leader = board;
        return "{\"execute\":\"stop\"}\n";
    }
    if (strstr(line, "\"event\": \"RESUME\"") != NULL &&
        halt->leader == board) {
        halt->leader = WIRED_HALT_NOBODY;
        return "{\"execute\":\"cont\"}\n";
    }
    return NULL;
}
