/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash/request.h"

uint32_t flash_request_kib(uint32_t bytes)
{
    return (bytes + 1023) / 1024;
}
