/* SPDX-License-Identifier: Apache-2.0 */
/* ARM DDI 0403, B3.3. */
#include "hal/stm32f405/taken.h"

#include "hal/armv7m.h"

struct taken taken_by_ports;

uint64_t taken_cycles(void)
{
    uint32_t before = armv7m_mask();
    uint64_t cycles = taken_by_ports.cycles;

    armv7m_unmask(before);
    return cycles;
}
