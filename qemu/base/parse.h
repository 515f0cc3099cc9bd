/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers on the command line and in profile files: times, sizes, meshes,
 * coordinates. Exact integer arithmetic; signs, blanks, empty strings and
 * anything behind the number are errors.
 *
 * Every parse_ function of a text returns NULL and stores the value, or
 * returns what is allowed, "must be ..." (a string constant), and stores
 * nothing. Pure functions; cost: the length of the text.
 */
#ifndef QEMU_BASE_PARSE_H
#define QEMU_BASE_PARSE_H

#include "torus/torus.h"

#include <stdint.h>

/*
 * "4.85us", "3.3ns", "12ps", "0": digits, optionally a point and more digits,
 * and one of s, ms, us, ns, ps, which only "0" may lack. The time must be a
 * whole number of picoseconds below 2^64.
 */
const char *parse_time_ps(const char *text, uint64_t *time_ps);

/*
 * "1000", "10M", "64KiB": digits, then nothing, k, K, M, G (powers of 1000)
 * or Ki, Mi, Gi (powers of 1024), then optionally B. Below 2^64.
 */
const char *parse_size(const char *text, uint64_t *size);

/* Digits only, below 2^64. */
const char *parse_count(const char *text, uint64_t *count);

/* "P/Q", each below 2^32, Q not 0. Not reduced. */
const char *parse_ratio(const char *text, uint32_t *numerator,
                        uint32_t *denominator);

/* "WxH", each 1 to TORUS_SIDE_MAX. */
const char *parse_mesh(const char *text, struct torus_size *size);

/* "X,Y", each 0 to TORUS_SIDE_MAX - 1: not yet known to lie in a mesh. */
const char *parse_coord(const char *text, struct torus_coord *coord);

/* "X,Y", each below 2^64. */
const char *parse_point(const char *text, uint64_t *x, uint64_t *y);

/* The side of a square torus of 5^k x 5^k nodes, 1 to TORUS_SIDE_MAX. */
const char *parse_side(const char *text, struct torus_size *size);

/*
 * Prints that an option's value is not allowed. `allowed` is what one of the
 * above returned for `text`. Result: 0 if it is NULL; otherwise EXIT_USAGE,
 * after "quincunx: OPTION 'TEXT': ALLOWED" on stderr.
 */
int parse_report(const char *option, const char *text, const char *allowed);

/* Prints that an option's coordinate lies outside of the mesh, if it does.
   Result: 0 or EXIT_USAGE. */
int parse_report_outside(const char *option, struct torus_coord coord,
                         struct torus_size size);

/* Prints what is wrong with the command line on stderr, as printf() does.
   Result: EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);

#endif
