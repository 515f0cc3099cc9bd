/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits are set up and freed, hop by hop. */
#include "hal/switch/internal.h"

#include "hal/bytes.h"
#include "hal/crc32.h"

void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason)
{
    const struct switch_port *at = &core->port[port];
    const uint8_t content[SWITCH_RELEASE_BYTES] = {
        SWITCH_FRAME_RELEASE | at->parity, (uint8_t)reason};

    switch_frame_write_surely(core, port, content, sizeof content, at->tag);
}

/* Frees a circuit, at both ports of a relay; nobody is told. */
static void free_circuit(struct switch_core *core, unsigned port,
                         unsigned reason)
{
    struct switch_port *at = &core->port[port];
    unsigned role = at->role;

    if (role == SWITCH_ROLE_RELAY) {
        switch_frame_cut(core, port);
        switch_frame_cut(core, at->peer);
        core->port[at->peer].role = SWITCH_ROLE_FREE;
    }
    at->role = SWITCH_ROLE_FREE;
    if (role == SWITCH_ROLE_SOURCE) {
        switch_source_lost(core, port, reason);
    } else if (role == SWITCH_ROLE_DESTINATION) {
        switch_destination_lost(core, port);
    }
}

void switch_relay_drop(struct switch_core *core, unsigned port, unsigned reason)
{
    struct switch_port *at = &core->port[port];
    bool relay = at->role == SWITCH_ROLE_RELAY;

    free_circuit(core, port, reason);
    if (relay) {
        switch_relay_release(core, at->peer, reason);
    }
}

void switch_relay_break(struct switch_core *core, unsigned port,
                        unsigned reason)
{
    switch_relay_drop(core, port, reason);
    switch_relay_release(core, port, reason);
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

void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup)
{
    struct switch_port *at = &core->port[port];

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
    identify(&core->port[port], setup);
    core->counters[port].refused += 1;
    switch_relay_release(core, port, reason);
}

static void relay(struct switch_core *core, unsigned port, unsigned onward,
                  const uint8_t *setup)
{
    if (core->port[onward].role != SWITCH_ROLE_FREE ||
        !switch_frame_write_surely(core, onward, setup, SWITCH_SETUP_BYTES,
                                   SWITCH_VERSION)) {
        switch_relay_refuse(core, port, setup, SWITCH_REASON_HELD);
        return;
    }
    switch_relay_hold(core, port, SWITCH_ROLE_RELAY, setup);
    switch_relay_hold(core, onward, SWITCH_ROLE_RELAY, setup);
    core->port[port].peer = (uint8_t)onward;
    core->port[onward].peer = (uint8_t)port;
    core->port[onward].onward = true;
    core->counters[port].relayed_circuits += 1;
}

/*
 * Takes the link that it came over off the path. Result: the port where it
 * goes on; -1: nowhere, it ends here; -2: no such path.
 */
static int step(uint8_t *setup, unsigned port)
{
    enum torus_port ahead = torus_opposite((enum torus_port)port);
    unsigned hops = bytes_load_u16(setup + SWITCH_AT_HOPS);
    unsigned turn = hops >> SWITCH_TURN_SHIFT;
    unsigned after = bytes_load_u16(setup + SWITCH_AT_HOPS_AFTER);

    hops &= SWITCH_HOPS_MASK;
    if (hops == 0 || turn > TORUS_RIGHT ||
        (turn != TORUS_STRAIGHT && (after == 0 || after > SWITCH_HOPS_MASK))) {
        return -2;
    }
    hops -= 1;
    if (hops == 0 && turn == TORUS_STRAIGHT) {
        return -1;
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

/* A set-up that this node sent out of the port is still without an answer. */
static bool meeting(const struct switch_port *at)
{
    return !at->answered && (at->role == SWITCH_ROLE_SOURCE ||
                             (at->role == SWITCH_ROLE_RELAY && at->onward));
}

/* With parity a set-up goes out twice: whatever became of the first, the second
   says nothing new, and would be a ghost if the first was refused. */
static bool is_repeated(struct switch_port *in, const uint8_t *setup)
{
    uint32_t before = in->heard;

    if (SWITCH_FRAME_PARITY(setup[0]) == 0) {
        return false;
    }
    in->heard = tag_of(setup);
    return in->heard == before;
}

void switch_relay_setup(struct switch_core *core, unsigned port)
{
    struct switch_port *in = &core->port[port];
    uint8_t *setup = core->reader[port].content;
    int onward;

    if (is_repeated(in, setup)) {
        return;
    }
    if (meeting(in)) {
        if (port == TORUS_EAST || port == TORUS_NORTH) {
            core->counters[port].meetings += 1; /* theirs gives way */
            in->source.yields = true;
            return;
        }
        switch_relay_drop(core, port, SWITCH_REASON_HELD);
    } else if (in->role != SWITCH_ROLE_FREE) {
        switch_relay_drop(core, port, SWITCH_REASON_BROKEN);
    }
    onward = step(setup, port);
    if (onward == -2) {
        core->counters[port].damaged += 1;
    } else if (onward < 0) {
        switch_destination_arrive(core, port, setup);
    } else {
        relay(core, port, (unsigned)onward, setup);
    }
}
