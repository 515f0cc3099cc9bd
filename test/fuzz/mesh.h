/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole job: all nodes of a mesh run, and messages on their way are held
 * back, come twice or are changed. Whoever receives what must be refused ends
 * with an error; if there is nothing of that kind, and the order is one that a
 * host sends, the report counts every unit once and has all outputs. An input:
 *
 *    0  u8  width - 1, u8 height - 1, both modulo 5
 *    2  u8  installment or rounds, u8 ports
 *    4  u16 units
 *    6  u8  unit_bytes - 1, u8 bits 0 to 3: numerator of an output, 4 to 7:
 *           denominator; 0: no output
 *    8  u8  bits 0 to 3: bytes before a range, 4 to 7: behind it; u8 of the
 *           result's bytes, how many more than 8
 *   10  u16 of a byte of the tree, u8 what it is changed by; u8 enum mesh_what
 *   14  u64 startup_ps, u64 transfer_ps, u64 compute_ps, all modulo 2^48
 *   38  u32 instructions of 1000 units, modulo 2^20
 *   42  what happens to messages of the job, 12 bytes each: u8 enum mesh_how,
 *       u8 how often the next ones pass as they are, u8 byte of the message
 *       that is changed, u8 by what; u64 compute_ps that a demand tells
 */
#ifndef TEST_FUZZ_MESH_H
#define TEST_FUZZ_MESH_H

#include "test/fuzz/fuzz.h"

enum mesh_what {
    MESH_MASTERS = 1, /* a farm of two levels */
    MESH_TREE = 2,    /* in place of a farm: rounds along a tree, or */
    MESH_PATTERN = 4, /* the pattern, on 5x5 */
    MESH_ORDER = 0xf0 /* in which nodes run */
};

enum mesh_how {
    MESH_HELD = 1, /* until no node can go on without it */
    MESH_OTHER_JOB = 2,
    MESH_DAMAGED = 4,
    MESH_AGAIN = 8,
    MESH_LONGER = 16,
    MESH_SHORTER = 32,
    MESH_CHANGED = 64,
    MESH_TIME = 128 /* a demand tells another compute_ps */
};

void mesh_try(const struct fuzz_target *target, const uint8_t *in,
              uint32_t bytes);
void mesh_seed(const struct fuzz_target *target);

#endif
