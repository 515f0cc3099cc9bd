/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of an STM32F405 board: a node on serial lines, with this chip's
 * ports, time and memory.
 */
#include "boot/boot.h"
#include "boot/costs.h"
#include "boot/serial/node.h"
#include "boot/stm32f405/console.h"
#include "boot/stm32f405/end.h"
#include "boot/stm32f405/identity.h"
#include "boot/stm32f405/start.h"
#include "hal/armv7m.h"
#include "hal/check.h"
#include "hal/crc32.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/led.h"
#include "hal/stm32f405/sensor.h"
#include "hal/stm32f405/serial.h"
#include "hal/stm32f405/taken.h"
#include "hal/stm32f405/timer.h"
#include "hal/stm32f405/watchdog.h"

#define CHECK_FILE CHECK_STM32F405_MAIN

#define BITS_PER_BYTE 10u /* 8N1 */
#define NS_PER_S 1000000000u
#define HZ_PER_MHZ 1000000u
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

/* From linker/stm32f405.ld. An emulated chip has no number of its own: its
   launcher may write one to boot_emulated_id. */
extern uint32_t boot_ccm_start[];
extern uint32_t boot_ccm_end[];
extern uint32_t boot_low_start[];
extern uint32_t boot_low_end[];
extern uint32_t boot_emulated_id[];
extern uint8_t boot_image_bytes[]; /* a number: the symbol's value */

/* Where time means nothing software costs nothing, and a kernel takes what it
   estimates, at an instruction's time on the other emulated boards. */
static const struct scatter_costs emulated_costs = {.instruction_ps = 32000,
                                                    .tree_sends = 24};

static struct boot_start start;
static struct serial_node *node; /* behind the stack */
/* Of the program; whatever it is after power-up. */
static uint32_t starts __attribute__((section(".noinit")));
static uint32_t masked; /* by the outermost lock() */
static unsigned locks;
static volatile bool woken; /* by an interrupt, since the last rest() */

static unsigned bytes_came(void *context, unsigned port, const uint8_t *data,
                           unsigned bytes)
{
    (void)context;
    woken = true;
    if (port != SERIAL_CONSOLE) {
        return serial_node_bytes(node, port, data, bytes);
    }
    for (unsigned i = 0; i < bytes; ++i) {
        line_push(&node->reader, data[i]);
    }
    return bytes;
}

static void line_error(void *context, unsigned port)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        line_push(&node->reader, LINE_DAMAGED_BYTE);
    } else {
        switch_line_error(&node->core, port);
    }
}

static void attend(void *context, unsigned port)
{
    (void)context;
    if (port != SERIAL_CONSOLE) {
        serial_node_attend(node, port);
    }
}

static unsigned pending(void *context, unsigned port, const uint8_t **data)
{
    (void)context;
    return port == SERIAL_CONSOLE ? boot_console_pending(data)
                                  : switch_pending(&node->core, port, data);
}

static void taken(void *context, unsigned port, unsigned bytes)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        boot_console_taken(bytes);
    } else {
        switch_taken(&node->core, port, bytes);
    }
}

static const struct serial_callbacks callbacks = {bytes_came, line_error,
                                                  attend, pending, taken};

static_assert(LINE_DAMAGED_BYTE == 0, "as the driver has it");

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

/* An emulator's interrupts take the host's time. */
static uint32_t ports_us(void *context)
{
    (void)context;
    return start.clocks.source == CLOCKS_EMULATED
               ? 0
               : (uint32_t)(taken_cycles() /
                            (start.clocks.core_hz / HZ_PER_MHZ));
}

static void kick(void *context, unsigned port)
{
    (void)context;
    serial_kick(port);
}

static void set_alarm(void *context, uint32_t at_us)
{
    (void)context;
    timer_call_at(TIMER_ALARM, at_us);
}

static void alarmed(void *context)
{
    (void)context;
    serial_node_alarm(node);
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
    if (node->working) {
        watchdog_feed();
    }
    if (start.clocks.source != CLOCKS_EMULATED) {
        sensor_tick();
        serial_look();
    }
    lock(context);
    serial_node_tick(node);
    unlock(context);
    serial_node_answer(node);
}

static void measure(void *context, uint16_t *supply_mv, int16_t *celsius)
{
    (void)context;
    *supply_mv = sensor_supply_mv();
    *celsius = PEEK_NO_CELSIUS;
    sensor_celsius(celsius);
}

static void led(void *context, bool on)
{
    (void)context;
    led_set(on);
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

/* Bytes from one address to another. */
static uint32_t between(const void *from, const void *to)
{
    return (uint32_t)((uintptr_t)to - (uintptr_t)from);
}

/* Where messages go, and what is left of what only the processor reaches. */
static void take_memory(struct serial_node_config *config)
{
    uint32_t *behind = (uint32_t *)(void *)(node + 1);

    if (start.has_ccm) {
        config->memory = (uint8_t *)boot_low_start;
        ASSERT(behind <= boot_ccm_end);
        config->aside = (uint8_t *)behind;
        config->aside_bytes = between(behind, boot_ccm_end);
    } else {
        config->memory = (uint8_t *)behind;
    }
    ASSERT(config->memory <= (const uint8_t *)boot_low_end);
    config->memory_bytes = between(config->memory, boot_low_end);
}

static_assert(sizeof(struct serial_node) % 8 == 0, "messages are aligned");

static void init_node(uint32_t crc)
{
    bool emulated = start.clocks.source == CLOCKS_EMULATED;
    struct serial_node_config config = {
        .ident = {.board = "stm32f405",
                  .version = BOOT_VERSION,
                  .reset_cause = clocks_reset_name(&start.clocks),
                  .image_crc = crc,
                  .clock = clocks_source_name(&start.clocks),
                  .clock_hz = start.clocks.core_hz,
                  .crystal_hz = start.clocks.crystal_hz},
        .strapped = boot_identity.x != IMAGE_NOT_SET,
        .strap = {boot_identity.x, boot_identity.y},
        .salt = ++starts,
        .byte_ns = NS_PER_S / serial_baud(0) * BITS_PER_BYTE,
        .slack_us = emulated ? EMULATED_SLACK_US : 0,
        .half_line_us = HALF_LINE_US / (1 + start.clocks.slower),
        .lost_max = emulated ? EMULATED_LOST_MAX : LOST_MAX,
        .costs = emulated ? &emulated_costs : &boot_costs,
        .measure = measure,
        .led = led,
        .last_fault = boot_last_fault(),
        .faults = boot_faults(),
        .now_us = now_us,
        .lock = lock,
        .unlock = unlock,
        .kick = kick,
        .ports_us = ports_us,
        .alarm = emulated ? NULL : set_alarm,
        .room = room,
        .write = put,
        .sent = sent,
        .line = line,
        .line_counters = LINE_COUNTERS,
        .line_names = line_names,
        .sleep = rest,
        .reset = reset,
        .forget_faults = forget_faults};

    memcpy(config.ident.unique_id, start.has_id ? start.id : boot_emulated_id,
           sizeof config.ident.unique_id);
    take_memory(&config);
    serial_node_init(node, &config);
}

static void run(void)
{
    uint32_t crc = image_crc(); /* 6 ms: lines that listened would lose bytes */
    uint32_t before = armv7m_mask(); /* the callbacks are the node's */

    if (start.clocks.source == CLOCKS_EMULATED) {
        start.clocks.slower = EMULATED_SLOWER;
        timer_account();
    }
    timer_start(&start.clocks, NULL, NULL);
    serial_start(&start.clocks, NULL, &callbacks, NULL);
    init_node(crc);
    armv7m_unmask(before);
    if (start.clocks.source != CLOCKS_EMULATED) {
        sensor_start();
    }
    timer_start(&start.clocks, tick, NULL);
    if (start.clocks.source != CLOCKS_EMULATED) {
        timer_on(TIMER_ALARM, alarmed, NULL);
    }
    watchdog_start(&start.clocks);
    serial_node_run(node);
}

/* The stack goes to the bottom of CCM, or stays at that of SRAM: below both
   there is nothing. The node lies behind it. */
_Noreturn void boot_board(void)
{
    uint32_t words = between(boot_stack_start, boot_stack_end) / 4;
    uint32_t *bottom = boot_stack_start;

    boot_start(&start);
    led_start();
    if (start.has_ccm) {
        bottom = boot_ccm_start;
    }
    node = (struct serial_node *)(void *)(bottom + words);
    boot_move_stack(bottom, bottom + words, run);
}
