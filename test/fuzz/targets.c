/* SPDX-License-Identifier: Apache-2.0 */
/* All that is tried, and frames of neighbours that discovery hears. */
#include "test/fuzz/targets.h"

#include "kernels/kernel.h"
#include "qemu/serial/fault_text.h"
#include "scatter/wire/wire.h"
#include "test/unit/ignore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame is u8 what, u8 length and its bytes; what: bits 0 and 1 the port,
   and these. */
enum step {
    STEP_TICK = 4,
    STEP_START = 8,
    STEP_BUSY = 16,
    STEP_OURS = 32, /* of this node's wave, whatever the bytes say */
    STEP_LOOP = 64, /* what was told last on the port comes back instead */
    STEP_LATER = 128
};

struct loops {
    uint8_t told[TORUS_PORTS][DISCOVER_FRAME_BYTES_MAX];
    uint8_t bytes[TORUS_PORTS];
    uint8_t count;
};

static int loop_tell(void *context, unsigned port, const uint8_t *data,
                     unsigned bytes)
{
    struct loops *loops = context;

    fuzz_check(port < TORUS_PORTS && bytes <= DISCOVER_FRAME_BYTES_MAX,
               "a frame that is too long");
    loops->count += 1;
    if (loops->count % 8 == 0) {
        return ERR_PORT_BUSY;
    }
    memcpy(loops->told[port], data, bytes);
    loops->bytes[port] = (uint8_t)bytes;
    return ERR_OK;
}

static void hear_frame(struct discover *d, struct loops *loops, uint8_t what,
                       const uint8_t *in, uint32_t bytes)
{
    unsigned port = what % TORUS_PORTS;
    bool loop = (what & STEP_LOOP) != 0;
    uint32_t length = loop ? loops->bytes[port] : bytes;
    uint8_t *frame = malloc(length);

    fuzz_check(frame != NULL, "no memory");
    if (length > 0) {
        memcpy(frame, loop ? loops->told[port] : in, length);
    }
    if ((what & STEP_OURS) != 0 && length >= 8) {
        memcpy(frame + 2, d->own + 2, 6);
    }
    discover_heard(d, loop ? (port + 2) % TORUS_PORTS : port, frame, length);
    free(frame);
}

static void check_discovery(const struct discover *d)
{
    struct torus_size size = discover_size(d);
    char text[FAULT_TEXT_BYTES];
    struct torus_coord at;

    if (discover_at(d, &at)) {
        fuzz_check(at.x < size.width && at.y < size.height,
                   "a place outside the mesh");
    }
    for (unsigned i = 0; i < d->faults && i < DISCOVER_FAULTS_MAX; ++i) {
        fuzz_check(fault_text(text, size, &d->fault[i]) == strlen(text),
                   "a fault without words");
    }
    fuzz_check(!discover_ready(d) || discover_epoch(d) != 0,
               "ready without a wave");
}

static void try_discover(const struct fuzz_target *target, const uint8_t *in,
                         uint32_t bytes)
{
    struct loops loops = {.count = 0};
    struct discover_config config = {.uid = {1, 2, 3},
                                     .retry_us = 100,
                                     .tell = loop_tell,
                                     .context = &loops};
    struct discover *d = malloc(sizeof *d);
    uint32_t now_us = 0;

    (void)target;
    fuzz_check(d != NULL, "no memory");
    discover_init(d, &config, 0);
    for (uint32_t at = 0; at + 2 <= bytes; at += 2) {
        uint8_t what = in[at];
        uint32_t length = in[at + 1] < bytes - at - 2 ? in[at + 1] : 0;

        discover_busy(d, (what & STEP_BUSY) != 0);
        if ((what & STEP_START) != 0) {
            ignore(discover_start(d, (struct torus_size){1, 1},
                                  (struct torus_coord){0, 0}, 0));
        }
        hear_frame(d, &loops, what, in + at + 2, length);
        now_us += (what & STEP_LATER) != 0 ? 3000 : 10;
        if ((what & STEP_TICK) != 0) {
            discover_tick(d, now_us);
            for (unsigned port = 0; port < TORUS_PORTS; ++port) {
                discover_speak(d, port);
            }
        }
        check_discovery(d);
        at += length;
    }
    free(d);
}

/* A node whose ports lead to itself, and a wave from a neighbour. */
static void seed_discover(const struct fuzz_target *target)
{
    uint8_t out[600] = {STEP_START | STEP_TICK, 0};
    uint32_t bytes = 2;
    static const uint8_t status[48] = {0x11, 2, 1, 0, 9, 9, 9, 9, 5,
                                       5,    0, 0, 1, 5, 0, 5, 7};
    static const uint8_t echo[48] = {0x13, 2, 1, 0, 9, 9, 9, 9, 0, 1, 4, 0, 1,
                                     0,    5, 0, 5, 0, 0, 0, 0, 0, 1, 1, 1, 2};

    (void)target;
    while (bytes < sizeof out) {
        out[bytes] = (uint8_t)(STEP_LOOP | STEP_TICK | bytes / 2 % TORUS_PORTS);
        out[bytes + 1] = 0;
        bytes += 2;
    }
    fuzz_add(out, sizeof out);
    for (uint32_t i = 0; i < 10; ++i) {
        uint8_t *at = out + 50 * i;

        at[0] = (uint8_t)(STEP_TICK | STEP_LATER * (i > 4));
        at[1] = 48;
        memcpy(at + 2, i % 5 == 3 ? echo : status, 48);
        at[2 + 13] = (uint8_t)(i > 2 ? 15 : 0);
    }
    fuzz_add(out, 500);
}

/* ---- all of them ---- */

#define KERNELS_MAX 64u

const struct fuzz_target *fuzz_targets(void)
{
    static const struct fuzz_target others[] = {
        {.name = "discover", .try = try_discover, .seed = seed_discover},
        {.name = "shell", .try = console_try, .seed = console_seed},
        {.name = "switch", .try = switch_fuzz_try, .seed = switch_fuzz_seed},
        {.name = "node-pattern", .try = node_try, .seed = node_seed},
        {.name = "node-tree",
         .policy = WIRE_TREE,
         .try = node_try,
         .seed = node_seed},
        {.name = "node-farm",
         .policy = WIRE_FARM,
         .try = node_try,
         .seed = node_seed},
        {.name = "mesh", .try = mesh_try, .seed = mesh_seed}};
    static struct fuzz_target
        targets[sizeof others / sizeof *others + KERNELS_MAX + 1];
    struct fuzz_target *at = targets;

    memcpy(at, others, sizeof others);
    at += sizeof others / sizeof *others;
    for (unsigned i = 0; i < kernel_table_count && i < KERNELS_MAX; ++i) {
        *at = (struct fuzz_target){.kernel = kernel_table[i]->name,
                                   .try = kernels_try_read};
        snprintf(at->name, sizeof at->name, "read-%s", at->kernel);
        at += 1;
    }
    return targets;
}
