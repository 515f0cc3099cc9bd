/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of an STM32F405 board: brings everything up, says what it found,
 * and answers each line on the console with the ports' counters.
 */
#include "boot/boot.h"
#include "boot/console_stm32f405.h"
#include "boot/start_stm32f405.h"
#include "hal/stm32f405/serial.h"
#include "hal/stm32f405/timer.h"
#include "hal/stm32f405/watchdog.h"

static void byte(void *context, unsigned port, uint8_t value)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        boot_console_byte(value);
    }
}

static void line_error(void *context, unsigned port)
{
    (void)context; /* the driver has counted it */
    (void)port;
}

static unsigned pending(void *context, unsigned port, const uint8_t **data)
{
    (void)context;
    return port == SERIAL_CONSOLE ? boot_console_pending(data) : 0;
}

static void taken(void *context, unsigned port, unsigned bytes)
{
    (void)context;
    if (port == SERIAL_CONSOLE) {
        boot_console_taken(bytes);
    }
}

static const struct serial_callbacks callbacks = {byte, line_error, pending,
                                                  taken};

static void put_counters(void)
{
    boot_console_put("us ");
    boot_console_decimal(timer_us());
    boot_console_put("\n");
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        const struct serial_counters *counters = serial_counters(port);
        const uint32_t values[] = {
            counters->bytes_in, counters->bytes_out, counters->overruns,
            counters->framings, counters->noises,    counters->bursts,
        };

        boot_console_put("port ");
        boot_console_decimal(port);
        for (unsigned i = 0; i < sizeof values / sizeof *values; ++i) {
            boot_console_put(" ");
            boot_console_decimal(values[i]);
        }
        boot_console_put("\n");
    }
}

_Noreturn void boot_board(void)
{
    struct boot_start start;

    boot_start(&start);
    timer_start(&start.clocks, NULL, NULL);
    serial_start(&start.clocks, NULL, &callbacks, NULL);
    boot_start_banner(&start);
    watchdog_start(&start.clocks);
    for (;;) {
        watchdog_feed();
        if (boot_console_get() == '\n') {
            put_counters();
        }
        __asm volatile("wfi" ::: "memory"); /* the tick wakes it at last */
    }
}
