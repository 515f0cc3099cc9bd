/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of torus/ and scatter/plan/ to cases that come as bytes: the same
 * program on a board and, with sanitizers, on the host. Numbers are
 * little-endian, structs as both compilers lay them out: pointers come first.
 */
#ifndef TEST_TARGET_CASES_H
#define TEST_TARGET_CASES_H

#include <stdint.h>

#define CASES_BYTES_MAX 32768u

/* Bytes that were read, `bytes` unless the input ends. */
typedef uint32_t cases_read(void *context, void *into, uint32_t bytes);
typedef void cases_write(void *context, const void *from, uint32_t bytes);

/* Answers until the input ends. A case is its kind and how many bytes follow,
   32 bits each; an answer its number of bytes, and these. */
void cases_answer(void *context, cases_read *read, cases_write *write);

#endif
