/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions: ASSERT(condition) for a condition that is always true in a
 * program without errors, such as that a queue's entries fit its array. An
 * assertion that fails halts the node as a fault does, and records its place
 * (file and line) for the host: struct node_fault in hal/node.h. A condition
 * that a message or a person's input can break gets an error of hal/err.h
 * instead.
 *
 *   Cortex-M   UDF.W (ARMv7-M, A7.7.194) with the place in its 16 bits that the
 *              processor ignores; boot/cortex_m/fault.c reads them
 *   host       check_failed(): a native node, a coroutine of the host, records
 *              the place in its window; any other program prints it on stderr
 *              and calls abort()
 *
 * Cost: a compare, a branch and, on a board, the 4 bytes of UDF.W.
 *
 * A source file that asserts has a name in CHECK_FILES, and defines CHECK_FILE
 * as this name: #define CHECK_FILE CHECK_SCATTER_CORE
 */
#ifndef HAL_CHECK_H
#define HAL_CHECK_H

#include <assert.h>
#include <stdint.h>

/* Files that assert, at most 31. Hosts know the numbers: append new files. */
#define CHECK_FILES(X)                                                         \
    X(CHECK_INJECT, "hal/inject.c")                                            \
    X(CHECK_SCATTER_CORE, "scatter/engine/core.c")                             \
    X(CHECK_SCATTER_GATHER, "scatter/engine/gather.c")                         \
    X(CHECK_SCATTER_SLOTS, "scatter/engine/slots.c")                           \
    X(CHECK_WINDOW, "hal/window/window.c")                                     \
    X(CHECK_SERIAL_MAILBOX, "hal/serial/mailbox.c")                            \
    X(CHECK_SWITCH_DESTINATION, "hal/switch/destination.c")                    \
    X(CHECK_SERIAL_PROGRAM, "boot/serial/program.c")                           \
    X(CHECK_SWITCH, "hal/switch/switch.c")                                     \
    X(CHECK_SWITCH_RING, "hal/switch/ring.c")                                  \
    X(CHECK_SWITCH_RELAY, "hal/switch/relay.c")                                \
    X(CHECK_SWITCH_SOURCE, "hal/switch/source.c")                              \
    X(CHECK_SERIAL_PORTS, "hal/serial/ports.c")                                \
    X(CHECK_SERIAL_CIRCUIT, "hal/serial/serial_circuit.c")                     \
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

/* The place of an assertion: the file's number in bits 15 to 11, the line in
   bits 10 to 0. 0: no place. */
#define CHECK_LINE_BITS 11
#define CHECK_LINE_MAX ((1 << CHECK_LINE_BITS) - 1)
#define CHECK_PLACE(file, line) ((file) << CHECK_LINE_BITS | (line))
#define CHECK_PLACE_FILE(place) ((place) >> CHECK_LINE_BITS)
#define CHECK_PLACE_LINE(place) ((place)&CHECK_LINE_MAX)
static_assert(CHECK_FILES_END <= 1 << (16 - CHECK_LINE_BITS), "a place's bits");

/* UDF.W, read as a word at its address. The place is in bits 3 to 0 of its
   first halfword, then in bits 11 to 0 of the second. */
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

/* Returns the path of a place's file; "?": no file has this number. */
const char *check_path(uint32_t place);

/* Ends the native node of this thread, or calls check_abort(). Host only. */
_Noreturn void check_failed(uint32_t place);

/* Prints the place on stderr, and ends the program by SIGABRT. Host only. */
_Noreturn void check_abort(uint32_t place);

#endif
