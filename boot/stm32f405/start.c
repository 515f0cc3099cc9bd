/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/stm32f405/start.h"

#include "boot/boot.h"
#include "boot/stm32f405/console.h"
#include "boot/stm32f405/identity.h"
#include "hal/node.h"
#include "hal/serial/board.h"
#include "hal/stm32f405/registers.h"
#include "hal/stm32f405/serial.h"

static bool probe_id(struct boot_start *start)
{
    const volatile uint32_t *id = (const volatile uint32_t *)UID_BASE;

    return boot_probe_word(id, &start->id[0]) &&
           boot_probe_word(id + 1, &start->id[1]) &&
           boot_probe_word(id + 2, &start->id[2]);
}

/* The table is where the image is; a boot loader may have set another. */
void boot_start(struct boot_start *start)
{
    uint32_t ignored;

    SCB->VTOR = (uint32_t)(uintptr_t)boot_vectors;
    *start = (struct boot_start){0};
    clocks_start(&start->clocks);
    start->has_ccm =
        boot_probe_word((const volatile uint32_t *)CCM_BASE, &ignored);
    start->has_id = probe_id(start);
}

static void put_fault(const struct node_fault *fault)
{
    boot_console_put("fault exception ");
    boot_console_decimal(fault->exception);
    boot_console_put(" pc ");
    boot_console_hex(fault->pc, 8);
    boot_console_put(" lr ");
    boot_console_hex(fault->lr, 8);
    boot_console_put(" sp ");
    boot_console_hex(fault->sp, 8);
    boot_console_put(" cfsr ");
    boot_console_hex(fault->cfsr, 8);
    boot_console_put(" bfar ");
    boot_console_hex(fault->bfar, 8);
    boot_console_put(" count ");
    boot_console_decimal(board_faults());
    boot_console_put("\n");
}

static void put_place(void)
{
    uint32_t values[] = {boot_identity.x, boot_identity.y, boot_identity.width,
                         boot_identity.height};

    boot_console_put("place");
    for (unsigned i = 0; i < 4; ++i) {
        boot_console_put(" ");
        if (values[i] == IMAGE_NOT_SET) {
            boot_console_put("-");
        } else {
            boot_console_decimal(values[i]);
        }
    }
    boot_console_put("\n");
}

static void put_memory(const struct boot_start *start)
{
    boot_console_put("memory ccm ");
    boot_console_put(start->has_ccm ? "yes" : "no");
    boot_console_put(" id ");
    for (unsigned i = 0; i < 3 && start->has_id; ++i) {
        boot_console_hex(start->id[i], 8);
    }
    boot_console_put(start->has_id ? "\n" : "none\n");
}

void boot_start_banner(const struct boot_start *start)
{
    const struct clocks *clocks = &start->clocks;

    boot_console_put("quincunx stm32f405\nreset ");
    boot_console_put(clocks_reset_name(clocks));
    boot_console_put("\nclocks ");
    boot_console_put(clocks_source_name(clocks));
    boot_console_put(" core ");
    boot_console_decimal(clocks->core_hz);
    boot_console_put(" timer ");
    boot_console_decimal(clocks->timer_hz);
    boot_console_put("\n");
    put_memory(start);
    put_place();
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        boot_console_put("port ");
        boot_console_decimal(port);
        boot_console_put(" baud ");
        boot_console_decimal(serial_baud(port));
        boot_console_put(serial_has_dma(port) ? " dma\n" : " interrupts\n");
    }
    if (board_last_fault() != NULL) {
        put_fault(board_last_fault());
    }
}
