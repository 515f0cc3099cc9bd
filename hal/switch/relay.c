/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/switch/internal.h"

#include "hal/bytes.h"
#include "hal/check.h"
#include "hal/crc32.h"

#define CHECK_FILE CHECK_SWITCH_RELAY

void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason)
{
    const struct switch_port *at = &core->port[port];
    const uint8_t content[SWITCH_RELEASE_BYTES] = {
        SWITCH_FRAME_RELEASE | at->parity, (uint8_t)reason};

    switch_frame_write(core, port, content, sizeof content, at->tag, true);
}

enum switch_role switch_relay_free(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];
    enum switch_role role = at->role;

    if (role == SWITCH_ROLE_RELAY) {
        ASSERT(core->port[at->peer].role == SWITCH_ROLE_RELAY &&
               core->port[at->peer].peer == port);
        switch_frame_cut(core, port);
        switch_frame_cut(core, at->peer);
        core->port[at->peer].role = SWITCH_ROLE_FREE;
    }
    at->role = SWITCH_ROLE_FREE;
    return role;
}

static uint32_t tag_of(const uint8_t *setup)
{
    return crc32_update(0, setup + SWITCH_AT_ATTEMPT,
                        SWITCH_AT_KIND - SWITCH_AT_ATTEMPT);
}

static void identify(struct switch_port *at, const uint8_t *setup)
{
    at->parity = SWITCH_FRAME_PARITY(setup[0]);
    at->tag = tag_of(setup);
    at->message_tag = crc32_update(0, setup + SWITCH_AT_SOURCE,
                                   SWITCH_AT_HOPS - SWITCH_AT_SOURCE);
}

uint32_t switch_relay_data_crc(const struct switch_port *at, uint8_t first,
                               uint32_t offset)
{
    uint8_t before[5];

    bytes_store_u32(before, offset);
    before[4] = first;
    return crc32_update(at->message_tag, before, sizeof before);
}

void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup)
{
    struct switch_port *at = &core->port[port];

    ASSERT(at->role == SWITCH_ROLE_FREE);
    identify(at, setup);
    at->role = (uint8_t)role;
    at->onward = false;
    at->answered = false;
    at->active_us = core->now_us;
    at->hold_us = bytes_load_u16(setup + SWITCH_AT_HOLD) * 1000u;
}

void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason)
{
    ASSERT(core->port[port].role == SWITCH_ROLE_FREE);
    identify(&core->port[port], setup);
    core->counters[port].refused += 1;
    switch_relay_release(core, port, reason);
}

enum {
    ENDS_HERE = -1,
    NO_PATH = -2
};

/* Removes a hop from the path. Result: port onward, ENDS_HERE or NO_PATH. */
static int step(uint8_t *setup, unsigned port)
{
    enum torus_port ahead = torus_opposite((enum torus_port)port);
    unsigned hops = bytes_load_u16(setup + SWITCH_AT_HOPS);
    unsigned turn = hops >> SWITCH_TURN_SHIFT;
    unsigned after =
        bytes_load_u16(setup + SWITCH_AT_HOPS_AFTER) & SWITCH_HOPS_MASK;

    hops &= SWITCH_HOPS_MASK;
    if (hops == 0 || turn > TORUS_RIGHT ||
        (turn != TORUS_STRAIGHT && after == 0)) {
        return NO_PATH;
    }
    hops -= 1;
    if (hops == 0 && turn == TORUS_STRAIGHT) {
        return ENDS_HERE;
    }
    if (hops == 0) {
        ahead = torus_after_turn(ahead, (enum torus_turn)turn);
        hops = after;
        turn = TORUS_STRAIGHT;
    }
    bytes_store_u16(setup + SWITCH_AT_HOPS,
                    (uint16_t)(hops | turn << SWITCH_TURN_SHIFT));
    return (int)ahead;
}

bool switch_relay_is_repeated(struct switch_port *in, const uint8_t *setup)
{
    uint32_t before = in->heard;

    if (SWITCH_FRAME_PARITY(setup[0]) == 0) {
        return false;
    }
    in->heard = tag_of(setup);
    return in->heard == before;
}

bool switch_relay_setup(struct switch_core *core, unsigned port)
{
    uint8_t *setup = core->reader[port].content;
    int onward = step(setup, port);

    if (onward == ENDS_HERE) {
        return false;
    }
    if (onward == NO_PATH) {
        core->counters[port].damaged += 1;
    } else if (core->port[onward].role != SWITCH_ROLE_FREE ||
               !switch_frame_write(core, (unsigned)onward, setup,
                                   SWITCH_SETUP_BYTES, SWITCH_VERSION, true)) {
        switch_relay_refuse(core, port, setup, SWITCH_REASON_HELD);
    } else {
        switch_relay_hold(core, port, SWITCH_ROLE_RELAY, setup);
        switch_relay_hold(core, (unsigned)onward, SWITCH_ROLE_RELAY, setup);
        core->port[port].peer = (uint8_t)onward;
        core->port[onward].peer = (uint8_t)port;
        core->port[onward].onward = true;
        core->counters[port].relayed_circuits += 1;
    }
    return true;
}
