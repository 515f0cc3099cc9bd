/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/checkpoint.h"

#include "qemu/job/batches.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAVE_S 1.0 /* least time from one write to the next */
#define PLACE_BYTES 120u

/* What a result depends on; the last two are known when the mesh is open. */
enum mark {
    MARK_KERNEL,
    MARK_PROGRAM,
    MARK_ARGUMENT,
    MARK_UNIT,
    MARK_LOAD,
    MARK_BATCH,
    MARK_IMAGE,
    MARKS
};

static const char *const others[MARKS] = {
    "is of another kernel",
    "is of another program, or another image of the boards",
    "is of another argument (--arg, a file that it names, or -o)",
    "is of another --unit",
    "is of another INPUT",
    "has batches of another length (--batch, or what a node's memory takes)",
    "is of boards with another image"};

struct digest {
    uint8_t byte[SHA256_DIGEST_SIZE];
};

static const char magic[16] = "quincunx batches";

/* The file: this struct, the result, and a digest of both. */
struct state {
    char magic[sizeof magic];
    struct digest mark[MARKS];
    struct outcome_batch sum; /* of all batches that are done */
    uint64_t batches;
    uint64_t output_bytes; /* of FILE.so-far; what it has more does not count */
    struct digest output;
};

struct checkpoint {
    const char *path;
    char *output_path;
    int output;                    /* open for writing, or -1 */
    struct sha256_ctx output_hash; /* of output_bytes */
    struct digest mark[MARKS];     /* of this job */
    struct state state;            /* as last read or written */
    struct kernel_result result;   /* as read, until checkpoint_begin() */
    uint32_t count;                /* number of all batches; 0: not begun */
    double saved_s; /* when batches were last written; 0: never */
    bool failed;    /* true: a failure was told */
};

/* ---- digests ---- */

static struct digest end(struct sha256_ctx *hash)
{
    struct digest digest;

    sha256_digest(hash, sizeof digest.byte, digest.byte);
    return digest;
}

static struct digest digest_of(const void *bytes, size_t count)
{
    struct sha256_ctx hash;

    sha256_init(&hash);
    sha256_update(&hash, count, bytes);
    return end(&hash);
}

static int add_load(struct sha256_ctx *hash, const struct format_load *load)
{
    uint64_t bytes = load->units * load->unit_bytes;
    uint8_t block[65536];
    int status = 0;

    for (uint64_t at = 0; status == 0 && at < bytes; at += sizeof block) {
        const struct file_piece piece = format_piece(load, at);
        uint64_t left = bytes - at;
        size_t next = left < sizeof block ? (size_t)left : sizeof block;

        status = file_piece_copy(block, &piece, next);
        sha256_update(hash, next, block);
    }
    return status;
}

static int add_file(struct sha256_ctx *hash, const char *path)
{
    uint64_t bytes;
    uint8_t *data;
    int status = file_read(&data, &bytes, path);

    if (status == 0) {
        sha256_update(hash, (size_t)bytes, data);
        free(data);
    }
    return status;
}

/* Makes the marks that are known before the mesh is open. This program is one,
   too: it merges results, and native nodes have its kernels. */
static int identify(struct checkpoint *checkpoint,
                    const struct request *request)
{
    const struct format_load *load = &request->originator[0].load;
    const char *kernel = request->kernel->name;
    struct digest *mark = checkpoint->mark;
    struct sha256_ctx hash;
    int status;

    mark[MARK_KERNEL] = digest_of(kernel, strlen(kernel));
    mark[MARK_ARGUMENT] = digest_of(load->arg, load->arg_bytes);
    mark[MARK_UNIT] = digest_of(&load->unit_bytes, sizeof load->unit_bytes);
    sha256_init(&hash);
    status = add_file(&hash, "/proc/self/exe");
    if (status == 0 && request->firmware != NULL) {
        status = add_file(&hash, request->firmware);
    }
    mark[MARK_PROGRAM] = end(&hash);
    sha256_update(&hash, sizeof load->units, (const uint8_t *)&load->units);
    status = status == 0 ? add_load(&hash, load) : status;
    mark[MARK_LOAD] = end(&hash);
    return status;
}

/* ---- reading ---- */

static int complain(const struct checkpoint *checkpoint, const char *what,
                    const char *then)
{
    fprintf(stderr, "quincunx: --checkpoint '%s': %s%s\n",
            quote_shown(checkpoint->path), what, then);
    return EXIT_FAILED;
}

static int refuse(const struct checkpoint *checkpoint, const char *what)
{
    return complain(checkpoint, what,
                    "; name another file, or remove this one to begin anew");
}

static int compare(const struct checkpoint *checkpoint, unsigned from,
                   unsigned to)
{
    const struct state *state = &checkpoint->state;

    for (unsigned i = from; state->batches > 0 && i < to; ++i) {
        if (memcmp(&state->mark[i], &checkpoint->mark[i],
                   sizeof state->mark[i]) != 0) {
            return refuse(checkpoint, others[i]);
        }
    }
    return 0;
}

static int take_state(struct checkpoint *checkpoint, const uint8_t *data,
                      size_t bytes)
{
    struct state *state = &checkpoint->state;
    struct kernel_result *result = &checkpoint->result;
    struct digest digest;
    size_t body = bytes - sizeof digest;

    if (memcmp(data, magic, bytes < sizeof magic ? bytes : sizeof magic) != 0) {
        return refuse(checkpoint, "is no checkpoint");
    }
    digest = digest_of(data, bytes < sizeof digest ? 0 : body);
    if (bytes < sizeof *state + sizeof digest ||
        memcmp(data + body, &digest, sizeof digest) != 0) {
        return refuse(checkpoint, "is cut or damaged");
    }
    memcpy(state, data, sizeof *state);
    result->bytes = (uint32_t)(body - sizeof *state);
    result->data = memory_or_exit(malloc(result->bytes + (size_t)1));
    memcpy(result->data, data + sizeof *state, result->bytes);
    return 0;
}

static int read_state(struct checkpoint *checkpoint)
{
    struct stat is;
    uint64_t bytes;
    uint8_t *data;
    int status;

    if (stat(checkpoint->path, &is) != 0 && errno == ENOENT) {
        return 0;
    }
    if (!S_ISREG(is.st_mode)) {
        return complain(checkpoint, "must be a file, or not be there", "");
    }
    status = file_read(&data, &bytes, checkpoint->path);
    if (status == 0) {
        status = take_state(checkpoint, data, (size_t)bytes);
        free(data);
    }
    return status;
}

/* Opens FILE.so-far, and reads it unless the job begins. */
static int open_output(struct checkpoint *checkpoint)
{
    const struct state *state = &checkpoint->state;
    struct kernel_result *result = &checkpoint->result;
    bool begins = state->batches == 0;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (begins ? O_TRUNC : 0);
    struct digest digest;
    uint64_t bytes;

    if (!begins) {
        if (file_read(&result->output, &bytes, checkpoint->output_path) != 0) {
            return refuse(checkpoint, "lacks its output");
        }
        result->output_bytes = (uint32_t)state->output_bytes;
        digest = digest_of(result->output, bytes < state->output_bytes
                                               ? (size_t)bytes
                                               : result->output_bytes);
        if (memcmp(&digest, &state->output, sizeof digest) != 0) {
            return refuse(checkpoint, "has an output (.so-far) that is cut or "
                                      "damaged");
        }
        sha256_update(&checkpoint->output_hash, result->output_bytes,
                      result->output);
    }
    checkpoint->output = open(checkpoint->output_path, flags, 0666);
    return checkpoint->output >= 0 ? 0
                                   : file_error(checkpoint->output_path, "%s",
                                                limits_file_error(errno));
}

/* ---- writing ---- */

/* Appends what is new in the output. Returns 0 or errno. */
static int write_output(struct checkpoint *checkpoint,
                        const struct kernel_result *result)
{
    struct state *state = &checkpoint->state;
    uint64_t from = state->output_bytes;
    uint64_t at = from;
    struct sha256_ctx copy;

    while (at < result->output_bytes) {
        ssize_t put = pwrite(checkpoint->output, result->output + at,
                             result->output_bytes - at, (off_t)at);

        if (put < 0 && errno != EINTR) {
            return errno;
        }
        at += put > 0 ? (uint64_t)put : 0;
    }
    if (at > from && fdatasync(checkpoint->output) != 0) {
        return errno;
    }
    sha256_update(&checkpoint->output_hash, (size_t)(at - from),
                  result->output + from);
    copy = checkpoint->output_hash;
    state->output = end(&copy);
    state->output_bytes = at;
    return 0;
}

/* Returns 0 or errno. */
static int write_state(const struct checkpoint *checkpoint,
                       const struct kernel_result *result)
{
    const struct state *state = &checkpoint->state;
    size_t body = sizeof *state + result->bytes;
    uint8_t *bytes = memory_or_exit(malloc(body + sizeof(struct digest)));
    struct digest digest;
    struct file_output file;

    memcpy(bytes, state, sizeof *state);
    if (result->bytes > 0) {
        memcpy(bytes + sizeof *state, result->data, result->bytes);
    }
    digest = digest_of(bytes, body);
    memcpy(bytes + body, &digest, sizeof digest);
    if (file_output_open_again(&file, checkpoint->path) == 0) {
        fwrite(bytes, body + sizeof digest, 1, file.stream);
        if (file_output_close(&file, true) == 0) {
            file.error = 0;
        }
    }
    free(bytes);
    return file.error;
}

/* ---- where the job goes on ---- */

/* Two texts: one may be printed while the other is written. */
static char places[2][PLACE_BYTES];
static const char *volatile place = "";
static void (*handler)(int); /* of Ctrl-C, as it was before */

static void tell_interrupt(int number)
{
    ssize_t written = write(STDERR_FILENO, place, strlen(place));

    (void)written;
    (void)signal(number, handler);
    (void)raise(number);
}

static void set_place(const struct checkpoint *checkpoint)
{
    char *next = places[place == places[0]];
    void (*was)(int) = signal(SIGINT, tell_interrupt);

    handler = was != tell_interrupt ? was : handler;
    if (handler == SIG_IGN) {
        (void)signal(SIGINT, SIG_IGN);
    }
    if (checkpoint->state.batches > 0) {
        snprintf(next, PLACE_BYTES,
                 "quincunx: the same command goes on from batch %u of %u\n",
                 (unsigned)checkpoint->state.batches + 1, checkpoint->count);
        place = next;
    }
}

/* ---- the job ---- */

static void free_all(struct checkpoint *checkpoint)
{
    process_close(checkpoint->output);
    free(checkpoint->output_path);
    free(checkpoint->result.data);
    free(checkpoint->result.output);
    free(checkpoint);
}

int checkpoint_open(struct checkpoint **made, const char *path,
                    const struct request *request)
{
    struct checkpoint *checkpoint =
        memory_or_exit(calloc(1, sizeof *checkpoint));
    int status;

    checkpoint->path = path;
    checkpoint->output = -1;
    if (asprintf(&checkpoint->output_path, "%s.so-far", path) < 0) {
        memory_or_exit(NULL);
    }
    sha256_init(&checkpoint->output_hash);
    memcpy(checkpoint->state.magic, magic, sizeof magic);
    status = read_state(checkpoint);
    status = status == 0 ? identify(checkpoint, request) : status;
    status = status == 0 ? compare(checkpoint, 0, MARK_BATCH) : status;
    if (status == 0 && checkpoint->state.batches == 0) {
        int error = write_state(checkpoint, &checkpoint->result);

        status =
            error != 0 ? complain(checkpoint, limits_file_error(error), "") : 0;
    }
    if (status != 0) {
        free_all(checkpoint);
        return status;
    }
    *made = checkpoint;
    return 0;
}

int checkpoint_begin(struct checkpoint *checkpoint, struct outcome *outcome,
                     const struct job_task *task, uint32_t image_crc)
{
    uint32_t units = batches_units(task);
    int status;

    if (checkpoint == NULL) {
        return 0;
    }
    checkpoint->mark[MARK_BATCH] = digest_of(&units, sizeof units);
    checkpoint->mark[MARK_IMAGE] = digest_of(&image_crc, sizeof image_crc);
    status = compare(checkpoint, MARK_BATCH, MARKS);
    if (status == 0 && task->originator->terms.output_denominator != 0) {
        status = open_output(checkpoint);
    }
    if (status != 0) {
        return status;
    }
    checkpoint->count = batches_count(task);
    memcpy(checkpoint->state.mark, checkpoint->mark, sizeof checkpoint->mark);
    if (checkpoint->state.batches > 0) {
        outcome->resumed = (uint32_t)checkpoint->state.batches;
        outcome->batch = memory_or_exit(malloc(sizeof *outcome->batch));
        *outcome->batch = checkpoint->state.sum;
        outcome->result = checkpoint->result;
        checkpoint->result = (struct kernel_result){.data = NULL};
    }
    set_place(checkpoint);
    return 0;
}

void checkpoint_save(struct checkpoint *checkpoint,
                     const struct outcome *outcome, bool now)
{
    double now_s = host_clock_s(host_clock());
    struct state *state;
    struct state before;
    int error;

    if (checkpoint == NULL || outcome->batch_count == 0 ||
        (!now && now_s < checkpoint->saved_s + SAVE_S)) {
        return;
    }
    state = &checkpoint->state;
    error = write_output(checkpoint, &outcome->result);
    before = *state;
    state->batches = outcome_batches(outcome);
    state->sum = outcome_sum(outcome);
    error = error == 0 ? write_state(checkpoint, &outcome->result) : error;
    if (error != 0) {
        *state = before;
    }
    if (error != 0 && !checkpoint->failed) {
        checkpoint->failed = true;
        complain(checkpoint, limits_file_error(error), "; the job goes on");
    }
    set_place(checkpoint);
    checkpoint->saved_s = now_s;
}

void checkpoint_close(struct checkpoint *checkpoint, bool done)
{
    if (checkpoint == NULL) {
        return;
    }
    if (done || checkpoint->state.batches == 0) {
        (void)unlink(checkpoint->path);
        if (checkpoint->output >= 0) {
            (void)unlink(checkpoint->output_path);
        }
    } else {
        fputs(place, stderr);
    }
    place = "";
    free_all(checkpoint);
}
