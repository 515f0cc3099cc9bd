/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of an STM32F405 board: a node on serial lines, with this chip's
 * ports, time and memory.
 */
#include "boot/boot.h"
#include "boot/console_stm32f405.h"
#include "boot/costs.h"
#include "boot/end_stm32f405.h"
#include "boot/serial_node.h"
#include "boot/start_stm32f405.h"
#include "hal/armv7m.h"
#include "hal/crc32.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/led.h"
#include "hal/stm32f405/serial.h"
#include "hal/stm32f405/timer.h"
#include "hal/stm32f405/watchdog.h"

#define BITS_PER_BYTE 10u /* 8N1 */
#define NS_PER_S 1000000000u
/* Emulated boards share a few cores, and none of them keeps time: their seconds
   are so many and one of the host's, and one may be late by so much. */
#define EMULATED_SLOWER 19u
#define EMULATED_SLACK_US 40000u
/* A line of the console waits so long for its next byte, of who types it. */
#define HALF_LINE_US 10000000u
/* Of a link's test frames: sound cables lose none, emulated ones are damaged at
   will. */
#define LOST_MAX 1u
#define EMULATED_LOST_MAX 15u

/* What the linker leaves. The last words are for an emulator, whose chip has no
   number of its own: its launcher may write one there. */
extern uint8_t boot_ram_used_end[];
extern uint8_t boot_ram_end[];
extern uint8_t boot_image_bytes[]; /* a number: the symbol's value */
#define EMULATED_ID_BYTES 16u

/* Software costs nothing where time means nothing. */
static const struct scatter_costs no_costs;

static struct serial_node node;
/* Of the program; whatever it is after power-up. */
static uint32_t starts __attribute__((section(".noinit")));
static uint32_t masked; /* by the outermost lock() */
static unsigned locks;
static volatile bool woken; /* by an interrupt, since the last rest() */

static void byte(void *context, unsigned port, uint8_t value)
{
    (void)context;
    woken = true;
    if (port == SERIAL_CONSOLE) {
        line_push(&node.reader, value);
    } else {
        switch_byte(&node.core, port, value);
    }
}

static void doubtful(void *context, unsigned port, uint8_t value)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        line_push(&node.reader, LINE_DAMAGED_BYTE);
    } else {
        switch_byte(&node.core, port, value);
    }
}

static void line_error(void *context, unsigned port)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        line_push(&node.reader, LINE_DAMAGED_BYTE);
    } else {
        switch_line_error(&node.core, port);
    }
}

static unsigned pending(void *context, unsigned port, const uint8_t **data)
{
    (void)context;
    return port == SERIAL_CONSOLE ? boot_console_pending(data)
                                  : switch_pending(&node.core, port, data);
}

static void taken(void *context, unsigned port, unsigned bytes)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        boot_console_taken(bytes);
    } else {
        switch_taken(&node.core, port, bytes);
    }
}

static const struct serial_callbacks callbacks = {byte, doubtful, line_error,
                                                  pending, taken};

static uint32_t now_us(void *context)
{
    (void)context;
    return timer_us();
}

/* All that share the switch; but bytes are still fetched, which would be lost
   while a frame is made. */
static void lock(void *context)
{
    uint32_t before = interrupts_mask();

    (void)context;
    if (locks++ == 0) {
        masked = before;
    }
}

static void unlock(void *context)
{
    (void)context;
    if (--locks == 0) {
        interrupts_unmask(masked);
    }
}

static void kick(void *context, unsigned port)
{
    (void)context;
    serial_kick(port);
}

static unsigned room(void *context)
{
    (void)context;
    return boot_console_room();
}

static void put(void *context, const char *text, unsigned bytes)
{
    (void)context;
    (void)boot_console_write(text, bytes);
}

static bool sent(void *context)
{
    (void)context;
    return boot_console_room() == BOOT_CONSOLE_OUT_BYTES &&
           serial_has_sent(SERIAL_CONSOLE);
}

#define LINE_COUNTERS (sizeof(struct serial_counters) / sizeof(uint32_t))
static_assert(LINE_COUNTERS == 7, "a name for each counter");
static const char line_names[] = "bytes_in\0bytes_out\0overruns\0framings\0"
                                 "noises\0dma_bursts\0dma_failures";

static uint32_t *line(void *context, unsigned port)
{
    (void)context;
    return (uint32_t *)serial_counters(port);
}

/* Until the next interrupt. One that came since the last rest may have brought
   what is waited for: then there is none. WFI wakes although all are masked. */
static void rest(void *context)
{
    uint32_t before = armv7m_mask();

    (void)context;
    watchdog_feed();
    if (!woken) {
        __asm volatile("wfi" ::: "memory");
    }
    woken = false;
    armv7m_unmask(before);
}

static void reset(void *context)
{
    (void)context;
    armv7m_reset();
}

/* A kernel may compute for longer than the watchdog waits; a node that hangs
   there can still be asked, and reset, over the mesh or by its console. */
static void tick(void *context)
{
    woken = true;
    if (node.working) {
        watchdog_feed();
    }
    lock(context);
    serial_node_tick(&node);
    unlock(context);
    serial_node_answer(&node);
}

static void forget_faults(void *context)
{
    (void)context;
    boot_forget_faults();
}

/* Of what is behind the identity: the same wherever a node sits. */
static uint32_t image_crc(void)
{
    const uint8_t *from = (const uint8_t *)(&boot_identity + 1);

    return crc32_update(0, from,
                        (uint32_t)(uintptr_t)boot_image_bytes -
                            (IMAGE_IDENTITY_OFFSET + sizeof boot_identity));
}

static void take_id(uint32_t id[3], const struct boot_start *start)
{
    const uint32_t *emulated =
        (const uint32_t *)(const void *)(boot_ram_end - EMULATED_ID_BYTES);

    memcpy(id, start->has_id ? start->id : emulated, 3 * sizeof *id);
}

static void init_node(const struct boot_start *start)
{
    bool emulated = start->clocks.source == CLOCKS_EMULATED;
    struct serial_node_config config = {
        .ident = {.board = "stm32f405",
                  .version = BOOT_VERSION,
                  .reset_cause = clocks_reset_name(&start->clocks),
                  .image_crc = image_crc(),
                  .clock = clocks_source_name(&start->clocks),
                  .clock_hz = start->clocks.core_hz},
        .strapped = boot_identity.x != IMAGE_NOT_SET,
        .strap = {boot_identity.x, boot_identity.y},
        .salt = ++starts,
        .byte_ns = NS_PER_S / serial_baud(0) * BITS_PER_BYTE,
        .slack_us = emulated ? EMULATED_SLACK_US : 0,
        .half_line_us = HALF_LINE_US / (1 + start->clocks.slower),
        .lost_max = emulated ? EMULATED_LOST_MAX : LOST_MAX,
        .memory = boot_ram_used_end,
        .memory_bytes =
            (uint32_t)(boot_ram_end - EMULATED_ID_BYTES - boot_ram_used_end),
        .costs = emulated ? &no_costs : &boot_costs,
        .last_fault = boot_last_fault(),
        .faults = boot_faults(),
        .now_us = now_us,
        .lock = lock,
        .unlock = unlock,
        .kick = kick,
        .room = room,
        .write = put,
        .sent = sent,
        .line = line,
        .line_counters = LINE_COUNTERS,
        .line_names = line_names,
        .sleep = rest,
        .reset = reset,
        .forget_faults = forget_faults};

    take_id(config.ident.unique_id, start);
    serial_node_init(&node, &config);
}

_Noreturn void boot_board(void)
{
    struct boot_start start;
    uint32_t before;

    boot_start(&start);
    if (start.clocks.source == CLOCKS_EMULATED) {
        start.clocks.slower = EMULATED_SLOWER;
        timer_account();
    }
    timer_start(&start.clocks, NULL, NULL);
    before = armv7m_mask(); /* the callbacks are the node's */
    serial_start(&start.clocks, NULL, &callbacks, NULL);
    init_node(&start);
    led_start();
    armv7m_unmask(before);
    timer_start(&start.clocks, tick, NULL);
    watchdog_start(&start.clocks);
    serial_node_run(&node);
}
