/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test harness for host and target: no allocation, no stdio, TAP out of a
 * callback. A test is a function; it fails if one of its checks does.
 */
#ifndef TEST_UNIT_UNIT_H
#define TEST_UNIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

/* Failed checks of one test that are printed; the rest are only counted. */
#define UNIT_DIAGNOSTICS_MAX 8u

/* Puts NUL-terminated text, not always a whole line. */
typedef void unit_put(void *context, const char *text);

struct unit {
    unit_put *put;
    void *context;
    uint32_t tests;
    uint32_t tests_failed;
    uint32_t checks_failed; /* of the running test */
    uint32_t stride; /* tests of thousands of cases try every so many'th */
};

/* Runs one test; prints its diagnostics, then its TAP line. */
void unit_run(struct unit *unit, void (*test)(struct unit *), const char *name);

/* Counts a failed check and prints where it is. */
void unit_fail(struct unit *unit, const char *file, uint32_t line,
               const char *expression);
void unit_fail_equal(struct unit *unit, const char *file, uint32_t line,
                     const char *expression, int64_t got, int64_t want);

/* Prints how many tests there were: the TAP plan, after the last test. */
void unit_plan(const struct unit *unit);

/* What a test's program on a board does (test/target/main.c): each has its own.
   Result: an exit status. */
int unit_all(unit_put *put, void *context);

/*
 * main() of a program of tests on the host, [--all]: runs them, TAP on standard
 * output; all cases, or some of those tests that have very many. Result: an
 * exit status, 0 or 1; 2: other arguments.
 */
int unit_host(int argc, char **argv, void (*all)(struct unit *unit));

#define UNIT_RUN(unit, test) unit_run((unit), (test), __FILE__ ": " #test)

#define CHECK(unit, condition)                                                 \
    do {                                                                       \
        if (!(condition)) {                                                    \
            unit_fail((unit), __FILE__, __LINE__, #condition);                 \
        }                                                                      \
    } while (0)

/* Integers of any type that int64_t holds. */
#define CHECK_EQUAL(unit, got, want)                                           \
    do {                                                                       \
        int64_t check_got = (int64_t)(got);                                    \
        int64_t check_want = (int64_t)(want);                                  \
        if (check_got != check_want) {                                         \
            unit_fail_equal((unit), __FILE__, __LINE__, #got, check_got,       \
                            check_want);                                       \
        }                                                                      \
    } while (0)

#endif
