/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of functions that are NODISCARD (hal/nodiscard.h). */
#ifndef TEST_UNIT_IGNORE_H
#define TEST_UNIT_IGNORE_H

/* Around a call whose failure shows in what comes after it. */
static inline void ignore(int error)
{
    (void)error;
}

#endif
