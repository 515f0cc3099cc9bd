/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on the host and on the board's processor: what Python's twins
   (test/kernels/) do not look at. */
#include "kernels/kernel.h"
#include "test/unit/unit.h"

#include <string.h>

extern const struct kernel kernel_dictionary;
extern const struct kernel kernel_search;
extern const struct kernel kernel_spin;

#define WORK_WORDS 1024u
#define RESULT_WORDS 1040u
#define OFFSETS 1024u
#define HEAD 12u /* of a search for one pattern */

static uint32_t work[WORK_WORDS];

static int begin(const struct kernel *kernel, struct kernel_terms *terms,
                 const void *arg, uint32_t arg_bytes)
{
    struct kernel_job job = {arg, arg_bytes, 1};

    *terms = (struct kernel_terms){.before_bytes = 0};
    return kernel->begin(work, terms, &job);
}

static uint64_t count_of(const struct kernel_result *result)
{
    return kernel_load_u64(result->data + HEAD - 8);
}

static uint32_t offset_of(const struct kernel_result *result, uint32_t n)
{
    return kernel_load_u32(result->data + HEAD + 4 * n);
}

static void begin_search(struct unit *unit, const uint8_t *pattern,
                         uint32_t bytes)
{
    struct kernel_terms terms;

    CHECK_EQUAL(unit, begin(&kernel_search, &terms, pattern, bytes), KERNEL_OK);
    CHECK_EQUAL(unit, terms.after_bytes, bytes - 1);
    CHECK(unit, terms.result_bytes_max <= sizeof(uint32_t) * RESULT_WORDS);
    CHECK(unit, terms.result_bytes_max >= HEAD + 4 * OFFSETS);
}

static void search_counts_from_where_the_range_begins(struct unit *unit)
{
    static uint32_t room[RESULT_WORDS];
    static const uint8_t letters[] = {'x', 'a', 'x', 'x', 'a'};
    struct kernel_result result = {.data = (uint8_t *)room};
    struct kernel_range range = {.data = letters,
                                 .units = 4,
                                 .unit_bytes = 1,
                                 .after_bytes = 1,
                                 .first_unit = 0xfffffff0u};

    begin_search(unit, (const uint8_t *)"xa", 2);
    kernel_search.run(work, &result, &range);
    CHECK_EQUAL(unit, count_of(&result), 2);
    CHECK_EQUAL(unit, offset_of(&result, 0), 0xfffffff0u);
    CHECK_EQUAL(unit, offset_of(&result, 1), 0xfffffff3u);
}

/* A buffer may hold more than the overlap: what begins there is not ours. */
static void search_leaves_what_begins_beyond_its_range(struct unit *unit)
{
    static uint32_t room[RESULT_WORDS];
    static const uint8_t letters[] = {'a', 'a', 'a', 'a', 'a', 'a'};
    struct kernel_result result = {.data = (uint8_t *)room};
    struct kernel_range range = {.data = letters, .unit_bytes = 1};

    begin_search(unit, (const uint8_t *)"aa", 2);
    for (range.units = 0; range.units <= 4; ++range.units) {
        range.after_bytes = sizeof letters - range.units;
        kernel_search.run(work, &result, &range);
        CHECK_EQUAL(unit, count_of(&result), range.units);
    }
}

static void search_refuses_malformed_results(struct unit *unit)
{
    static uint32_t room[RESULT_WORDS + 8];
    static uint32_t kept[RESULT_WORDS];
    struct kernel_result into = {.data = (uint8_t *)kept};
    struct kernel_result next = {.data = (uint8_t *)room};

    begin_search(unit, (const uint8_t *)"a", 1);
    memset(room, 0, sizeof room);
    for (uint32_t bytes = 0; bytes <= HEAD + 4 * OFFSETS + 8; ++bytes) {
        bool well_formed =
            bytes >= HEAD && bytes % 4 == 0 && bytes <= HEAD + 4 * OFFSETS;

        memset(kept, 0, sizeof kept);
        kept[0] = 1; /* pattern */
        kept[1] = 1;
        into.bytes = HEAD + 4;
        /* Its count says what it holds. */
        room[0] = 1;
        room[1] = bytes < HEAD ? 0 : (bytes - HEAD) / 4;
        next.bytes = bytes;
        CHECK_EQUAL(unit, kernel_search.merge(work, &into, &next),
                    well_formed ? KERNEL_OK : KERNEL_RESULT);
        if (!well_formed) {
            CHECK_EQUAL(unit, into.bytes, HEAD + 4);
            CHECK_EQUAL(unit, kept[1], 1);
        }
    }
}

/* What report() says, kept for the checks. */
struct heard {
    uint64_t count;
};

static void hear_integer(void *context, const char *name, uint64_t value)
{
    if (strcmp(name, "count") == 0 || strcmp(name, "units") == 0) {
        ((struct heard *)context)->count = value;
    }
}

static void spin_reads_decimal_numbers_only(struct unit *unit)
{
    static const struct {
        const char *text;
        uint32_t instructions; /* 0: refused */
    } cases[] = {{"1", 1},       {"16", 16},        {"100000", 100000},
                 {"007", 7},     {"99999", 99999},  {"", 0},
                 {"0", 0},       {"000", 0},        {"100001", 0},
                 {"1000000", 0}, {"4294967297", 0}, {"18446744073709551617", 0},
                 {"-1", 0},      {"+1", 0},         {" 1", 0},
                 {"1 ", 0},      {"1.5", 0},        {"0x10", 0},
                 {"1e3", 0},     {"12a", 0},        {":", 0},
                 {"/", 0},       {"6,burst", 6},    {"5,burst", 0},
                 {"0,burst", 0}, {",burst", 0},     {"9,burs", 0},
                 {"9,burst,", 0}};

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct kernel_terms terms;
        int error = begin(&kernel_spin, &terms, cases[i].text,
                          (uint32_t)strlen(cases[i].text));

        CHECK_EQUAL(unit, error,
                    cases[i].instructions ? KERNEL_OK : KERNEL_ARGUMENT);
        if (cases[i].instructions) {
            CHECK_EQUAL(unit, terms.after_bytes, 0);
            CHECK_EQUAL(unit, terms.result_bytes_max, 8);
            CHECK_EQUAL(unit, terms.instructions_per_1000_units,
                        cases[i].instructions * 1000);
        }
    }
}

static void spin_adds_up_units(struct unit *unit)
{
    uint32_t a[2];
    uint32_t b[2];
    struct kernel_terms terms;
    struct kernel_result into = {.data = (uint8_t *)a};
    struct kernel_result next = {.data = (uint8_t *)b};
    struct kernel_range range = {.units = 70, .unit_bytes = 1};
    struct heard heard = {0};
    struct kernel_sink sink = {.context = &heard, .integer = hear_integer};

    CHECK_EQUAL(unit, begin(&kernel_spin, &terms, "3", 1), KERNEL_OK);
    kernel_spin.run(work, &into, &range);
    range.units = 0;
    kernel_spin.run(work, &next, &range);
    CHECK_EQUAL(unit, kernel_load_u64(next.data), 0);
    kernel_store_u64(next.data, 0x500000001);
    CHECK_EQUAL(unit, kernel_spin.merge(work, &into, &next), KERNEL_OK);
    CHECK_EQUAL(unit, kernel_load_u64(into.data), 0x500000001 + 70);
    for (uint32_t bytes = 0; bytes <= 16; ++bytes) {
        next.bytes = bytes;
        CHECK_EQUAL(unit, kernel_spin.merge(work, &into, &next),
                    bytes == 8 ? KERNEL_OK : KERNEL_RESULT);
    }
    if (kernel_spin.report == NULL) {
        return; /* on a board */
    }
    kernel_spin.report(&into, &sink);
    CHECK(unit, heard.count > 0x500000001);
}

static void kernels_describe_themselves(struct unit *unit)
{
    static const struct kernel *const kernels[] = {
        &kernel_dictionary, &kernel_search, &kernel_spin};

    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        CHECK(unit, strlen(kernels[i]->name) <= KERNEL_NAME_MAX);
        CHECK(unit, kernels[i]->work_bytes <= sizeof work);
        if (kernels[i]->argument != NULL) { /* boards have none */
            CHECK(unit, strlen(kernels[i]->argument) > 0);
            CHECK(unit, strlen(kernels[i]->summary) > 0);
        }
    }
}

void test_kernels(struct unit *unit)
{
    UNIT_RUN(unit, kernels_describe_themselves);
    UNIT_RUN(unit, search_counts_from_where_the_range_begins);
    UNIT_RUN(unit, search_leaves_what_begins_beyond_its_range);
    UNIT_RUN(unit, search_refuses_malformed_results);
    UNIT_RUN(unit, spin_reads_decimal_numbers_only);
    UNIT_RUN(unit, spin_adds_up_units);
}
