/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

static void put(const struct unit *unit, const char *text)
{
    unit->put(unit->context, text);
}

static void put_integer(const struct unit *unit, int64_t value)
{
    char digits[21]; /* sign, 19 digits, NUL */
    char *at = &digits[sizeof digits - 1];
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

    *at = '\0';
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        *--at = '-';
    }
    put(unit, at);
}

/* Whether the check is among those that are printed; begins its line. */
static bool diagnose(struct unit *unit, const char *file, uint32_t line,
                     const char *expression)
{
    unit->checks_failed += 1;
    if (unit->checks_failed > UNIT_DIAGNOSTICS_MAX) {
        return false;
    }
    put(unit, "# ");
    put(unit, file);
    put(unit, ":");
    put_integer(unit, line);
    put(unit, ": ");
    put(unit, expression);
    return true;
}

void unit_fail(struct unit *unit, const char *file, uint32_t line,
               const char *expression)
{
    if (diagnose(unit, file, line, expression)) {
        put(unit, ": false\n");
    }
}

void unit_fail_equal(struct unit *unit, const char *file, uint32_t line,
                     const char *expression, int64_t got, int64_t want)
{
    if (diagnose(unit, file, line, expression)) {
        put(unit, ": got ");
        put_integer(unit, got);
        put(unit, ", want ");
        put_integer(unit, want);
        put(unit, "\n");
    }
}

void unit_run(struct unit *unit, void (*test)(struct unit *), const char *name)
{
    unit->tests += 1;
    unit->checks_failed = 0;
    test(unit);
    if (unit->checks_failed > 0) {
        unit->tests_failed += 1;
        put(unit, "# checks failed: ");
        put_integer(unit, unit->checks_failed);
        put(unit, "\nnot ");
    }
    put(unit, "ok ");
    put_integer(unit, unit->tests);
    put(unit, " - ");
    put(unit, name);
    put(unit, "\n");
}

void unit_plan(const struct unit *unit)
{
    put(unit, "1..");
    put_integer(unit, unit->tests);
    put(unit, "\n");
}
