/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions: ASSERT(condition) for what cannot be false on a sound node, such
 * as a queue that is longer than its room. One that fails halts the node as a
 * fault does, and leaves its place where the host reads it: struct node_fault
 * in hal/node.h. What a message or a person may bring about is no assertion
 * but an error of hal/err.h.
 *
 *   Cortex-M   UDF.W (ARMv7-M, A7.7.194) with the place in its 16 bits that the
 *              processor ignores; boot/cortex_m/fault.c finds it there
 *   host       check_failed(): of a native node the same record in its window;
 *              anywhere else a line on stderr, and abort()
 *
 * Cost: a compare and a branch, and 4 bytes more on a board.
 *
 * A source that asserts has a name in CHECK_FILES and defines CHECK_FILE as
 * that: #define CHECK_FILE CHECK_SCATTER_CORE
 */
#ifndef HAL_CHECK_H
#define HAL_CHECK_H

#include <assert.h>
#include <stdint.h>

/* At most 31. New ones go to the end: boards send the numbers. */
#define CHECK_FILES(X)                                                         \
    X(CHECK_INJECT, "hal/inject.c")                                            \
    X(CHECK_SCATTER_CORE, "scatter/engine/core.c")                             \
    X(CHECK_SCATTER_GATHER, "scatter/engine/gather.c")                         \
    X(CHECK_SCATTER_SLOTS, "scatter/engine/slots.c")                           \
    X(CHECK_WINDOW, "hal/window/window.c")                                     \
    X(CHECK_SERIAL_MAILBOX, "hal/serial/mailbox.c")                            \
    X(CHECK_SWITCH_DESTINATION, "hal/switch/destination.c")                    \
    X(CHECK_STM32F405_MAIN, "boot/stm32f405/main.c")                           \
    X(CHECK_SWITCH, "hal/switch/switch.c")                                     \
    X(CHECK_SWITCH_RING, "hal/switch/ring.c")                                  \
    X(CHECK_SWITCH_RELAY, "hal/switch/relay.c")                                \
    X(CHECK_SWITCH_SOURCE, "hal/switch/source.c")                              \
    X(CHECK_SERIAL_PORTS, "hal/serial/ports.c")                                \
    X(CHECK_SERIAL_HOST_PORT, "hal/serial/host_port.c")                        \
    X(CHECK_LINE, "hal/line/line.c")                                           \
    X(CHECK_DISCOVER_WAVE, "hal/discover/wave.c")                              \
    X(CHECK_DISCOVER_JUDGE, "hal/discover/judge.c")                            \
    X(CHECK_DISCOVER_POSITIONS, "hal/discover/positions.c")                    \
    X(CHECK_SERIAL_NODE, "boot/serial/node.c")                                 \
    X(CHECK_SHELL, "boot/shell/shell.c")                                       \
    X(CHECK_SCATTER_PATTERN_PLAN, "scatter/engine/pattern_plan.c")

#define CHECK_NUMBER(name, path) name,
enum check_file {
    CHECK_NO_FILE,
    CHECK_FILES(CHECK_NUMBER) CHECK_FILES_END
};

/* A place in 16 bits: the file, then the line. 0 is none. */
#define CHECK_LINE_BITS 11
#define CHECK_LINE_MAX ((1 << CHECK_LINE_BITS) - 1)
#define CHECK_PLACE(file, line) ((file) << CHECK_LINE_BITS | (line))
#define CHECK_PLACE_FILE(place) ((place) >> CHECK_LINE_BITS)
#define CHECK_PLACE_LINE(place) ((place)&CHECK_LINE_MAX)
static_assert(CHECK_FILES_END <= 1 << (16 - CHECK_LINE_BITS), "a place's bits");

/* UDF.W as a word at its address, and which bits are the place: 3 to 0 of the
   first halfword, then 11 to 0 of the second. */
#define CHECK_UDF_MASK 0xf000fff0u
#define CHECK_UDF 0xa000f7f0u
#define CHECK_UDF_PLACE(word) (((word)&0xfu) << 12 | ((word) >> 16 & 0xfffu))

#ifdef __arm__
#define CHECK_FAIL(place)                                                      \
    do {                                                                       \
        __asm volatile("udf.w %0" ::"i"(place));                               \
        __builtin_unreachable();                                               \
    } while (0)
#else
#define CHECK_FAIL(place) check_failed(place)
#endif

#define ASSERT(condition)                                                      \
    do {                                                                       \
        static_assert(__LINE__ <= CHECK_LINE_MAX, "the line's bits");          \
        if (!(condition)) {                                                    \
            CHECK_FAIL(CHECK_PLACE(CHECK_FILE, __LINE__));                     \
        }                                                                      \
    } while (0)

/* The path of a place's file; "?": there is no such file. */
const char *check_path(uint32_t place);

/* The host's: ends the node that runs, or, where no node does, the program
   with check_abort(). */
_Noreturn void check_failed(uint32_t place);

/* The host's: says where on stderr, and ends the program by SIGABRT. */
_Noreturn void check_abort(uint32_t place);

#endif
