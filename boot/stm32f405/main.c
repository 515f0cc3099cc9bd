/* SPDX-License-Identifier: Apache-2.0 */
/* The program of an STM32F405 board: a node on serial lines. */
#include "boot/boot.h"
#include "boot/costs.h"
#include "boot/serial/program.h"
#include "boot/stm32f405/start.h"
#include "hal/armv7m.h"
#include "hal/serial/board.h"
#include "hal/stm32f405/gpio.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/sensor.h"
#include "hal/stm32f405/serial.h"
#include "hal/stm32f405/timer.h"

#define HZ_PER_MHZ 1000000u
/* One second of an emulated board takes 1 + EMULATED_SLOWER s of the host's
   time. A node's answer may be late by EMULATED_SLACK_US us. */
#define EMULATED_SLOWER 19u
#define EMULATED_SLACK_US 40000u
/* Longest time between two bytes of a line that somebody types. */
#define HALF_LINE_US 10000000u
/* Number of test frames that a good link may lose. */
#define LOST_MAX 1u
#define EMULATED_LOST_MAX 15u

/* From linker/stm32f405.ld. A launcher may write boot_emulated_id. */
extern uint32_t boot_ccm_start[];
extern uint32_t boot_ccm_end[];
extern uint32_t boot_low_start[];
extern uint32_t boot_low_end[];
extern uint32_t boot_emulated_id[];

/* On the emulator only a kernel takes time, 32 ns for each instruction. */
static const struct scatter_costs emulated_costs = {.instruction_ps = 32000,
                                                    .tree_sends = 24};

static struct boot_start start;

/* Returns 0 on the emulator, where interrupts take no mesh time. */
uint32_t board_ports_us(void)
{
    return start.clocks.source == CLOCKS_EMULATED
               ? 0
               : (uint32_t)(taken_cycles() /
                            (start.clocks.core_hz / HZ_PER_MHZ));
}

void board_alarm(uint32_t at_us)
{
    timer_call_at(TIMER_ALARM, at_us);
}

#define LINE_COUNTERS (sizeof(struct serial_counters) / sizeof(uint32_t))
static_assert(LINE_COUNTERS == 7, "a name for each counter");
static const char line_names[] = "bytes_in\0bytes_out\0overruns\0framings\0"
                                 "noises\0dma_bursts\0dma_failures";

uint32_t *board_counters(unsigned port)
{
    return (uint32_t *)serial_counters(port);
}

static void tick(void)
{
    if (start.clocks.source != CLOCKS_EMULATED) {
        sensor_tick();
        serial_look();
    }
    program_tick();
}

static uint32_t between(const void *from, const void *to)
{
    return (uint32_t)((uintptr_t)to - (uintptr_t)from);
}

/* Messages use SRAM. The second memory is the part of CCM after *node. */
static void take_memory(struct serial_node_config *config,
                        const struct serial_node *node)
{
    uint32_t *behind = (uint32_t *)(void *)(node + 1);

    if (start.has_ccm) {
        config->memory = (uint8_t *)boot_low_start;
        config->aside = (uint8_t *)behind;
        config->aside_bytes = between(behind, boot_ccm_end);
    } else {
        config->memory = (uint8_t *)behind;
    }
    config->memory_bytes = between(config->memory, boot_low_end);
}

static_assert(sizeof(struct serial_node) % 8 == 0, "messages are aligned");

static void init_node(struct serial_node *node, uint32_t crc)
{
    bool emulated = start.clocks.source == CLOCKS_EMULATED;
    struct serial_node_config config = {
        .board = "stm32f405",
        .reset_cause = clocks_reset_name(&start.clocks),
        .clock = clocks_source_name(&start.clocks),
        .clock_hz = start.clocks.core_hz,
        .crystal_hz = start.clocks.crystal_hz,
        .image_crc = crc,
        .slack_us = emulated ? EMULATED_SLACK_US : 0,
        .half_line_us = HALF_LINE_US / (1 + start.clocks.slower),
        .lost_max = emulated ? EMULATED_LOST_MAX : LOST_MAX,
        .costs = emulated ? &emulated_costs : &boot_costs,
        .line_counters = LINE_COUNTERS,
        .line_names = line_names};

    memcpy(config.unique_id, start.has_id ? start.id : boot_emulated_id,
           sizeof config.unique_id);
    take_memory(&config, node);
    program_init(node, &config);
}

static void run(void)
{
    struct serial_node *node = (struct serial_node *)(void *)boot_stack.end;
    /* Takes 6 ms, so before the ports receive. */
    uint32_t crc = program_image_crc();
    uint32_t before = armv7m_mask(); /* masked until init_node() */

    if (start.clocks.source == CLOCKS_EMULATED) {
        start.clocks.slower = EMULATED_SLOWER;
        timer_account();
    } else {
        sensor_start();
    }
    timer_start(&start.clocks, NULL);
    serial_start(&start.clocks, NULL);
    init_node(node, crc);
    armv7m_unmask(before);
    timer_start(&start.clocks, tick);
    if (start.clocks.source != CLOCKS_EMULATED) {
        timer_on(TIMER_ALARM, program_alarm);
    }
    watchdog_start(&start.clocks);
    serial_node_run(node);
}

/* Moves the stack to the bottom of CCM, if there is CCM. The node lies directly
   above the stack. */
_Noreturn void boot_board(void)
{
    uint32_t words = between(boot_stack_start, boot_stack_end) / 4;
    uint32_t *bottom = boot_stack_start;

    boot_start(&start);
    led_start();
    if (start.has_ccm) {
        bottom = boot_ccm_start;
    }
    boot_move_stack(bottom, bottom + words, run);
}
