/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/survey/identity.h"

#include "hal/bytes.h"
#include "qemu/board/fault_image.h"
#include "qemu/support/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CRYSTAL_PART 50u /* 1 / 50: 2 % */

/* ---- reading ---- */

/* The clock's name and the reset's, a NUL behind each that fits. */
static void parse_names(struct identity *identity, const uint8_t *page)
{
    const char *names = (const char *)page + PEEK_AT_NAMES;
    size_t first = strnlen(names, PEEK_NAMES_BYTES);
    size_t second =
        first + 1 < PEEK_NAMES_BYTES
            ? strnlen(names + first + 1, PEEK_NAMES_BYTES - first - 1)
            : 0;

    memcpy(identity->clock, names, first);
    memcpy(identity->reset, names + first + 1, second);
}

static void parse_page(void *context, uint32_t index, const uint8_t *page,
                       unsigned bytes)
{
    struct identity *identity = (struct identity *)context + index;

    (void)bytes;
    *identity = (struct identity){
        .known = true,
        .placed = (page[PEEK_AT_WHO_FLAGS] & PEEK_PLACED) != 0,
        .place = {page[PEEK_AT_WHO_X], page[PEEK_AT_WHO_Y]},
        .image_crc = bytes_load_u32(page + PEEK_AT_CRC),
        .clock_hz = bytes_load_u32(page + PEEK_AT_CLOCK_HZ),
        .crystal_hz = bytes_load_u32(page + PEEK_AT_CRYSTAL_HZ),
        .room_bytes = bytes_load_u32(page + PEEK_AT_ROOM),
        .uptime_ms = bytes_load_u32(page + PEEK_AT_WHO_UPTIME),
        .supply_mv = bytes_load_u16(page + PEEK_AT_SUPPLY),
        .celsius = (int16_t)bytes_load_u16(page + PEEK_AT_CELSIUS),
        .faults = bytes_load_u16(page + PEEK_AT_WHO_FAULTS),
        .start = bytes_load_u16(page + PEEK_AT_START)};
    for (unsigned i = 0; i < 3; ++i) {
        identity->uid[i] = bytes_load_u32(page + PEEK_AT_UID + 4 * i);
    }
    parse_names(identity, page);
}

int identity_read(struct identity *identity, struct sweep *sweep)
{
    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        if (!sweep->node[i].skip) {
            identity[i].known = false;
        }
    }
    return sweep_read(sweep, PEEK_IDENTITY, PEEK_IDENTITY_BYTES, parse_page,
                      identity);
}

/* ---- who stands out ---- */

static bool same_image(const struct identity *a, const struct identity *b)
{
    return a->image_crc == b->image_crc;
}

static bool same_clock(const struct identity *a, const struct identity *b)
{
    return a->clock_hz == b->clock_hz && strcmp(a->clock, b->clock) == 0;
}

static bool same_crystal(const struct identity *a, const struct identity *b)
{
    uint32_t more =
        a->crystal_hz > b->crystal_hz ? a->crystal_hz : b->crystal_hz;
    uint32_t less = a->crystal_hz + b->crystal_hz - more;

    return more - less <= more / CRYSTAL_PART;
}

static bool same_memory(const struct identity *a, const struct identity *b)
{
    return a->room_bytes == b->room_bytes;
}

static bool same_board(const struct identity *a, const struct identity *b)
{
    return memcmp(a->uid, b->uid, sizeof a->uid) == 0;
}

typedef bool same_function(const struct identity *a, const struct identity *b);

/* Marks those to which fewer nodes are alike than to others. */
static void mark_odd(unsigned *mark, uint32_t *alike,
                     const struct identity *identity, uint32_t nodes,
                     same_function *same, unsigned bit)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < nodes; ++i) {
        alike[i] = 0;
        for (uint32_t k = 0; identity[i].known && k < nodes; ++k) {
            alike[i] += identity[k].known && same(&identity[i], &identity[k]);
        }
        most = alike[i] > most ? alike[i] : most;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        mark[i] |= identity[i].known && alike[i] < most ? bit : 0;
    }
}

static bool is_twice(const struct identity *identity, uint32_t nodes,
                     uint32_t index)
{
    for (uint32_t i = 0; i < nodes; ++i) {
        if (i != index && identity[i].known &&
            same_board(&identity[i], &identity[index])) {
            return true;
        }
    }
    return false;
}

void identity_mark(unsigned *mark, const struct identity *identity,
                   struct torus_size size)
{
    static same_function *const same[] = {same_image, same_clock, same_crystal,
                                          same_memory};
    uint32_t nodes = torus_nodes(size);
    uint32_t *alike = memory_or_exit(calloc(nodes, sizeof *alike));

    memset(mark, 0, nodes * sizeof *mark);
    for (unsigned i = 0; i < sizeof same / sizeof *same; ++i) {
        mark_odd(mark, alike, identity, nodes, same[i], 1u << i);
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const struct identity *its = &identity[i];

        if (!its->known) {
            continue;
        }
        if (its->faults > 0 || strcmp(its->reset, "watchdog") == 0) {
            mark[i] |= IDENTITY_RESET;
        }
        if (its->placed && torus_index(size, its->place) != i) {
            mark[i] |= IDENTITY_PLACE;
        }
        mark[i] |= is_twice(identity, nodes, i) ? IDENTITY_TWICE : 0u;
    }
    free(alike);
}

/* ---- who is unfit ---- */

bool identity_is_emulated(const struct identity *node)
{
    return strcmp(node->clock, "emulated") == 0;
}

bool identity_is_unfit(char why[IDENTITY_WHY_BYTES],
                       const struct identity *node,
                       const struct identity *originator)
{
    bool slow =
        strcmp(node->clock, "hse-pll") != 0 && !identity_is_emulated(node);
    bool other = node->image_crc != originator->image_crc;
    int at = 0;

    if (!node->known || !originator->known || (!slow && !other)) {
        return false;
    }
    if (slow) {
        at = snprintf(why, IDENTITY_WHY_BYTES,
                      "its clock is %s at %" PRIu32
                      " Hz, not hse-pll: its crystal does not run",
                      node->clock, node->clock_hz);
    }
    if (other) {
        snprintf(why + at, IDENTITY_WHY_BYTES - (size_t)at,
                 "%sits image has CRC %08" PRIX32
                 ", the originator's %08" PRIX32,
                 at > 0 ? "; " : "", node->image_crc, originator->image_crc);
    }
    return true;
}

unsigned identity_print_unfit(FILE *out, const struct identity *identity,
                              const struct sweep *sweep)
{
    uint32_t first = torus_index(sweep->size, sweep->originator);
    unsigned count = 0;

    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        char why[IDENTITY_WHY_BYTES];

        if (identity_is_unfit(why, &identity[i], &identity[first])) {
            fprintf(out, "node %u,%u: %s\n", sweep->node[i].at.x,
                    sweep->node[i].at.y, why);
            count += 1;
        }
    }
    return count;
}

char *identity_image(const struct identity *identity, const struct sweep *sweep,
                     const char *firmware)
{
    const struct identity *first =
        &identity[torus_index(sweep->size, sweep->originator)];
    struct fault_image image;
    char *text = NULL;
    size_t bytes;
    FILE *out;

    if (!first->known) {
        return NULL;
    }
    out = memory_or_exit(open_memstream(&text, &bytes));
    fault_image_open(&image, firmware);
    fault_image_print(out, &image, first->image_crc);
    (void)fclose(out);
    return memory_or_exit(text);
}

void identity_print_image(FILE *out, const struct identity *identity,
                          const struct sweep *sweep, const char *firmware)
{
    char *text = identity_image(identity, sweep, firmware);

    if (text != NULL) {
        fprintf(out, "image %s\n", text);
    }
    free(text);
}
