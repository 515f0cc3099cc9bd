/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/inject.h"

#include "hal/check.h"
#include "hal/names.h"

#define CHECK_FILE CHECK_INJECT

void inject(const struct node_identity *identity)
{
    const volatile uint16_t *injection = &identity->fault_injection;

    ASSERT(*injection != NODE_INJECT_ASSERT);
    if (*injection == NODE_INJECT_FAULT) {
        __builtin_trap();
    }
    while (*injection == NODE_INJECT_HANG || *injection == NODE_INJECT_DIE) {
    }
}

void inject_tick(const struct node *node)
{
    const volatile uint16_t *injection = &node->identity.fault_injection;
    uint32_t state = node->status.state;

    while (*injection == NODE_INJECT_DIE && state >= NODE_STATE_COMPUTING &&
           state < NODE_STATE_DONE) {
    }
}

bool inject_named(struct node_identity *identity, const char *name)
{
    static const char names[] = "none\0fault\0hang\0die\0assert";

    for (unsigned what = 0; what <= NODE_INJECT_ASSERT; ++what) {
        const char *one = names_at(names, what);

        if (memcmp(one, name, strlen(one) + 1) == 0) {
            identity->fault_injection = (uint16_t)what;
            return true;
        }
    }
    return false;
}
