/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page shows of a mesh of boards that stands: every node's state, its
 * last job, and the counters of its links, asked by peeks over one console
 * (qemu/survey/).
 */
#ifndef QEMU_LIVE_READING_H
#define QEMU_LIVE_READING_H

#include "hal/nodiscard.h"
#include "qemu/survey/links.h"
#include "qemu/survey/ps.h"

#include <jansson.h>

struct reading {
    struct ps ps;
    struct links links;
    uint64_t forgiven_ms; /* when dead boards were last asked again */
};

/* Nothing is asked yet. The console, of the board at `originator`, stays the
   caller's, and open until reading_end(). */
void reading_begin(struct reading *reading, struct console *console,
                   struct torus_size size, struct torus_coord originator);
void reading_end(struct reading *reading);

/* Asks all boards. One that did not answer before is asked again after half a
   minute, since that costs seconds (qemu/survey/sweep.h). Result: whether all
   are well. */
bool reading_take(struct reading *reading);

/* The last reading, as pages have it (qemu/page/boards.js). */
json_t *reading_json(const struct reading *reading);

/* Writes a page of the last reading. Result: 0, or -1 after a message. */
NODISCARD int reading_write(const struct reading *reading, const char *path);

#endif
