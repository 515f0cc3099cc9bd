/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/patch.h"

#include "qemu/fabric/backend.h"
#include "qemu/fabric/windows.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WORD 4u
#define OFFSET_BITS 22u
#define RUN_WORDS_MAX 1023u
/* Most unchanged words inside a run: to send one more costs as much as to begin
   a new run. */
#define GAP_WORDS 1u

static_assert(BACKEND_WINDOW_BYTES / WORD <= 1u << OFFSET_BITS,
              "a run can begin anywhere");

/* ---- making ---- */

static void append(struct patch *patch, const void *data, size_t bytes)
{
    if (bytes > patch->room - patch->bytes) {
        patch->room = 2 * patch->room + bytes + 256;
        patch->data = memory_or_exit(realloc(patch->data, patch->room));
    }
    memcpy(patch->data + patch->bytes, data, bytes);
    patch->bytes += bytes;
}

/* Copies the words of a run from the window to the copy and into the patch. */
static void append_run(struct patch *patch, const uint8_t *from, uint8_t *to,
                       uint32_t first, uint32_t words)
{
    uint32_t head = first | words << OFFSET_BITS;
    size_t at = (size_t)first * WORD;

    window_read(to + at, from + at, (size_t)words * WORD);
    append(patch, &head, sizeof head);
    append(patch, to + at, (size_t)words * WORD);
}

static bool differs(const uint8_t *from, const uint8_t *to, uint32_t word)
{
    return memcmp(from + (size_t)word * WORD, to + (size_t)word * WORD, WORD) !=
           0;
}

/* Appends the changed words of a range, whose ends are rounded to words. */
static void compare(struct patch *patch, const struct window *window,
                    struct window *copy, uint32_t offset, uint32_t bytes)
{
    const uint8_t *from = (const uint8_t *)window;
    uint8_t *to = (uint8_t *)copy;
    uint32_t word = offset / WORD;
    uint32_t end = (uint32_t)(((uint64_t)offset + bytes + WORD - 1) / WORD);

    if (bytes == 0 || memcmp(from + offset, to + offset, bytes) == 0) {
        return;
    }
    while (word < end) {
        uint32_t last = word;

        if (!differs(from, to, word)) {
            word += 1;
            continue;
        }
        for (uint32_t i = word + 1;
             i < end && i - last <= GAP_WORDS + 1 && i - word < RUN_WORDS_MAX;
             ++i) {
            last = differs(from, to, i) ? i : last;
        }
        append_run(patch, from, to, word, last - word + 1);
        word = last + 1;
    }
}

#define COMPARE(patch, window, copy, first, bytes)                             \
    compare(patch, window, copy, (uint32_t)offsetof(struct window, first),     \
            (uint32_t)(bytes))

/* Compares a range if it lies in the window's area for messages. The fabric
   refuses others. */
static void compare_piece(struct patch *patch, const struct window *window,
                          struct window *copy, uint32_t offset, uint32_t bytes)
{
    if (window_has(offset, bytes)) {
        compare(patch, window, copy, offset, bytes);
    }
}

static uint32_t known(uint32_t bytes)
{
    return bytes < PATCH_KNOWN_BYTES ? bytes : PATCH_KNOWN_BYTES;
}

static void compare_send(struct patch *patch, const struct window *window,
                         struct window *copy, const struct window_send *send)
{
    for (unsigned port = 0; port < NODE_PORTS; ++port) {
        if ((send->ports >> port & 1u) != 0) {
            bool to_host = port == NODE_PORT_HOST;
            uint32_t bytes = send->head.bytes;

            compare_piece(patch, window, copy,
                          send->head.offset + port * send->head_stride,
                          to_host ? bytes : known(bytes));
        }
    }
    if ((send->ports >> NODE_PORT_HOST & 1u) != 0) {
        compare_piece(patch, window, copy, send->shared.offset,
                      send->shared.bytes);
        compare_piece(patch, window, copy, send->body[0].offset,
                      send->body[0].bytes);
    } else {
        compare_piece(patch, window, copy, send->shared.offset,
                      known(send->shared.bytes));
    }
}

static void compare_rows(struct patch *patch, const struct window *window,
                         struct window *copy, const struct window_rows *rows)
{
    compare_piece(patch, window, copy, rows->shared.offset,
                  known(rows->shared.bytes));
    if (rows->cut.last_form < CIRCUIT_FORMS) {
        compare_piece(patch, window, copy, rows->volumes,
                      (rows->cut.last_form + 1u) * (uint32_t)sizeof(uint32_t));
    }
}

/* Compares sends that the node has newly queued, and the ranges that they
   name. */
static void compare_entries(struct patch *patch, const struct window *window,
                            struct window *copy, uint32_t from)
{
    uint32_t queued = copy->queued;

    if (queued - from > WINDOW_QUEUE) {
        return; /* invalid, so the fabric will refuse it */
    }
    for (uint32_t i = from; i != queued; ++i) {
        uint32_t at = i % WINDOW_QUEUE;
        const union window_entry *entry = &copy->entry[at];

        compare(patch, window, copy,
                (uint32_t)(offsetof(struct window, entry) + at * sizeof *entry),
                (uint32_t)sizeof *entry);
        if (entry->send.form == 0) {
            compare_send(patch, window, copy, &entry->send);
        } else {
            compare_rows(patch, window, copy, &entry->rows);
        }
    }
}

static void compare_log(struct patch *patch, const struct window *window,
                        struct window *copy)
{
    uint32_t console = copy->log.console_written;
    uint32_t events;

    COMPARE(patch, window, copy, log.events_written, 2 * sizeof(uint32_t));
    events = copy->log.events_written;
    events = events < NODE_EVENTS ? events : NODE_EVENTS;
    COMPARE(patch, window, copy, log.event, events * sizeof(struct node_event));
    if (console != copy->log.console_written) {
        COMPARE(patch, window, copy, log.console, NODE_CONSOLE_BYTES);
    }
}

void patch_make(struct patch *patch, const struct window *window,
                struct window *copy)
{
    uint32_t queued = copy->queued;

    COMPARE(patch, window, copy, node.status, sizeof window->node.status);
    COMPARE(patch, window, copy, request, sizeof window->request);
    COMPARE(patch, window, copy, queued,
            offsetof(struct window, done) - offsetof(struct window, queued));
    COMPARE(patch, window, copy, form, sizeof window->form);
    COMPARE(patch, window, copy, post, sizeof window->post);
    compare_entries(patch, window, copy, queued);
    compare_log(patch, window, copy);
}

/* ---- applying ---- */

static bool is_the_nodes(size_t offset, size_t bytes)
{
    static const struct {
        size_t begin;
        size_t end;
    } ranges[] = {
        {offsetof(struct window, node.status),
         offsetof(struct window, response)},
        {offsetof(struct window, queued), offsetof(struct window, done)},
        {offsetof(struct window, form), offsetof(struct window, injection)},
        {WINDOW_DMA_OFFSET, BACKEND_WINDOW_BYTES},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        if (offset >= ranges[i].begin && offset + bytes <= ranges[i].end) {
            return true;
        }
    }
    return false;
}

bool patch_apply(struct window *copy, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        uint32_t head;
        size_t offset;
        size_t run;

        if (bytes < sizeof head) {
            return false;
        }
        memcpy(&head, data, sizeof head);
        offset = (size_t)(head & ((1u << OFFSET_BITS) - 1)) * WORD;
        run = (size_t)(head >> OFFSET_BITS) * WORD;
        data += sizeof head;
        bytes -= sizeof head;
        if (run == 0 || run > bytes || !is_the_nodes(offset, run)) {
            return false;
        }
        memcpy((uint8_t *)copy + offset, data, run);
        data += run;
        bytes -= run;
    }
    return true;
}
