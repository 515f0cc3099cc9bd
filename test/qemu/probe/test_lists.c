/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of probes that can be carried out, and others. */
#include "test/qemu/probe/suite.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct wire_entry good = {
    .path = {TORUS_EAST, TORUS_LEFT, 2, 1}, .count = 1, .bytes = 100};

/* What the originator says to a list; *rows: how many it made. */
static int32_t say(struct unit *unit, struct suite *suite, uint32_t *rows,
                   const uint8_t *list, uint32_t bytes)
{
    const uint8_t *report;

    CHECK_EQUAL(unit, suite_order(suite, WIRE_MEASURE, list, bytes), MESH_DONE);
    CHECK(unit, suite->mesh.report->data != NULL);
    if (suite->mesh.report->data == NULL) {
        return 1;
    }
    CHECK_EQUAL(unit, suite->mesh.report->data[CIRCUIT_AT_KIND], WIRE_MEASURED);
    report = suite->mesh.report->data + CIRCUIT_HEADER_BYTES;
    *rows = bytes_load_u32(report + 4);
    CHECK_EQUAL(unit, suite->mesh.report->bytes - CIRCUIT_HEADER_BYTES,
                WIRE_MEASURED_BYTES + *rows * WIRE_ROW_BYTES);
    return (int32_t)bytes_load_u32(report);
}

/* A good entry, then this one. */
static int32_t say_entry(struct unit *unit, struct suite *suite, uint32_t *rows,
                         const struct wire_entry *entry)
{
    uint8_t list[2 * WIRE_ENTRY_BYTES];

    wire_entry_store(list, &good);
    wire_entry_store(list + WIRE_ENTRY_BYTES, entry);
    return say(unit, suite, rows, list, sizeof list);
}

static void entries_that_cannot_be(struct unit *unit)
{
    static const struct {
        struct wire_entry entry;
        int32_t error;
    } bad[] = {
        /* once around, to oneself */
        {{{TORUS_EAST, TORUS_STRAIGHT, 5, 0}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, TORUS_LEFT, 5, 5}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, TORUS_STRAIGHT, 0, 0}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, TORUS_STRAIGHT, 6, 0}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, TORUS_RIGHT, 1, 0}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_PORTS, TORUS_STRAIGHT, 1, 0}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{255, 255, 65535, 65535}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, 3, 1, 1}, 1, 64, 0, 0}, ERR_NO_ROUTE},
        {{{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1, 0, 0, 0}, ERR_RANGE},
        {{{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1, 19, 0, 0}, ERR_RANGE},
        {{{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1, 1u << 24, 0, 0}, ERR_MEMORY},
        {{{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1, UINT32_MAX, 0, 0}, ERR_MEMORY},
    };
    static struct suite suite;
    uint32_t rows;

    suite_open(&suite, (struct torus_size){5, 5}, (struct torus_coord){3, 3});
    for (unsigned i = 0; i < COUNT(bad); ++i) {
        CHECK_EQUAL(unit, say_entry(unit, &suite, &rows, &bad[i].entry),
                    bad[i].error);
        CHECK_EQUAL(unit, rows, 1);
        /* It goes on. */
        CHECK_EQUAL(unit, say_entry(unit, &suite, &rows, &good), ERR_OK);
        CHECK_EQUAL(unit, rows, 2);
    }
    suite_close(&suite);
}

static void lists_of_other_lengths(struct unit *unit)
{
    static uint8_t list[3 * WIRE_ENTRY_BYTES];
    static struct suite suite;
    uint32_t rows;

    suite_open(&suite, (struct torus_size){5, 5}, (struct torus_coord){0, 0});
    for (unsigned i = 0; i < 3; ++i) {
        wire_entry_store(list + i * (size_t)WIRE_ENTRY_BYTES, &good);
    }
    for (uint32_t bytes = 0; bytes <= sizeof list; ++bytes) {
        int32_t error = say(unit, &suite, &rows, list, bytes);
        bool whole = bytes % WIRE_ENTRY_BYTES == 0;

        CHECK_EQUAL(unit, error, whole ? ERR_OK : ERR_LENGTH);
        CHECK_EQUAL(unit, rows, whole ? bytes / WIRE_ENTRY_BYTES : 0);
    }
    suite_close(&suite);
}

/* Until the originator's memory is full of rows: 16 MiB less 128 KiB. */
static void more_rows_than_memory(struct unit *unit)
{
    static uint8_t list[16 * WIRE_ENTRY_BYTES];
    struct wire_entry entry = good;
    static struct suite suite;
    uint32_t rows = 0;

    entry.count = 65535;
    for (unsigned i = 0; i < 16; ++i) {
        wire_entry_store(list + i * (size_t)WIRE_ENTRY_BYTES, &entry);
    }
    suite_open(&suite, (struct torus_size){5, 5}, (struct torus_coord){0, 0});
    CHECK_EQUAL(unit, say(unit, &suite, &rows, list, sizeof list), ERR_MEMORY);
    CHECK(unit, rows > 500000 && rows < 524288);
    CHECK_EQUAL(unit, say_entry(unit, &suite, &rows, &good), ERR_OK);
    suite_close(&suite);
}

/* Every node over the shortest path: the times are the fabric's. */
static void times_are_the_fabrics(struct unit *unit)
{
    static const struct torus_size sizes[] = {{5, 5}, {4, 3}, {1, 7}, {2, 6}};

    for (unsigned n = 0; n < COUNT(sizes); ++n) {
        static struct suite suite;
        uint32_t nodes = (uint32_t)sizes[n].width * sizes[n].height;

        suite_open(&suite, sizes[n], torus_coord_of(sizes[n], 2));
        for (uint32_t i = 0; i < nodes; ++i) {
            struct probe probe = {torus_coord_of(sizes[n], i), 2, 60 + i};
            struct probe_row row[2];
            uint64_t set_up_ps;

            if (i == 2) {
                continue;
            }
            CHECK_EQUAL(unit, probe_measure(&suite.channel, row, &probe, 1), 0);
            set_up_ps = SUITE_STARTUP_PS + SUITE_HOP_PS * row[1].hops;
            CHECK_EQUAL(unit, row[1].bytes, 60 + i + CIRCUIT_HEADER_BYTES);
            CHECK_EQUAL(unit, row[1].answer_bytes, row[1].bytes);
            CHECK_EQUAL(unit, row[1].t2_ps - row[1].t1_ps,
                        set_up_ps + SUITE_BYTE_PS * row[1].bytes);
            CHECK_EQUAL(unit, row[1].t4_ps - row[1].t3_ps,
                        set_up_ps + SUITE_BYTE_PS * row[1].bytes);
            CHECK_EQUAL(unit, row[1].t3_ps - row[1].t2_ps, 1000000);
            CHECK(unit, row[1].t1_ps > row[0].t4_ps);
        }
        suite_close(&suite);
    }
}

void test_lists(struct unit *unit)
{
    UNIT_RUN(unit, entries_that_cannot_be);
    UNIT_RUN(unit, lists_of_other_lengths);
    if (unit->stride == 1) { /* half a million probes */
        UNIT_RUN(unit, more_rows_than_memory);
    }
    UNIT_RUN(unit, times_are_the_fabrics);
}
