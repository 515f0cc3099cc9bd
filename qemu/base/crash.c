/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* the handler's own stack; the thread's may be full */
#define STACK_BYTES 16384u
#define TEXT_BYTES 512u

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static const char *kernel_name;

struct place {
    const char *function;
    const struct crash_node *node;
};

static _Thread_local struct place place;
static _Thread_local bool has_stack;
static _Thread_local char stack[STACK_BYTES];

/* A message that is built without malloc() and stdio, as a signal handler may
   call only the functions of signal-safety(7). */
struct text {
    char data[TEXT_BYTES];
    size_t bytes;
};

static void put(struct text *text, const char *words)
{
    while (*words != '\0' && text->bytes < TEXT_BYTES) {
        text->data[text->bytes++] = *words++;
    }
}

static void put_number(struct text *text, unsigned number)
{
    char digits[12] = "";
    size_t at = sizeof digits - 1;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(text, digits + at);
}

static void put_place(struct text *text, const struct crash_node *node)
{
    if (node == NULL) {
        put(text, "in ");
        put(text, place.function);
        put(text, "()");
        return;
    }
    put(text, "on native node ");
    put_number(text, node->x);
    put(text, ",");
    put_number(text, node->y);
}

static bool is_full(const struct crash_node *node, const siginfo_t *info)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    uintptr_t guard;

    if (node == NULL || info->si_signo != SIGSEGV) {
        return false;
    }
    guard = (uintptr_t)node->guard;
    return at >= guard && at < guard + node->guard_bytes;
}

static void say(const siginfo_t *info)
{
    struct text text = {.bytes = 0};
    const char *words = sigdescr_np(info->si_signo);

    put(&text, "quincunx: kernel ");
    put(&text, kernel_name);
    put(&text, " crashed ");
    put_place(&text, place.node);
    put(&text, ": ");
    put(&text, is_full(place.node, info) ? "its stack is full"
               : words != NULL           ? words
                                         : "a signal");
    put(&text, "; `gdb --args' before this command shows where\n");
    (void)!write(STDERR_FILENO, text.data, text.bytes);
}

/* Prints where the kernel crashed and restores the signal's default action.
   That ends the process: after the handler a fault repeats, and a signal that
   another process sent is raised again. If several threads crash at once, all
   but one wait. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;

    (void)context;
    while (atomic_flag_test_and_set(&ending)) {
        (void)pause();
    }
    if (place.function != NULL || place.node != NULL) {
        say(info);
    }
    (void)signal(number, SIG_DFL);
    if (info->si_code <= 0) {
        (void)raise(number);
    }
}

/* Gives the thread a stack for signal handlers, unless a sanitizer has done
   so. */
static void give_stack(void)
{
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    stack_t before;

    has_stack = true;
    if (sigaltstack(NULL, &before) == 0 &&
        (before.ss_flags & SS_DISABLE) != 0) {
        (void)sigaltstack(&own, NULL);
    }
}

void crash_begin(const char *kernel)
{
    const struct sigaction action = {.sa_sigaction = on_crash,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction before;

    kernel_name = kernel;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; ++i) {
        if (sigaction(crashes[i], NULL, &before) == 0 &&
            before.sa_handler == SIG_DFL) {
            (void)sigaction(crashes[i], &action, NULL);
        }
    }
}

static void enter(struct place now)
{
    if (!has_stack) {
        give_stack();
    }
    place = now;
}

void crash_in(const char *function)
{
    enter((struct place){.function = function});
}

void crash_on(const struct crash_node *node)
{
    enter((struct place){.node = node});
}

void crash_out(void)
{
    place = (struct place){.function = NULL};
}
