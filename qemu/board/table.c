/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/table.h"

#include <string.h>

static const struct board_kind kinds[] = {
    /* Memories by Application Note AN385, 3.1: two of 4 MB. */
    {.place = {.board = "mps2-an385",
               .flash_start = 0,
               .flash_bytes = 4u << 20,
               .ram_start = 0x20000000,
               .ram_bytes = 4u << 20},
     .folder = "mps2_an385",
     .machine = "mps2-an385"},
    /* Application Note AN386: like AN385, with a Cortex-M4. */
    {.place = {.board = "mps2-an386",
               .flash_start = 0,
               .flash_bytes = 4u << 20,
               .ram_start = 0x20000000,
               .ram_bytes = 4u << 20},
     .folder = "mps2_an386",
     .machine = "mps2-an386"},
    /* Memories by RM0090, 2.3 and 3.3. */
    {.place = {.board = "stm32f405",
               .flash_start = 0x08000000,
               .flash_bytes = 1u << 20,
               .ram_start = 0x20000000,
               .ram_bytes = 128u << 10},
     .folder = "stm32f405",
     .machine = "netduinoplus2",
     .circuits = BOARD_SERIAL,
     /* other ends of USART1, 2, 3, UART4, 5, USART6 */
     .uart = {TORUS_EAST, TORUS_NORTH, TORUS_WEST, BOARD_CONSOLE, BOARD_NO_LINE,
              TORUS_SOUTH},
     .unique_emulated = 0x2001FFF0,
     .number = 405,
     .identity_offset = 0x188,
     .target = "target/stm32f4x.cfg",
     .idcode_address = 0xE0042000,
     .device = 0x413,
     .device_name = "STM32F405/407",
     .size_address = 0x1FFF7A22,
     .unique_address = 0x1FFF7A10},
};

#define KINDS (sizeof kinds / sizeof *kinds)

const struct board_kind *board_at(size_t index)
{
    return index < KINDS ? &kinds[index] : NULL;
}

const char *board_known(size_t index)
{
    return index < KINDS ? kinds[index].place.board : NULL;
}

const char *board_emulated(size_t index)
{
    for (size_t i = 0; i < KINDS; ++i) {
        if (kinds[i].circuits == BOARD_SERIAL && kinds[i].machine != NULL &&
            index-- == 0) {
            return kinds[i].place.board;
        }
    }
    return NULL;
}

const char *board_flashed(size_t index)
{
    for (size_t i = 0; i < KINDS; ++i) {
        if (kinds[i].target != NULL && index-- == 0) {
            return kinds[i].place.board;
        }
    }
    return NULL;
}

const struct board_kind *board_named(const char *name)
{
    for (size_t i = 0; i < KINDS; ++i) {
        if (strcmp(kinds[i].place.board, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

int board_set(void *field, const char *option, const char *name)
{
    (void)option;
    *(const struct board_kind **)field = board_named(name);
    return 0;
}

const struct board_kind *board_default(enum board_circuits circuits)
{
    size_t i = 0;

    while (i < KINDS - 1 && kinds[i].circuits != circuits) {
        i += 1;
    }
    return &kinds[i];
}
