/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of which Frama-C's Eva assumes nothing but their range. */
#ifndef TEST_PROVE_ANY_H
#define TEST_PROVE_ANY_H

#include <stdint.h>

uint8_t any_u8(uint8_t least, uint8_t most);
uint16_t any_u16(uint16_t least, uint16_t most);
uint32_t any_u32(uint32_t least, uint32_t most);
uint64_t any_u64(uint64_t least, uint64_t most);

#endif
