/* SPDX-License-Identifier: Apache-2.0 */
#include "test/lib/fake_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VARIABLE "FAKE_CLOCK"
#define DESCRIPTORS_MAX 256u

static struct {
    bool begun;
    int control; /* -1: none */
    uint64_t now_ns;
    uint64_t limit_ns; /* how far time may go */
    uint64_t told_ns;  /* the deadline that the test was told last */
    uint64_t step_ns;  /* by which time goes on whenever it is read */
    void (*idle)(void);
} fake;

static void begin(void)
{
    const char *variable = getenv(VARIABLE);
    const char *step = getenv(VARIABLE "_STEP");

    if (!fake.begun) {
        fake.begun = true;
        fake.control = variable != NULL ? atoi(variable) : -1;
        fake.limit_ns = variable != NULL ? 0 : UINT64_MAX;
        fake.step_ns = step != NULL ? strtoull(step, NULL, 10) : 0;
    }
}

void fake_clock_set(uint64_t now_ns, uint64_t limit_ns)
{
    begin();
    fake.now_ns = now_ns;
    fake.limit_ns = limit_ns;
}

uint64_t fake_clock_ns(void)
{
    return fake.now_ns;
}

void fake_clock_listen(void (*idle)(void))
{
    fake.idle = idle;
}

static uint64_t fake_now(void *context)
{
    (void)context;
    return fake.now_ns += fake.step_ns;
}

/* Tells the test what is waited for, once; not one that does not read it. */
static void tell(uint64_t until_ns)
{
    if (fake.told_ns != until_ns) {
        fake.told_ns = until_ns;
        (void)send(fake.control, &until_ns, sizeof until_ns, MSG_DONTWAIT);
    }
}

/* Where the test has gone, nobody lets time go on: the program ends. */
static void read_limit(void)
{
    if (read(fake.control, &fake.limit_ns, sizeof fake.limit_ns) !=
        sizeof fake.limit_ns) {
        _exit(EXIT_FAILURE);
    }
    fake.told_ns = 0;
}

static int fake_wait(void *context, struct pollfd *of, unsigned count,
                     uint64_t until_ns)
{
    const struct timespec at_once = {0};
    struct pollfd any[DESCRIPTORS_MAX + 1];
    int ready;

    (void)context;
    if (count > DESCRIPTORS_MAX) {
        abort();
    }
    for (;;) {
        ready = ppoll(of, count, &at_once, NULL);
        if (ready == 0 && fake.idle != NULL) {
            fake.idle();
            ready = ppoll(of, count, &at_once, NULL);
        }
        if (ready != 0) {
            return ready;
        }
        if (until_ns <= fake.limit_ns && until_ns != HOST_CLOCK_NEVER) {
            fake.now_ns = until_ns > fake.now_ns ? until_ns : fake.now_ns;
            return 0;
        }
        if (fake.control >= 0) {
            tell(until_ns);
        }
        if (count > 0) {
            memcpy(any, of, count * sizeof *of);
        }
        any[count] = (struct pollfd){.fd = fake.control, .events = POLLIN};
        if (ppoll(any, count + 1, NULL, NULL) < 0) {
            return -1;
        }
        if (any[count].revents != 0) {
            read_limit();
        }
    }
}

const struct host_clock *host_clock(void)
{
    static const struct host_clock clock = {.now = fake_now, .wait = fake_wait};

    begin();
    return &clock;
}
