/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/ranks.h"

#include "qemu/ranks/leftovers.h"
#include "qemu/ranks/patience.h"
#include "qemu/ranks/transport.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OBJECT "ranks.so"
#define FLUSH_BYTES 32768u
#define END_MS 5000u
#define LEAVE_S 30u /* longest wait for other ranks at the end, s */

/* Records for one rank that were not sent yet. */
struct outbox {
    uint8_t *data;
    size_t bytes;
    size_t room;
};

static struct {
    const struct transport *transport; /* NULL: this is the only process */
    unsigned own;
    unsigned count;
    struct outbox *outbox;         /* one for each rank */
    struct ranks_traffic *traffic; /* one for each rank */
    uint16_t mesh;
    bool given_up;
    /* Received message whose records are being read. */
    uint8_t *message;
    size_t bytes;
    size_t at;
    unsigned from;
} ranks = {.count = 1};

/* ---- joining ---- */

static long number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? strtol(text, NULL, 10) : 0;
}

bool ranks_launched(void)
{
    if (number_of("OMPI_COMM_WORLD_SIZE") > 1 || number_of("PMI_SIZE") > 1) {
        return true;
    }
    /* srun --mpi=pmix tells the number of ranks by no other variable. */
    return getenv("PMIX_RANK") != NULL && number_of("SLURM_STEP_NUM_TASKS") > 1;
}

/* Tasks of srun without PMIx run separately, which is seldom meant. The first
   task says so. */
void ranks_warn(void)
{
    const char *own = getenv("SLURM_PROCID");

    if (!ranks_launched() && number_of("SLURM_STEP_NUM_TASKS") > 1 &&
        own != NULL && strcmp(own, "0") == 0) {
        fprintf(stderr,
                "quincunx: each of the %ld tasks of srun is a run of its own; "
                "for one mesh of all: srun --mpi=pmix\n",
                number_of("SLURM_STEP_NUM_TASKS"));
    }
}

static const struct transport *load(void)
{
    char path[PATH_MAX];
    void *object;
    const struct transport *transport;

    file_beside_program(path, OBJECT);
    if (path[0] == '\0') {
        return NULL;
    }
    /* MPI's plug-ins, which are loaded later, need its symbols
       (RTLD_GLOBAL). */
    object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (object == NULL) {
        fprintf(stderr,
                "quincunx: started as one of several ranks, but without MPI: "
                "%s; `make' builds with it where libopenmpi-dev is installed\n",
                dlerror());
        return NULL;
    }
    transport = dlsym(object, TRANSPORT_SYMBOL);
    if (transport == NULL || transport->version != TRANSPORT_VERSION) {
        fprintf(stderr, "quincunx: %s is of another version of quincunx\n",
                path);
        return NULL;
    }
    return transport;
}

/* Waits until all records are sent, and ends MPI. Returns false if they are not
   sent within END_MS. */
static bool take_leave(void)
{
    ranks_flush();
    for (unsigned waited = 0; !ranks.transport->sent(); ++waited) {
        if (waited == END_MS) {
            return false;
        }
        host_clock_pause(host_clock(), HOST_CLOCK_MS_NS);
    }
    patience_begin("do not end", LEAVE_S);
    ranks.transport->end();
    patience_end();
    return true;
}

/* Tells all workers to end. Called at exit() of rank 0. */
static void end_all(int status, void *context)
{
    (void)context;
    for (unsigned rank = 1; rank < ranks.count; ++rank) {
        ranks_put(rank, RECORD_END, 0, NULL, 0);
    }
    fflush(NULL);
    if (ranks.given_up || !take_leave()) {
        ranks.transport->abort(status != 0 ? status : EXIT_FAILED);
    }
}

void ranks_give_up(void)
{
    ranks.given_up = true;
}

int ranks_begin(unsigned start_s)
{
    const struct transport *transport = load();

    if (transport == NULL) {
        return EXIT_USAGE;
    }
    if (getenv("OMPI_COMM_WORLD_LOCAL_RANK") != NULL &&
        number_of("OMPI_COMM_WORLD_LOCAL_RANK") == 0) {
        leftovers_remove();
    }
    patience_begin("do not start", start_s);
    if (transport->begin(&ranks.own, &ranks.count) != 0) {
        return EXIT_FAILED;
    }
    patience_end();
    if (ranks.count == 1) {
        fputs("quincunx: started as one of several ranks, of which this Open "
              "MPI knows nothing: use its own mpirun, or srun --mpi=pmix\n",
              stderr);
        transport->end();
        return EXIT_USAGE;
    }
    ranks.transport = transport;
    ranks.outbox = memory_or_exit(calloc(ranks.count, sizeof *ranks.outbox));
    ranks.traffic = memory_or_exit(calloc(ranks.count, sizeof *ranks.traffic));
    if (ranks.own == 0) {
        on_exit(end_all, NULL);
    }
    return 0;
}

unsigned ranks_own(void)
{
    return ranks.own;
}

unsigned ranks_count(void)
{
    return ranks.count;
}

void ranks_set_mesh(uint16_t mesh)
{
    ranks.mesh = mesh;
}

/* ---- out ---- */

static void flush_to(unsigned rank)
{
    struct outbox *outbox = &ranks.outbox[rank];

    if (outbox->bytes > 0 && rank != ranks.own) {
        ranks.transport->send(rank, outbox->data, outbox->bytes);
        *outbox = (struct outbox){.data = NULL};
    }
}

static void append(struct outbox *outbox, const void *data, size_t bytes)
{
    if (bytes > outbox->room - outbox->bytes) {
        outbox->room = outbox->bytes + bytes + FLUSH_BYTES / 4;
        outbox->data = memory_or_exit(realloc(outbox->data, outbox->room));
    }
    if (bytes > 0) {
        memcpy(outbox->data + outbox->bytes, data, bytes);
        outbox->bytes += bytes;
    }
}

void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces)
{
    struct outbox *outbox = &ranks.outbox[to];
    struct record head = {
        .kind = (uint16_t)kind, .mesh = ranks.mesh, .node = node};

    for (unsigned i = 0; i < pieces; ++i) {
        head.bytes += (uint32_t)body[i].bytes;
    }
    append(outbox, &head, sizeof head);
    if (kind != RECORD_PAYLOAD && to != ranks.own) {
        ranks.traffic[to].out_bytes += sizeof head + head.bytes;
    }
    for (unsigned i = 0; i < pieces; ++i) {
        append(outbox, body[i].data, body[i].bytes);
    }
    if (outbox->bytes >= FLUSH_BYTES) {
        flush_to(to);
    }
}

void ranks_flush(void)
{
    for (unsigned rank = 0; rank < ranks.count; ++rank) {
        flush_to(rank);
    }
}

void ranks_leave(int status)
{
    fflush(NULL);
    (void)take_leave();
    _exit(status);
}

/* ---- in ---- */

static bool is_used_up(void)
{
    return ranks.at == ranks.bytes;
}

bool ranks_at_hand(void)
{
    return !is_used_up() || ranks.outbox[ranks.own].bytes > 0;
}

/* Makes the next message current: records to this rank itself first, then a
   received one. */
static void next_message(void)
{
    struct outbox *own = &ranks.outbox[ranks.own];

    free(ranks.message);
    ranks.at = 0;
    ranks.from = ranks.own;
    ranks.message = own->data;
    ranks.bytes = own->bytes;
    *own = (struct outbox){.data = NULL};
    if (ranks.bytes == 0) {
        ranks.message = ranks.transport->receive(&ranks.from, &ranks.bytes);
    }
}

/* Makes a record RECORD_BROKEN, in place of a malformed one or one of a later
   mesh. */
static void take_broken(struct ranks_record *record)
{
    record->head = (struct record){.kind = RECORD_BROKEN, .mesh = ranks.mesh};
    record->body = NULL;
}

static void take(struct ranks_record *record)
{
    size_t left = ranks.bytes - ranks.at;
    struct record head;

    record->from = ranks.from;
    if (left >= sizeof head) {
        memcpy(&head, ranks.message + ranks.at, sizeof head);
        if (head.bytes <= left - sizeof head && head.kind < RECORD_BROKEN) {
            record->head = head;
            record->body = ranks.message + ranks.at + sizeof head;
            ranks.at += sizeof head + head.bytes;
            if (head.kind != RECORD_PAYLOAD && ranks.from != ranks.own) {
                ranks.traffic[ranks.from].in_bytes += sizeof head + head.bytes;
            }
            return;
        }
    }
    take_broken(record);
    ranks.at = ranks.bytes;
}

/* Returns whether a record belongs to this mesh, opens it, or belongs to no
   mesh. */
static bool is_ours(const struct record *head)
{
    return head->mesh == ranks.mesh || head->kind == RECORD_OPEN ||
           head->kind == RECORD_HELLO || head->kind == RECORD_END ||
           (head->kind == RECORD_FAILED && head->mesh == 0);
}

bool ranks_next(struct ranks_record *record)
{
    for (;;) {
        if (is_used_up()) {
            next_message();
            if (ranks.message == NULL) {
                return false;
            }
        }
        take(record);
        if (is_ours(&record->head)) {
            return true;
        }
        if (record->head.mesh > ranks.mesh) {
            take_broken(record);
            return true;
        }
    }
}

bool ranks_await(struct ranks_record *record, double until_s)
{
    while (!ranks_next(record)) {
        if (host_clock_s(host_clock()) > until_s) {
            return false;
        }
        host_clock_pause(host_clock(), HOST_CLOCK_MS_NS);
    }
    return true;
}

struct ranks_traffic ranks_traffic_of(unsigned rank)
{
    return ranks.traffic[rank];
}

/* ---- waiting ---- */

uint64_t ranks_sleep_ns(uint64_t *idle_ns)
{
    static const struct {
        uint64_t until_ns;
        uint64_t sleep_ns;
    } steps[] = {{2000000, 20000}, {20000000, 100000}, {UINT64_MAX, 1000000}};
    unsigned i = 0;

    while (*idle_ns >= steps[i].until_ns) {
        i += 1;
    }
    *idle_ns += steps[i].sleep_ns;
    return steps[i].sleep_ns;
}
