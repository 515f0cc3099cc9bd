/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/stm32f405/start.h"

#include "boot/boot.h"
#include "hal/stm32f405/registers.h"

static bool probe_id(struct boot_start *start)
{
    const volatile uint32_t *id = (const volatile uint32_t *)UID_BASE;

    return boot_probe_word(id, &start->id[0]) &&
           boot_probe_word(id + 1, &start->id[1]) &&
           boot_probe_word(id + 2, &start->id[2]);
}

/* Sets the vector table's address, since a boot loader may have set another. */
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
