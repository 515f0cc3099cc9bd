/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator of a farm, to whom workers that are played here send demands
 * and results. Unless a message is what a worker may send, or the order is one
 * that no host sends, the job ends with an error; else every unit is computed
 * once, by a worker or by the originator, and the report counts them all and
 * has their outputs. An input:
 *
 *    0  u8  width - 1, u8 height - 1, both modulo 5
 *    2  u8  installment, u8 ports
 *    4  u16 units
 *    6  u8  unit_bytes - 1, u8 bits 0 to 3: numerator of an output, 4 to 7:
 *           denominator; 0: no output
 *    8  u8  bits 0 to 3: bytes before a range, 4 to 7: behind it; u8 of the
 *           result's bytes, how many more than 8
 *   10  u16 of a byte of the tree, u8 what it is changed by; u8 0
 *   14  u64 startup_ps, u64 transfer_ps, u64 compute_ps, all modulo 2^48
 *   38  u32 instructions of 1000 units, modulo 2^20
 *   42  what comes, 12 bytes each: u8 enum farm_how, u8 worker, u8 byte of the
 *       message that is changed, u8 by what; u64 compute_ps
 *
 * Behind its end workers send what they should.
 *
 * The same of a master (scatter/engine/farm_master.h), whose group are all
 * nodes but the originator: that one is played, too, and gives it chunks, if it
 * waits for anything and the byte for the worker is even, of as many units as
 * that byte and the first of compute_ps say, and one more. Of the head
 * startup_ps is what a demand takes.
 */
#ifndef TEST_FUZZ_FARM_H
#define TEST_FUZZ_FARM_H

#include "test/fuzz/fuzz.h"

enum farm_how {
    FARM_HOW_NONE = 1, /* nothing, if the originator does not wait for ever */
    FARM_HOW_OTHER_JOB = 2,
    FARM_HOW_DAMAGED = 4,
    FARM_HOW_AGAIN = 8, /* the last demand, but for its output, once more */
    FARM_HOW_LONGER = 16,
    FARM_HOW_SHORTER = 32,
    FARM_HOW_CHANGED = 64,
    FARM_HOW_ANYBODY = 128 /* of a worker that need not have a chunk in hand */
};

void farm_try_originator(const struct fuzz_target *target, const uint8_t *in,
                         uint32_t bytes);
void farm_seed_originator(const struct fuzz_target *target);

void farm_try_master(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes);
void farm_seed_master(const struct fuzz_target *target);

#endif
