/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the scatter that is told messages, with its descendants: parts and
 * advances on the pattern, branches and rounds along a tree; or a worker of a
 * farm, that gets chunks. An input is a list
 * of messages and a list of which of them are told, in what order and how, so
 * that one byte more tells one twice:
 *
 *    0  u8  which node
 *    1  u8  P
 *    2  P times u8 number of a message, u8 how: enum node_how
 *   ..  messages: u8 kind, u8 job, u16 bytes, the bytes
 */
#ifndef TEST_FUZZ_NODE_H
#define TEST_FUZZ_NODE_H

#include "test/fuzz/fuzz.h"

/* The bits of `how`. */
enum node_how {
    NODE_HOW_HEAD = 1, /* the head is delivered first if the node asks so */
    NODE_HOW_DAMAGED = 2,
    NODE_HOW_OTHER_JOB = 4,
    NODE_HOW_PORTS = 0x18, /* two bits: at which it arrives, if it may */
    NODE_HOW_CUT = 0xe0    /* three bits: 0, 1, 2, 4, .. 64 bytes are missing */
};

void node_try_pattern(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes);
void node_try_tree(const struct fuzz_target *target, const uint8_t *in,
                   uint32_t bytes);
void node_try_farm(const struct fuzz_target *target, const uint8_t *in,
                   uint32_t bytes);
void node_seed_pattern(const struct fuzz_target *target);
void node_seed_tree(const struct fuzz_target *target);
void node_seed_farm(const struct fuzz_target *target);

#endif
