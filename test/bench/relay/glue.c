/* SPDX-License-Identifier: Apache-2.0 */
/* As in boot/main_stm32f405.c and boot/serial_node.c, call for call. */
#include "test/bench/relay/relay.h"

#include "hal/stm32f405/serial.h"

struct switch_core relay_core;

static volatile bool woken;

static struct {
    void (*kick)(void *context, unsigned port);
    void *context;
} node_config;

static void byte(void *context, unsigned port, uint8_t value)
{
    (void)context;
    woken = true;
    if (port != SERIAL_CONSOLE) {
        switch_byte(&relay_core, port, value);
    }
}

static void line_error(void *context, unsigned port)
{
    (void)context;
    if (port != SERIAL_CONSOLE) {
        switch_line_error(&relay_core, port);
    }
}

static unsigned pending(void *context, unsigned port, const uint8_t **data)
{
    (void)context;
    return port == SERIAL_CONSOLE ? 0 : switch_pending(&relay_core, port, data);
}

static void taken(void *context, unsigned port, unsigned bytes)
{
    (void)context;
    if (port != SERIAL_CONSOLE) {
        switch_taken(&relay_core, port, bytes);
    }
}

static void kick_port(void *context, unsigned port)
{
    (void)context;
    serial_kick(port);
}

static void kick_node(void *context, unsigned port)
{
    (void)context;
    node_config.kick(node_config.context, port);
}

const struct serial_callbacks *relay_callbacks(void)
{
    static const struct serial_callbacks callbacks = {byte, byte, line_error,
                                                      pending, taken};

    return &callbacks;
}

void relay_core_start(void)
{
    const struct switch_config config = {
        .node = 1, .seed = 1, .byte_ns = 5000, .kick = kick_node};

    node_config.kick = kick_port;
    switch_init(&relay_core, &config);
    switch_tick(&relay_core, 1000);
}
