/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/nodes.h"

#include "hal/bytes.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CRYSTAL_PART 50u /* largest error of a crystal: 1 / CRYSTAL_PART */

void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator)
{
    sweep_begin(&nodes->sweep, console, size, originator);
    nodes->identity =
        memory_or_exit(calloc(torus_nodes(size), sizeof *nodes->identity));
}

void nodes_end(struct nodes *nodes)
{
    sweep_end(&nodes->sweep);
    free(nodes->identity);
}

const struct identity *nodes_first(const struct nodes *nodes)
{
    return &nodes->identity[torus_index(nodes->sweep.size,
                                        nodes->sweep.originator)];
}

bool identity_is_emulated(const struct identity *identity)
{
    return strcmp(identity->clock, "emulated") == 0;
}

/* ---- reading ---- */

/* Reads the names of clock and reset from a page. A name ends with a NUL, or
   fills its room. */
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

static void parse_identity(void *context, uint32_t index, const uint8_t *page)
{
    struct identity *identity = &((struct nodes *)context)->identity[index];

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
        snprintf(identity->chip.number + 8 * i, 9, "%08" PRIX32,
                 bytes_load_u32(page + PEEK_AT_UID + 4 * i));
    }
    parse_names(identity, page);
}

static void judge(struct identity *identity, const struct identity *originator)
{
    bool slow = strcmp(identity->clock, "hse-pll") != 0 &&
                !identity_is_emulated(identity);
    int at = 0;

    identity->unfit[0] = '\0';
    if (slow) {
        at = snprintf(identity->unfit, IDENTITY_WHY_BYTES,
                      "its clock is %s at %" PRIu32
                      " Hz, not hse-pll: its crystal does not run",
                      identity->clock, identity->clock_hz);
    }
    if (identity->image_crc != originator->image_crc) {
        snprintf(
            identity->unfit + at, IDENTITY_WHY_BYTES - (size_t)at,
            "%sits image has CRC %08" PRIX32 ", the originator's %08" PRIX32,
            at > 0 ? "; " : "", identity->image_crc, originator->image_crc);
    }
}

int nodes_read(struct nodes *nodes)
{
    uint32_t count = torus_nodes(nodes->sweep.size);
    int missing;

    for (uint32_t i = 0; i < count; ++i) {
        if (!nodes->sweep.node[i].skip) {
            nodes->identity[i] = (struct identity){.known = false};
        }
    }
    missing = sweep_read(&nodes->sweep, PEEK_IDENTITY, PEEK_IDENTITY_BYTES,
                         parse_identity, nodes);
    for (uint32_t i = 0; i < count && nodes_first(nodes)->known; ++i) {
        if (nodes->identity[i].known) {
            judge(&nodes->identity[i], nodes_first(nodes));
        }
    }
    return missing;
}

/* ---- nodes that stand out ---- */

static bool is_alike(const struct identity *a, const struct identity *b,
                     unsigned mark)
{
    uint32_t more =
        a->crystal_hz > b->crystal_hz ? a->crystal_hz : b->crystal_hz;
    uint32_t less = a->crystal_hz + b->crystal_hz - more;

    switch (mark) {
    case IDENTITY_IMAGE:
        return a->image_crc == b->image_crc;
    case IDENTITY_CLOCK:
        return a->clock_hz == b->clock_hz && strcmp(a->clock, b->clock) == 0;
    case IDENTITY_CRYSTAL:
        return more - less <= more / CRYSTAL_PART;
    case IDENTITY_MEMORY:
        return a->room_bytes == b->room_bytes;
    default:
        return strcmp(a->chip.number, b->chip.number) == 0;
    }
}

/* Marks nodes that differ from most nodes in the property that `mark` stands
   for: of nodes that are alike in it, the largest set stays unmarked. With
   IDENTITY_TWICE marks boards that are found at several positions. */
static void mark_odd(struct nodes *nodes, uint32_t *alike, unsigned mark)
{
    uint32_t count = torus_nodes(nodes->sweep.size);
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; ++i) {
        const struct identity *its = &nodes->identity[i];

        alike[i] = 0;
        for (uint32_t k = 0; its->known && k < count; ++k) {
            alike[i] += nodes->identity[k].known &&
                        is_alike(its, &nodes->identity[k], mark);
        }
        most = alike[i] > most ? alike[i] : most;
    }
    for (uint32_t i = 0; i < count; ++i) {
        bool odd = mark == IDENTITY_TWICE ? alike[i] > 1 : alike[i] < most;

        nodes->identity[i].marks |= nodes->identity[i].known && odd ? mark : 0;
    }
}

static void parse_version(void *context, uint32_t index, const uint8_t *page)
{
    struct identity *identity = &((struct nodes *)context)->identity[index];

    memcpy(identity->version, page + PEEK_AT_VERSION, PEEK_VERSION_BYTES);
}

static unsigned marks_alone(const struct nodes *nodes, uint32_t index)
{
    const struct identity *its = &nodes->identity[index];
    unsigned marks = 0;

    if (its->faults > 0 || strcmp(its->reset, "watchdog") == 0) {
        marks |= IDENTITY_RESET;
    }
    if (its->placed && torus_index(nodes->sweep.size, its->place) != index) {
        marks |= IDENTITY_PLACE;
    }
    return its->known ? marks : 0;
}

int nodes_compare(struct nodes *nodes)
{
    static const unsigned compared[] = {IDENTITY_IMAGE, IDENTITY_CLOCK,
                                        IDENTITY_CRYSTAL, IDENTITY_MEMORY,
                                        IDENTITY_TWICE};
    uint32_t count = torus_nodes(nodes->sweep.size);
    uint32_t *alike = memory_or_exit(calloc(count, sizeof *alike));
    int missing = nodes_read(nodes);
    unsigned marks = 0;

    if (missing >= 0) {
        missing = sweep_read(&nodes->sweep, PEEK_IMAGE, PEEK_AT_VERSION,
                             parse_version, nodes);
    }
    for (unsigned i = 0; i < sizeof compared / sizeof *compared; ++i) {
        mark_odd(nodes, alike, compared[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        nodes->identity[i].marks |= marks_alone(nodes, i);
        marks |= nodes->identity[i].marks;
    }
    free(alike);
    return missing < 0 ? -1 : missing > 0 || marks != 0;
}
