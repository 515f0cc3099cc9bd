/* SPDX-License-Identifier: Apache-2.0 */
/* Time, the tick, and what a board may do without: alarm, watchdog, sensors. */
#include "hal/serial/timer.h"

#include "hal/serial/board.h"
#include "hal/switch/peek.h"
#include "hal/template/chip.h"

static struct {
    void (*tick)(void);
    uint32_t last; /* counter at the last timer_counts() */
    uint32_t high; /* number of wraps of the counter */
} timer;

void timer_start(void)
{
    chip_timer_start();
}

void timer_on_tick(void (*tick)(void))
{
    timer.tick = tick;
}

/* Called by each tick, so that no wrap is missed. */
uint64_t timer_counts(void)
{
    uint32_t before = chip_mask();
    uint32_t now = chip_timer_count();
    uint64_t counts;

    timer.high += now < timer.last;
    timer.last = now;
    counts = (uint64_t)timer.high << 32 | now;
    chip_unmask(before);
    return counts;
}

uint32_t board_now_us(void)
{
    return (uint32_t)(timer_counts() / TIMER_COUNTS_PER_US);
}

void timer_tick_interrupt(void)
{
    (void)timer_counts();
    if (timer.tick != 0) {
        timer.tick();
    }
}

void timer_rest(void)
{
    chip_wait();
}

/* ---- to be filled in by a board that has them ---- */

/* Ignored: work at a port waits for the tick, 1 ms at most. */
void board_alarm(uint32_t at_us)
{
    (void)at_us;
}

/* Unknown: plans do not charge kernels with the time of interrupts. */
uint32_t board_ports_us(void)
{
    return 0;
}

void watchdog_feed(void)
{
}

void board_measure(uint16_t *supply_mv, int16_t *celsius)
{
    *supply_mv = 0;
    *celsius = PEEK_NO_CELSIUS;
}

void board_led(bool on)
{
    chip_led(on);
}
