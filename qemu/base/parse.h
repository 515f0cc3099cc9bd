/* SPDX-License-Identifier: Apache-2.0 */
/* Parses numbers of the command line and of profile files: times, sizes,
   meshes, coordinates. Arithmetic is exact. Signs, blanks, empty strings and
   characters after the number are errors. Functions parse_*(text, ...) store
   the value and return NULL; or they store nothing and return a constant error
   text, "must be ...". They are pure functions. */
#ifndef QEMU_BASE_PARSE_H
#define QEMU_BASE_PARSE_H

#include "torus/torus.h"

#include <stdint.h>

/* Parses a time: "4.85us", "3.3ns", "12ps", "0". Units are s, ms, us, ns, ps;
   only "0" needs none. The time is a whole number of picoseconds below 2^64. */
const char *parse_time_ps(const char *text, uint64_t *time_ps);

/* Parses a size below 2^64: "1000", "10M", "64KiB". Digits come first; k, K, M,
   G (powers of 1000), Ki, Mi, Gi (powers of 1024) and B are optional. */
const char *parse_size(const char *text, uint64_t *size);

/* Parses decimal digits, a number below 2^64. */
const char *parse_count(const char *text, uint64_t *count);

/* Parses "P/Q", both below 2^32, Q not 0. The ratio is not reduced. */
const char *parse_ratio(const char *text, uint32_t *numerator,
                        uint32_t *denominator);

/* Parses "WxH", both 1 to TORUS_SIDE_MAX. */
const char *parse_mesh(const char *text, struct torus_size *size);

/* Parses "WxH", sides of an image, both 1 to PARSE_IMAGE_SIDE_MAX pixels. */
#define PARSE_IMAGE_SIDE_MAX 32767u
const char *parse_image(const char *text, uint32_t *width, uint32_t *height);

/* Parses "X,Y", both 0 to TORUS_SIDE_MAX - 1; a smaller mesh may not have this
   node. */
const char *parse_coord(const char *text, struct torus_coord *coord);

/* Parses the first `length` characters as "X,Y,PORT", with PORT east, north,
   west or south; X and Y as parse_coord() does. */
const char *parse_port(const char *text, size_t length, struct torus_coord *at,
                       uint8_t *port);

/* Parses "X,Y", both below 2^64. */
const char *parse_point(const char *text, uint64_t *x, uint64_t *y);

/* Parses the side of a 5^k x 5^k torus, 1 to TORUS_SIDE_MAX. */
const char *parse_side(const char *text, struct torus_size *size);

/* Reports a failed parse: `allowed` is what a parse_ function returned for
   `text`. Returns 0 if `allowed` is NULL, else EXIT_USAGE after "quincunx:
   OPTION 'TEXT': ALLOWED" on stderr. */
int parse_report(const char *option, const char *text, const char *allowed);

/* Checks that a coordinate given by `option` lies in the mesh. Returns 0, or
   EXIT_USAGE after a message. */
int parse_report_outside(const char *option, struct torus_coord coord,
                         struct torus_size size);

/* Prints an error of the command line on stderr, with printf()'s arguments.
   Returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);

#endif
