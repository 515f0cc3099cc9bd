/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/memory_limit.h"

#include "qemu/support/control_group.h"

#include <string.h>

static const struct control_group_controller memory = {
    "memory",
    {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
     {"memory.max", "memory.current", "inactive_file"}}};

void memory_limit_read(struct memory_limit *limit, const char *root)
{
    char group[PATH_MAX];
    uint64_t left;
    uint64_t most;
    uint64_t kib;

    *limit = (struct memory_limit){.bytes = UINT64_MAX};
    if (control_group_number(&kib,
                             control_group_open(root, "/proc/meminfo", ""),
                             "MemAvailable")) {
        limit->bytes = kib * 1024;
    }
    if (control_group_read(&left, &most, group, root, &memory) &&
        left < limit->bytes) {
        limit->bytes = left;
        strcpy(limit->group, group);
    }
}

uint64_t memory_limit_kills(const char *root)
{
    uint64_t kills = 0;

    return control_group_number(
               &kills, control_group_open(root, "/proc/vmstat", ""), "oom_kill")
               ? kills
               : 0;
}
