/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that come back in chunks of any order: qemu/outcome/output_chunks.h.
 * Every message is an allocation of its own length, so that the sanitizer finds
 * what is read beyond it.
 */
#include "qemu/outcome/output_chunks.h"
#include "test/scatter/jobs/suite.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ROOM 512u

/* A message that grows. */
struct message {
    uint8_t data[ROOM];
    uint32_t bytes;
};

static const struct kernel_terms plain = {.result_bytes_max = 9};
static const struct kernel_terms with_output = {
    .result_bytes_max = 9, .output_numerator = 1, .output_denominator = 2};

static void put_u32(struct message *message, uint32_t value)
{
    bytes_store_u32(message->data + message->bytes, value);
    message->bytes += 4;
}

/* The result "result" in its room of 12 bytes. */
static void begin(struct message *message)
{
    memset(message->data, 0xa5, ROOM);
    message->bytes = 0;
    put_u32(message, 6);
    memcpy(message->data + 4, "result", 6);
    message->bytes += 12;
}

static void put_chunk(struct message *message, uint32_t first_unit,
                      const char *text)
{
    uint32_t length = (uint32_t)strlen(text);

    put_u32(message, first_unit);
    put_u32(message, length);
    memcpy(message->data + message->bytes, text, length);
    message->bytes += WIRE_PAD4(length);
}

static int take(struct kernel_result *result, const struct message *message,
                uint32_t bytes, const struct kernel_terms *terms)
{
    uint8_t *copy = malloc(bytes > 0 ? bytes : 1);
    int status;

    if (copy == NULL) {
        abort();
    }
    memcpy(copy, message->data, bytes);
    status = output_chunks_join(result, copy, bytes, terms);
    free(copy);
    return status;
}

static void discard(struct kernel_result *result)
{
    free(result->data);
    free(result->output);
}

static void check_taken(struct unit *unit, const struct message *message,
                        const char *output)
{
    struct kernel_result result = {0};
    size_t bytes = strlen(output);

    CHECK_EQUAL(unit, take(&result, message, message->bytes, &with_output), 0);
    CHECK_EQUAL(unit, result.bytes, 6);
    CHECK(unit, result.bytes == 6 && memcmp(result.data, "result", 6) == 0);
    CHECK_EQUAL(unit, result.output_bytes, bytes);
    CHECK(unit, result.output_bytes == bytes &&
                    memcmp(result.output, output, bytes) == 0);
    discard(&result);
}

static void check_refused(struct unit *unit, const struct message *message)
{
    struct kernel_result result = {0};

    CHECK_EQUAL(unit, take(&result, message, message->bytes, &with_output), -1);
    discard(&result);
}

static void results_without_an_output(struct unit *unit)
{
    struct message message;

    begin(&message);
    for (uint32_t bytes = 0; bytes <= 16; ++bytes) {
        struct kernel_result result = {0};

        CHECK_EQUAL(unit, take(&result, &message, bytes, &plain), 0);
        CHECK_EQUAL(unit, result.bytes, bytes);
        CHECK_EQUAL(unit, memcmp(result.data, message.data, bytes), 0);
        CHECK_EQUAL(unit, result.output_bytes, 0);
        discard(&result);
    }
}

/* All orders of five chunks, one of them empty, lengths odd and even. */
static void chunks_in_any_order(struct unit *unit)
{
    static const struct {
        uint32_t first_unit;
        const char *text;
    } chunks[5] = {{0, "abc"},
                   {7, ""},
                   {7, "defgh"},
                   {0x80000000, "i"},
                   {UINT32_MAX, "jklm"}};

    for (unsigned order = 0; order < 5 * 5 * 5 * 5 * 5; ++order) {
        struct message message;
        unsigned used = 0;

        begin(&message);
        for (unsigned i = 0, left = order; i < 5; ++i, left /= 5) {
            used |= 1u << left % 5;
            put_chunk(&message, chunks[left % 5].first_unit,
                      chunks[left % 5].text);
        }
        if (used == 31) {
            check_taken(unit, &message, "abcdefghijklm");
        }
    }
}

/* At each of its bytes; but a message may end behind any chunk. */
static void cut_messages_are_refused(struct unit *unit)
{
    struct message message;
    uint32_t ends[3];

    begin(&message);
    ends[0] = message.bytes;
    put_chunk(&message, 3, "abcdef");
    ends[1] = message.bytes;
    put_chunk(&message, 0, "xyz");
    ends[2] = message.bytes;
    for (uint32_t bytes = 0; bytes <= ends[2]; ++bytes) {
        bool whole = bytes == ends[0] || bytes == ends[1] || bytes == ends[2];
        struct kernel_result result = {0};

        CHECK_EQUAL(unit, take(&result, &message, bytes, &with_output),
                    whole ? 0 : -1);
        discard(&result);
    }
}

/* Beyond the message, by a little or by a turn around 32 bits; and results of
   which bytes would be taken for chunks. */
static void what_is_too_long_is_refused(struct unit *unit)
{
    struct message message;

    begin(&message);
    put_chunk(&message, 0, "abcdefgh");
    for (uint32_t length = 9; length < 40; ++length) {
        const uint32_t wrong[] = {length, 0u - length, 0x80000000 + length,
                                  UINT32_MAX - length % 9};

        for (unsigned i = 0; i < COUNT(wrong); ++i) {
            bytes_store_u32(message.data + 20, wrong[i]);
            check_refused(unit, &message);
            bytes_store_u32(message.data + 20, 8);
            bytes_store_u32(message.data, length == 9 ? 13 : wrong[i] | 64);
            check_refused(unit, &message);
            bytes_store_u32(message.data, 6);
        }
    }
    check_taken(unit, &message, "abcdefgh");
}

/* A kernel whose output is not as long as its terms say. */
static void outputs_of_another_length_are_refused(struct unit *unit)
{
    static const struct {
        int8_t lies;
        bool varies;
        int error;
    } cases[] = {{1, false, ERR_TERMS},
                 {-1, false, ERR_TERMS},
                 {100, true, ERR_TERMS},
                 {0, false, ERR_OK},
                 {0, true, ERR_OK}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        struct job job = {.size = {5, 5},
                          .numerator = 1,
                          .denominator = 1,
                          .lies = cases[i].lies,
                          .varies = cases[i].varies,
                          .units = 100,
                          .unit_bytes = 1};
        struct job_outcome outcome;

        job_run(&outcome, &job);
        CHECK_EQUAL(unit, outcome.report.error, cases[i].error);
        job_free(&outcome);
    }
}

void test_chunks(struct unit *unit)
{
    UNIT_RUN(unit, results_without_an_output);
    UNIT_RUN(unit, chunks_in_any_order);
    UNIT_RUN(unit, cut_messages_are_refused);
    UNIT_RUN(unit, what_is_too_long_is_refused);
    UNIT_RUN(unit, outputs_of_another_length_are_refused);
}
