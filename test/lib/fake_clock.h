/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host clock that goes only as far as a test lets it: fake_clock.c is linked
 * in place of qemu/base/host_clock.c. Time stands still while a program
 * works. A wait with nothing to read ends at once, at its deadline, if time may
 * go so far; else it lasts until there is something to read, or the test lets
 * time go on.
 *
 * In a library for Python time may go on without end, from 0. A program whose
 * environment has FAKE_CLOCK=FD may go nowhere at first; it reads from that
 * socket how far time may go, in ns as 8 bytes, and writes there what it waits
 * for whenever it cannot go on: its deadline, likewise. With FAKE_CLOCK_STEP=NS
 * time goes on by so much whenever it is read, as for work that never waits.
 */
#ifndef TEST_LIB_FAKE_CLOCK_H
#define TEST_LIB_FAKE_CLOCK_H

#include "qemu/base/host_clock.h"

/* Sets the time and how far it may go, ns. */
void fake_clock_set(uint64_t now_ns, uint64_t limit_ns);

uint64_t fake_clock_ns(void);

/* Before time goes on, `idle` is called, who may bring something to read; NULL:
   nobody. */
void fake_clock_listen(void (*idle)(void));

#endif
