/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/worker.h"

#include "qemu/board/emulator.h"
#include "qemu/board/zygote.h"
#include "qemu/fabric/mesh.h"
#include "qemu/fabric/slices.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/patch.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/roll.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RINGS_AT_ONCE 16u

/* An image that has come from rank 0: a file without a name, which boards can
   open while this process lives. */
struct image {
    int fd; /* -1: there is none */
    char path[64];
};

/* A rank's share of a mesh. */
struct share {
    struct backend backend;
    struct local *local;
    struct record_open open;
    struct image firmware;
    struct image firmware_slow;
    char zygote_object[PATH_MAX];
    uint32_t *first;
    uint32_t count;
    bool *waits; /* by node of the rank: it has rung, and has no answer yet */
    bool running;
    double start_s;
};

struct worker {
    struct share *share; /* NULL: there is no mesh */
    struct patch patch;
    uint64_t idle_ns;
};

/* ---- images ---- */

static void image_close(struct image *image)
{
    if (image->fd >= 0) {
        close(image->fd);
    }
    image->fd = -1;
}

/* Result: 0, and the image is to be closed; -1 after a message on stderr. */
static int image_keep(struct image *image, const uint8_t *data, size_t bytes)
{
    image->fd = memfd_create("quincunx-image", MFD_CLOEXEC);
    for (size_t at = 0; image->fd >= 0 && at < bytes;) {
        ssize_t done = write(image->fd, data + at, bytes - at);

        if (done <= 0) {
            image_close(image);
        } else {
            at += (size_t)done;
        }
    }
    if (image->fd < 0) {
        fprintf(stderr, "quincunx: memory for an image: %s\n",
                limits_file_error(errno));
        return -1;
    }
    snprintf(image->path, sizeof image->path, "/proc/%d/fd/%d", (int)getpid(),
             image->fd);
    return 0;
}

/* ---- opening and closing ---- */

static void close_share(struct worker *worker)
{
    struct share *share = worker->share;

    worker->share = NULL;
    if (share == NULL) {
        return;
    }
    if (share->backend.stop != NULL) {
        share->backend.stop(share->backend.context);
    }
    local_free(share->local);
    image_close(&share->firmware);
    image_close(&share->firmware_slow);
    free(share->first);
    free(share->waits);
    free(share);
}

/* Tells rank 0 that this rank cannot go on, and leaves nothing behind. */
static void fail(struct worker *worker, const char *why, bool interrupted)
{
    struct record_failed failed = {.interrupted = interrupted};
    struct ranks_body body[] = {{&failed, sizeof failed}, {why, strlen(why)}};

    close_share(worker);
    ranks_put(0, RECORD_FAILED, 0, body, 2);
    ranks_flush();
}

/* Reads what OPEN says. Result: false if it makes no sense. */
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
    share->count = share->first[ranks_own() + 1] - share->first[ranks_own()];
    return left == (size_t)open->firmware_bytes + open->slow_bytes &&
           (open->firmware_bytes == 0 ||
            image_keep(&share->firmware, at, open->firmware_bytes) == 0) &&
           (open->slow_bytes == 0 ||
            image_keep(&share->firmware_slow, at + open->firmware_bytes,
                       open->slow_bytes) == 0);
}

/* Boards on all hosts are emulated alike, or times would differ. */
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

static int start_boards(struct share *share)
{
    const struct record_open *open = &share->open;
    struct boards_config config = {
        .board = board_named(open->board),
        .firmware = share->firmware.path,
        .firmware_slow =
            open->slow_bytes > 0 ? share->firmware_slow.path : NULL,
        .qemu = emulator_program(),
        .nodes = share->count,
        .first = share->first[ranks_own()],
        .verbose = open->verbose != 0};

    if (config.board == NULL) {
        fprintf(stderr, "quincunx: rank %u: there is no board '%s'\n",
                ranks_own(), quote_shown(open->board));
        return -1;
    }
    if (emulator_check(config.board, "") != 0 || !has_same_emulator(open)) {
        return -1;
    }
    if (open->one_by_one == 0) {
        zygote_object(share->zygote_object);
        config.zygote_object = share->zygote_object;
    }
    return boards_start(&share->backend, &config);
}

static bool start_share(struct share *share)
{
    struct local_config config = {.backend = &share->backend,
                                  .first = share->first,
                                  .ranks = share->open.ranks,
                                  .own = ranks_own(),
                                  .identity = share->open.identity,
                                  .start_s = share->start_s,
                                  .copies = true};
    int error = share->open.in_process != 0
                    ? native_start(&share->backend, share->count,
                                   slices_processors(), NULL)
                    : start_boards(share);

    if (error == 0) {
        share->waits =
            memory_or_exit(calloc(share->count, sizeof *share->waits));
        share->local = local_new(&config);
    }
    return share->local != NULL;
}

static void open_share(struct worker *worker, const struct ranks_record *record)
{
    struct share *share = memory_or_exit(calloc(1, sizeof *share));

    close_share(worker);
    ranks_set_mesh(record->head.mesh);
    share->start_s = mesh_wall_s();
    share->firmware.fd = -1;
    share->firmware_slow.fd = -1;
    worker->share = share;
    if (!read_open(share, record) || share->count == 0 || !start_share(share)) {
        fail(worker, "cannot start its share of the mesh", false);
    } else {
        ranks_put(0, RECORD_OPENED, 0, NULL, 0);
    }
}

/* ---- orders of rank 0 ---- */

/* A node's number in this rank. */
static uint32_t index_of(const struct share *share, uint32_t node)
{
    return node - share->first[ranks_own()];
}

/* The nodes' identities, and how slow they are: now they may start. */
static bool start_nodes(struct share *share, const struct ranks_record *record)
{
    const struct backend *backend = &share->backend;

    if (share->running ||
        record->head.bytes != share->count * sizeof(struct record_start)) {
        return false;
    }
    for (uint32_t i = 0; i < share->count; ++i) {
        struct record_start start;

        memcpy(&start, record->body + i * sizeof start, sizeof start);
        if (start.slow_shift > BACKEND_SLOW_SHIFT_MAX ||
            start.slow_from_shift > BACKEND_SLOW_SHIFT_MAX) {
            return false;
        }
        backend->window(backend->context, i)->node.identity = start.identity;
        backend->slow(backend->context, i, start.slow_shift);
        if (start.slow_from_shift > 0) {
            backend->slow_from(backend->context, i, start.slow_from_shift,
                               start.slow_from_ps);
        }
    }
    share->running = true;
    return true;
}

/* An answer to a node that waits: it reads nothing before it is rung. */
static bool answer(struct share *share, const struct ranks_record *record)
{
    uint32_t node = record->head.node;
    struct record_answer answer;
    struct window *window;
    struct window *copy;

    if (record->head.bytes != sizeof answer ||
        !share->waits[index_of(share, node)]) {
        return false;
    }
    memcpy(&answer, record->body, sizeof answer);
    if (answer.response.port >= NODE_PORTS ||
        answer.response.bytes > BACKEND_WINDOW_BYTES) {
        return false;
    }
    share->waits[index_of(share, node)] = false;
    window = local_window(share->local, node);
    copy = local_copy(share->local, node);
    window->done = answer.done;
    copy->done = answer.done;
    window->response = answer.response;
    return (answer.number == 0 || local_expect(share->local, node, &answer)) &&
           local_ring(share->local, node);
}

static bool send_message(struct share *share, const struct ranks_record *record)
{
    struct record_send send;

    if (record->head.bytes != sizeof send ||
        !local_is_up(share->local, record->head.node)) {
        return false;
    }
    memcpy(&send, record->body, sizeof send);
    return local_send(share->local, record->head.node, &send);
}

static bool slow_from(struct share *share, const struct ranks_record *record)
{
    const struct backend *backend = &share->backend;
    struct record_start start;

    if (record->head.bytes != sizeof start) {
        return false;
    }
    memcpy(&start, record->body, sizeof start);
    if (start.slow_from_shift > BACKEND_SLOW_SHIFT_MAX) {
        return false;
    }
    backend->slow_from(backend->context, index_of(share, record->head.node),
                       start.slow_from_shift, start.slow_from_ps);
    return true;
}

/* Tells rank 0 the new parts of a node's window, with its doorbell or without.
 */
static void tell(struct worker *worker, uint32_t node, enum record_kind kind)
{
    struct share *share = worker->share;
    struct patch *patch = &worker->patch;

    patch->bytes = 0;
    patch_make(patch, local_window(share->local, node),
               local_copy(share->local, node));
    ranks_put(0, kind, node, &(struct ranks_body){patch->data, patch->bytes},
              1);
}

/* Tells rank 0 the times and bytes of this rank, behind all windows if it asks
   for them. */
static void look_at_all(struct worker *worker, bool windows)
{
    struct share *share = worker->share;
    struct record_looked looked = local_looked(share->local);

    for (uint32_t i = 0; windows && i < share->count; ++i) {
        tell(worker, share->first[ranks_own()] + i, RECORD_LOOKED);
    }
    ranks_put(0, RECORD_WORDS, 0, &(struct ranks_body){&looked, sizeof looked},
              1);
}

static void explain(struct share *share, const struct ranks_record *record)
{
    const struct backend *backend = &share->backend;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    backend->explain(backend->context, index_of(share, record->head.node), out);
    fclose(out);
    ranks_put(0, RECORD_WORDS, record->head.node,
              &(struct ranks_body){text, bytes}, 1);
    free(text);
}

/* Carries out an order about one of this rank's nodes. */
static bool obey_node(struct share *share, const struct ranks_record *record)
{
    const struct backend *backend = &share->backend;

    switch (record->head.kind) {
    case RECORD_ANSWER:
        return answer(share, record);
    case RECORD_SEND:
        return send_message(share, record);
    case RECORD_SLOW_FROM:
        return slow_from(share, record);
    case RECORD_KILL:
        backend->kill(backend->context, index_of(share, record->head.node));
        return true;
    case RECORD_EXPLAIN:
        explain(share, record);
        return true;
    default:
        return false;
    }
}

static bool obey_share(struct worker *worker, const struct ranks_record *record)
{
    struct share *share = worker->share;

    switch (record->head.kind) {
    case RECORD_START:
        return start_nodes(share, record);
    case RECORD_PAYLOAD:
        return local_take_payload(share->local, record);
    case RECORD_LOOK:
        look_at_all(worker, record->head.node != 0);
        return true;
    default:
        return local_has(share->local, record->head.node) &&
               obey_node(share, record);
    }
}

static void obey(struct worker *worker, const struct ranks_record *record)
{
    /* Only payload comes from others than rank 0. */
    if (record->from != 0 && record->head.kind != RECORD_PAYLOAD) {
        fail(worker, "was sent what only rank 0 may send", false);
        return;
    }
    switch (record->head.kind) {
    case RECORD_END:
        close_share(worker);
        free(worker->patch.data);
        ranks_leave(0);
    case RECORD_OPEN:
        open_share(worker, record);
        break;
    case RECORD_STOP:
        close_share(worker);
        ranks_put(0, RECORD_STOPPED, 0, NULL, 0);
        break;
    default:
        /* Without a share, an order comes too late. */
        if (record->head.kind == RECORD_BROKEN ||
            (worker->share != NULL && !obey_share(worker, record))) {
            fail(worker, "was sent what makes no sense", false);
        }
        break;
    }
}

/* ---- running ---- */

/* Looks for a doorbell. Result: whether there was something. */
static bool listen(struct worker *worker, long ns)
{
    struct share *share = worker->share;
    uint32_t index;
    enum backend_event event =
        share->backend.wait_at_most(share->backend.context, &index, ns);

    switch (event) {
    case BACKEND_RANG:
        share->waits[index] = true;
        local_note_up(share->local, share->first[ranks_own()] + index);
        tell(worker, share->first[ranks_own()] + index, RECORD_RANG);
        return true;
    case BACKEND_DIED:
        tell(worker, share->first[ranks_own()] + index, RECORD_DIED);
        share->running = false; /* it is the end: rank 0 asks what is left */
        return true;
    case BACKEND_INTERRUPTED:
        fail(worker, "was interrupted", true);
        return true;
    case BACKEND_FAILED:
        fail(worker, "could not start a board", false);
        return true;
    default:
        return false;
    }
}

static bool listens(const struct worker *worker)
{
    return worker->share != NULL && worker->share->running;
}

/* Carries out all orders, passes doorbells on; sleeps if there are none. */
static void step(struct worker *worker)
{
    struct ranks_record record;
    bool busy = false;

    while (ranks_next(&record)) {
        obey(worker, &record);
        busy = true;
    }
    for (unsigned i = 0;
         i < RINGS_AT_ONCE && listens(worker) && listen(worker, 0); ++i) {
        busy = true;
    }
    ranks_flush();
    if (busy) {
        worker->idle_ns = 0;
    } else if (listens(worker)) {
        if (listen(worker, ranks_sleep_ns(&worker->idle_ns))) {
            worker->idle_ns = 0;
        }
    } else {
        host_clock_pause(host_clock(),
                         (uint64_t)ranks_sleep_ns(&worker->idle_ns));
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
