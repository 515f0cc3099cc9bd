/* SPDX-License-Identifier: Apache-2.0 */
/* What the host makes of a run: the timeline's digest, in which every field of
   every event counts and the order in which circuits were logged does not; and
   outputs that come back in chunks of any order. */
#include "qemu/job/output_chunks.h"
#include "qemu/job/timeline.h"
#include "scatter/wire/wire.h"
#include "test/unit/unit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the digest ---- */

static struct circuit_record circuits[2];
static struct outcome_node node;

static void set_up(void)
{
    memset(&node, 0, sizeof node);
    memset(circuits, 0, sizeof circuits);
    circuits[1].source = 2;
    circuits[1].grant_ps = 9;
}

static void digest(char hex[TIMELINE_HEX_BYTES], struct unit *unit)
{
    static struct outcome_originator originator;
    static const struct request request = {.size = {1, 1}};
    const struct outcome outcome = {.request = &request,
                                    .originators = 1,
                                    .originator = &originator,
                                    .node = &node,
                                    .node_count = 1,
                                    .circuit = circuits,
                                    .circuit_count = COUNT(circuits)};

    timeline_sha256(&outcome, hex);
    CHECK_EQUAL(unit, strlen(hex), TIMELINE_HEX_BYTES - 1);
}

#define FIELD(type, member)                                                    \
    {                                                                          \
#member, offsetof(struct type, member)                                 \
    }

struct field {
    const char *name;
    size_t at;
};

static const struct field circuit_fields[] = {
    FIELD(circuit_record, source),     FIELD(circuit_record, destination),
    FIELD(circuit_record, port),       FIELD(circuit_record, arrival),
    FIELD(circuit_record, kind),       FIELD(circuit_record, phase),
    FIELD(circuit_record, hops),       FIELD(circuit_record, bytes),
    FIELD(circuit_record, request_ps), FIELD(circuit_record, grant_ps),
    FIELD(circuit_record, end_ps)};
static const struct field node_fields[] = {
    FIELD(outcome_node, at.x),         FIELD(outcome_node, active),
    FIELD(outcome_node, layer),        FIELD(outcome_node, units),
    FIELD(outcome_node, received_ps),  FIELD(outcome_node, hop_ps),
    FIELD(outcome_node, forwarded_ps), FIELD(outcome_node, compute_start_ps),
    FIELD(outcome_node, finished_ps),  FIELD(outcome_node, done_ps)};

/* Each changes the digest alone, by its lowest byte. */
static void check_fields(struct unit *unit, void *of,
                         const struct field fields[], size_t count)
{
    char before[TIMELINE_HEX_BYTES];
    char now[TIMELINE_HEX_BYTES];

    digest(before, unit);
    for (size_t i = 0; i < count; ++i) {
        uint8_t *at = (uint8_t *)of + fields[i].at;

        *at ^= 1;
        digest(now, unit);
        if (strcmp(now, before) == 0) {
            unit_fail(unit, __FILE__, __LINE__, fields[i].name);
        }
        *at ^= 1;
    }
}

static void the_digest_has_every_field(struct unit *unit)
{
    set_up();
    check_fields(unit, &circuits[1], circuit_fields, COUNT(circuit_fields));
    check_fields(unit, &node, node_fields, COUNT(node_fields));
}

static void the_digest_has_no_order_of_circuits(struct unit *unit)
{
    struct circuit_record first;
    char before[TIMELINE_HEX_BYTES];
    char now[TIMELINE_HEX_BYTES];

    set_up();
    digest(before, unit);
    first = circuits[0];
    circuits[0] = circuits[1];
    circuits[1] = first;
    digest(now, unit);
    CHECK_EQUAL(unit, strcmp(now, before), 0);
}

/* ---- outputs ---- */

#define CHUNKS 5u

static const struct kernel_terms terms = {
    .result_bytes_max = 9, .output_numerator = 1, .output_denominator = 2};
static const struct {
    uint32_t first_unit;
    const char *text;
} chunks[CHUNKS] = {
    {0, "abc"}, {7, ""}, {7, "defgh"}, {0x80000000, "i"}, {UINT32_MAX, "jklm"}};

#define ROOM 128u
#define HEAD (WIRE_RESULT_BYTES + 12u)

/* The message with the result "result" in its room of 12 bytes, and behind it
   the chunks, of which each decimal digit of `order` is one. Result: its
   bytes. */
static uint32_t write_message(uint8_t message[ROOM], unsigned order)
{
    uint32_t bytes = HEAD;

    memset(message, 0xa5, ROOM);
    bytes_store_u32(message, 6); /* and no lost descendants */
    memcpy(message + WIRE_RESULT_BYTES, "result", 6);
    for (unsigned left = order; left > 0; left /= 10) {
        const char *text = chunks[left % 10 - 1].text;
        uint32_t length = (uint32_t)strlen(text);

        bytes_store_u32(message + bytes, chunks[left % 10 - 1].first_unit);
        bytes_store_u32(message + bytes + 4, length);
        memcpy(message + bytes + 8, text, length);
        bytes += 8 + WIRE_PAD4(length);
    }
    return bytes;
}

/* The sanitizer finds what is read beyond a message. */
static int join_but(struct kernel_result *result, struct output_places *places,
                    const uint8_t *message, uint32_t bytes,
                    struct wire_range missing)
{
    struct output_missing list = {&missing, missing.units > 0};
    uint8_t *copy = malloc(bytes);
    int status;

    memcpy(copy, message, bytes);
    *result = (struct kernel_result){.bytes = 0};
    status = output_chunks_join(result, places, copy, bytes, &terms, &list);
    free(copy);
    return status;
}

static int join(struct kernel_result *result, const uint8_t *message,
                uint32_t bytes)
{
    struct output_places places;
    int status =
        join_but(result, &places, message, bytes, (struct wire_range){0, 0});

    free(places.place);
    return status;
}

static void discard(struct kernel_result *result)
{
    free(result->data);
    free(result->output);
}

/* Lengths odd and even, one of them none. */
static void chunks_in_any_order(struct unit *unit)
{
    static const unsigned orders[] = {12345, 54321, 31254, 45132, 25413};
    struct kernel_result result;
    uint8_t message[ROOM];

    for (unsigned i = 0; i < COUNT(orders); ++i) {
        uint32_t bytes = write_message(message, orders[i]);

        CHECK_EQUAL(unit, join(&result, message, bytes), 0);
        CHECK(unit, result.bytes == 6 && memcmp(result.data, "result", 6) == 0);
        CHECK(unit, result.output_bytes == 13 &&
                        memcmp(result.output, "abcdefghijklm", 13) == 0);
        discard(&result);
    }
}

/* What a missing range had is dropped, and put in its place when it is there;
   a unit beside the range stays. */
static void lost_chunks_are_put_in_place(struct unit *unit)
{
    struct kernel_result whole, part;
    struct output_places places, part_places;
    uint8_t message[ROOM];
    uint32_t bytes = write_message(message, 12345);

    CHECK_EQUAL(
        unit,
        join_but(&whole, &places, message, bytes, (struct wire_range){1, 7}),
        0);
    CHECK(unit,
          whole.output_bytes == 8 && memcmp(whole.output, "abcijklm", 8) == 0);
    bytes = write_message(message, 32);
    CHECK_EQUAL(unit,
                join_but(&part, &part_places, message, bytes,
                         (struct wire_range){8, 1}),
                0);
    output_chunks_insert(&whole, &places, &part, &part_places);
    CHECK(unit, whole.output_bytes == 13 && part.output_bytes == 0 &&
                    memcmp(whole.output, "abcdefghijklm", 13) == 0);
    CHECK_EQUAL(unit, places.count, CHUNKS);
    discard(&whole);
    discard(&part);
    free(places.place);
    free(part_places.place);
}

/* At each of its bytes, but for the end of a chunk; and lengths that are too
   long, by a little or by a turn around 32 bits. */
static void cut_outputs_are_refused(struct unit *unit)
{
    static const uint32_t wrong[] = {13, 64, 0x7fffffff, 0xfffffff8,
                                     UINT32_MAX};
    struct kernel_result result;
    uint8_t message[ROOM];
    uint32_t whole = write_message(message, 3);

    for (uint32_t bytes = 0; bytes <= whole; ++bytes) {
        CHECK_EQUAL(unit, join(&result, message, bytes),
                    bytes == HEAD || bytes == whole ? 0 : -1);
        discard(&result);
    }
    for (unsigned i = 0; i < 2 * COUNT(wrong); ++i) {
        write_message(message, 3);
        bytes_store_u32(message + i % 2 * (HEAD + 4), wrong[i / 2]);
        CHECK_EQUAL(unit, join(&result, message, whole), -1);
        discard(&result);
    }
}

void test_outcome(struct unit *unit)
{
    UNIT_RUN(unit, the_digest_has_every_field);
    UNIT_RUN(unit, the_digest_has_no_order_of_circuits);
    UNIT_RUN(unit, chunks_in_any_order);
    UNIT_RUN(unit, lost_chunks_are_put_in_place);
    UNIT_RUN(unit, cut_outputs_are_refused);
}
