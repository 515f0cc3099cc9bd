/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/worker.h"

#include "qemu/board/emulator.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/roll.h"
#include "qemu/base/file.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RINGS_AT_ONCE 16u

/* An image received from rank 0, in an unnamed file that boards can open while
   this process lives. */
struct image {
    int fd; /* -1: no image */
    char path[64];
};

struct share {
    struct local *local; /* NULL: no node was started */
    struct record_open open;
    struct image firmware;
    struct image firmware_slow;
    char zygote_object[PATH_MAX];
    uint32_t *first;
};

struct worker {
    struct share *share; /* NULL: no mesh is open */
    uint64_t idle_ns;
};

/* ---- images ---- */

/* Stores an image. Returns false after a message on stderr. The caller closes
   it. */
static bool image_keep(struct image *image, const uint8_t *data, size_t bytes)
{
    image->fd = process_memory();
    if (image->fd < 0 || !process_memory_write(image->fd, data, bytes, 0)) {
        fprintf(stderr, "quincunx: memory for an image: %s\n",
                limits_file_error(errno));
        return false;
    }
    snprintf(image->path, sizeof image->path, "/proc/%d/fd/%d", (int)getpid(),
             image->fd);
    return true;
}

/* ---- opening and closing ---- */

static void close_share(struct worker *worker)
{
    struct share *share = worker->share;

    worker->share = NULL;
    if (share == NULL) {
        return;
    }
    local_free(share->local);
    process_close(share->firmware.fd);
    process_close(share->firmware_slow.fd);
    free(share->first);
    free(share);
}

/* Tells rank 0 that this rank cannot go on, and ends its nodes. `why` is ""
   after a signal. */
static void fail(struct worker *worker, const char *why)
{
    close_share(worker);
    ranks_put(0, RECORD_FAILED, 0, &(struct ranks_body){why, strlen(why)}, 1);
    ranks_flush();
}

static bool read_open(struct share *share, const struct ranks_record *record)
{
    struct record_open *open = &share->open;
    size_t left = record->head.bytes;
    const uint8_t *at = record->body;
    size_t table;

    if (left < sizeof *open) {
        return false;
    }
    memcpy(open, at, sizeof *open);
    open->board[sizeof open->board - 1] = '\0';
    open->emulator[sizeof open->emulator - 1] = '\0';
    at += sizeof *open;
    left -= sizeof *open;
    table = (ranks_count() + (size_t)1) * sizeof *share->first;
    if (open->ranks != ranks_count() || left < table) {
        return false;
    }
    share->first = memory_or_exit(malloc(table));
    memcpy(share->first, at, table);
    at += table;
    left -= table;
    return share->first[ranks_own()] < share->first[ranks_own() + 1] &&
           left == (size_t)open->firmware_bytes + open->slow_bytes &&
           (open->firmware_bytes == 0 ||
            image_keep(&share->firmware, at, open->firmware_bytes)) &&
           (open->slow_bytes == 0 ||
            image_keep(&share->firmware_slow, at + open->firmware_bytes,
                       open->slow_bytes));
}

/* Returns whether this host's QEMU has the version of rank 0's. Another version
   might give other times. */
static bool has_same_emulator(const struct record_open *open)
{
    char own[EMULATOR_VERSION_BYTES];

    emulator_version(own);
    if (strcmp(own, open->emulator) == 0) {
        return true;
    }
    fprintf(stderr,
            "quincunx: rank %u: its QEMU is '%s', that of rank 0 '%s'; "
            "mpirun -x QUINCUNX_QEMU passes that variable on\n",
            ranks_own(), quote_shown(own), quote_shown(open->emulator));
    return false;
}

static bool describe_boards(struct boards_config *boards, struct share *share)
{
    const struct record_open *open = &share->open;

    *boards = (struct boards_config){
        .board = board_named(open->board),
        .firmware = share->firmware.path,
        .firmware_slow =
            open->slow_bytes > 0 ? share->firmware_slow.path : NULL,
        .qemu = emulator_program(),
        .verbose = open->verbose != 0};
    if (open->one_by_one == 0) {
        file_beside_program(share->zygote_object, "zygote.so");
        boards->zygote_object = share->zygote_object;
    }
    if (boards->board == NULL) {
        fprintf(stderr, "quincunx: rank %u: there is no board '%s'\n",
                ranks_own(), quote_shown(open->board));
        return false;
    }
    return emulator_check(boards->board, "") == 0 && has_same_emulator(open);
}

static bool start_share(struct share *share)
{
    struct local_config config = {.first = share->first,
                                  .identity = share->open.identity,
                                  .in_process = share->open.in_process != 0};

    if (config.in_process || describe_boards(&config.boards, share)) {
        share->local = local_new(&config);
    }
    return share->local != NULL;
}

static void open_share(struct worker *worker, const struct ranks_record *record)
{
    struct share *share = memory_or_exit(calloc(1, sizeof *share));

    close_share(worker);
    ranks_set_mesh(record->head.mesh);
    share->firmware.fd = -1;
    share->firmware_slow.fd = -1;
    worker->share = share;
    if (!read_open(share, record) || !start_share(share)) {
        fail(worker, "cannot start its share of the mesh");
    } else {
        ranks_put(0, RECORD_OPENED, 0, NULL, 0);
    }
}

/* ---- running ---- */

static void obey(struct worker *worker, const struct ranks_record *record)
{
    /* Ranks other than 0 send only bytes of messages. */
    if (record->from != 0 && record->head.kind != RECORD_PAYLOAD) {
        fail(worker, "was sent what only rank 0 may send");
        return;
    }
    switch (record->head.kind) {
    case RECORD_END:
        close_share(worker);
        ranks_leave(0);
    case RECORD_OPEN:
        open_share(worker, record);
        break;
    case RECORD_STOP:
        close_share(worker);
        ranks_put(0, RECORD_STOPPED, 0, NULL, 0);
        break;
    default:
        /* Orders that come late, when no mesh is open, are ignored. */
        if (record->head.kind == RECORD_BROKEN ||
            (worker->share != NULL &&
             !local_obey(worker->share->local, record))) {
            fail(worker, "was sent what makes no sense");
        }
        break;
    }
}

/* Sleeps until a doorbell rings, at most `ns` nanoseconds. Returns whether one
   has rung. */
static bool listen(struct worker *worker, uint64_t ns)
{
    if (worker->share == NULL) {
        host_clock_pause(host_clock(), ns);
        return false;
    }
    switch (local_listen(worker->share->local, ns)) {
    case BACKEND_TIMEOUT:
        return false;
    case BACKEND_INTERRUPTED:
        fail(worker, "");
        return true;
    case BACKEND_FAILED:
        fail(worker, "could not start a board");
        return true;
    default:
        return true;
    }
}

/* Does what rank 0 orders, hands doorbells on to it, and sleeps if there was
   neither. */
static void step(struct worker *worker)
{
    struct ranks_record record;
    bool busy = false;

    while (ranks_next(&record)) {
        obey(worker, &record);
        busy = true;
    }
    for (unsigned i = 0; i < RINGS_AT_ONCE && listen(worker, 0); ++i) {
        busy = true;
    }
    ranks_flush();
    if (busy || listen(worker, ranks_sleep_ns(&worker->idle_ns))) {
        worker->idle_ns = 0;
    }
}

void worker_run(void)
{
    struct worker worker = {.share = NULL};

    roll_answer();
    for (;;) {
        step(&worker);
    }
}
