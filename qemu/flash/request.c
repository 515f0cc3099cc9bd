/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash/request.h"

#include <string.h>

static const struct flash_chip chips[] = {
    {{"stm32f405", 0x08000000, 1024 * 1024, 0x20000000, 128 * 1024},
     "target/stm32f4x.cfg",
     0xE0042000,
     0x413,
     "STM32F405/407",
     IMAGE_STM32F405,
     0x1FFF7A22,
     0x1FFF7A10},
};

const struct flash_chip *flash_request_chip(const char *board)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i) {
        if (strcmp(chips[i].place.board, board) == 0) {
            return &chips[i];
        }
    }
    return NULL;
}

uint32_t flash_request_kib(uint32_t bytes)
{
    return (bytes + 1023) / 1024;
}
