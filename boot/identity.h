/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tool finds in an image, at a fixed place behind the vectors: which
 * board it is for, and, if somebody has set them, the node's coordinates,
 * which then override what the mesh finds out. Little-endian:
 *
 *   offset  bytes  what
 *        0      4  BOOT_IDENTITY_MAGIC: "QNCX"
 *        4      2  version of this layout: 1
 *        6      2  enum boot_board_kind
 *        8      2  x, 0 to width - 1
 *       10      2  y, 0 to height - 1
 *       12      2  width, nodes
 *       14      2  height, nodes
 *
 * The last four are 0xffff each where not set: also in flash, whose ones can
 * be programmed to zeros later without erasing anything (RM0090, 3.6.4).
 */
#ifndef BOOT_IDENTITY_H
#define BOOT_IDENTITY_H

#include <assert.h>
#include <stdint.h>

#define BOOT_IDENTITY_MAGIC 0x58434e51u
#define BOOT_IDENTITY_VERSION 1u
#define BOOT_IDENTITY_NOT_SET 0xffffu

enum boot_board_kind {
    BOOT_BOARD_STM32F405 = 405
};

struct boot_identity {
    uint32_t magic;
    uint16_t version;
    uint16_t board;
    uint16_t x;
    uint16_t y;
    uint16_t width;
    uint16_t height;
};

static_assert(sizeof(struct boot_identity) == 16, "the layout above");

/* Volatile: a tool may have changed it since it was compiled. */
extern const volatile struct boot_identity boot_identity;

#endif
