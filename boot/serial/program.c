/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial/program.h"

#include "boot/boot.h"
#include "boot/serial/console.h"
#include "hal/armv7m.h"
#include "hal/check.h"
#include "hal/crc32.h"
#include "hal/image.h"
#include "hal/serial/board.h"
#include "hal/serial/driver.h"
#include "hal/serial/timer.h"

#define CHECK_FILE CHECK_SERIAL_PROGRAM

#define BITS_PER_BYTE 10u /* 8 bits, start bit and stop bit */
#define NS_PER_S 1000000000u

extern uint8_t boot_image_end[]; /* from linker/sections.ld */

static struct serial_node *node;
/* Number of starts, plus the value that the memory had at power-up. */
static uint32_t starts __attribute__((section(".noinit")));
static uint32_t masked;     /* serial_mask() of the outermost board_lock() */
static unsigned locks;      /* calls of board_lock() not undone yet */
static volatile bool woken; /* an interrupt came since the last board_sleep() */

/* ---- called by the drivers ---- */

unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes)
{
    woken = true;
    if (port != SERIAL_CONSOLE) {
        return serial_node_bytes(node, port, data, bytes);
    }
    for (unsigned i = 0; i < bytes; ++i) {
        line_push(&node->reader, data[i]);
    }
    return bytes;
}

static_assert(LINE_DAMAGED_BYTE == 0, "the driver passes a damaged byte as 0");

void serial_lost(unsigned port)
{
    if (port == SERIAL_CONSOLE) {
        line_push(&node->reader, LINE_DAMAGED_BYTE);
    } else {
        switch_line_error(&node->core, port);
    }
}

void serial_attend(unsigned port)
{
    if (port != SERIAL_CONSOLE) {
        serial_node_attend(node, port);
    }
}

unsigned serial_pending(unsigned port, const uint8_t **data)
{
    return port == SERIAL_CONSOLE ? console_pending(data)
                                  : switch_pending(&node->core, port, data);
}

void serial_taken(unsigned port, unsigned bytes)
{
    if (port == SERIAL_CONSOLE) {
        console_taken(bytes);
    } else {
        switch_taken(&node->core, port, bytes);
    }
}

/* Feeds the watchdog: a kernel may compute for longer than its 2 s. */
void program_tick(void)
{
    woken = true;
    if (node->working) {
        watchdog_feed();
    }
    board_lock();
    serial_node_tick(node);
    board_unlock();
    serial_node_answer(node);
}

void program_alarm(void)
{
    serial_node_alarm(node);
}

/* ---- called by the node ---- */

/* Masks the interrupts that use the switch. Bytes are still fetched. */
void board_lock(void)
{
    uint32_t before = serial_mask();

    if (locks++ == 0) {
        masked = before;
    }
}

void board_unlock(void)
{
    ASSERT(locks > 0);
    if (--locks == 0) {
        serial_unmask(masked);
    }
}

/* Does not sleep if an interrupt came since the last call. */
void board_sleep(void)
{
    uint32_t before = armv7m_mask();

    watchdog_feed();
    if (!woken) {
        timer_rest();
    }
    woken = false;
    armv7m_unmask(before);
}

_Noreturn void board_reset(void)
{
    armv7m_reset();
}

/* ---- start ---- */

uint32_t program_image_crc(void)
{
    const uint8_t *from = (const uint8_t *)(&boot_identity + 1);

    return crc32_update(0, from, (uint32_t)(boot_image_end - from));
}

void program_init(struct serial_node *at, struct serial_node_config *config)
{
    ASSERT((int32_t)config->memory_bytes > 0);
    ASSERT((int32_t)config->aside_bytes >= 0);
    config->version = BOOT_VERSION;
    config->strapped = boot_identity.x != IMAGE_NOT_SET;
    config->strap = (struct torus_coord){boot_identity.x, boot_identity.y};
    config->salt = ++starts;
    config->byte_ns = NS_PER_S / serial_baud(0) * BITS_PER_BYTE;
    node = at;
    serial_node_init(node, config);
}
