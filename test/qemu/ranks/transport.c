/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks without MPI, for tests: the command beside which this object lies as
 * ranks.so is rank 0 of OMPI_COMM_WORLD_SIZE, and forks the others; sockets
 * join them. One message that a rank receives may be damaged:
 *
 *    QUINCUNX_TEST_DAMAGE="RANK MESSAGE SEED"   its how-manieth, from 0 on
 *
 * and one rank may say nothing, and do nothing: QUINCUNX_TEST_SILENT=RANK.
 */
#include "qemu/ranks/transport.h"

#include "qemu/ranks/record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS_MAX 8u

/* Bytes that wait, from `at` on. */
struct buffer {
    uint8_t *data;
    size_t bytes;
    size_t at;
};

static struct {
    unsigned own;
    unsigned count;
    int socket[RANKS_MAX]; /* to each other rank */
    pid_t pid[RANKS_MAX];  /* of rank 0 */
    struct buffer in[RANKS_MAX];
    struct buffer out[RANKS_MAX];
    /* Who has taken leave: shared by all, set before the sockets end. */
    volatile bool *left;
    /* The message to damage, as the environment says. */
    bool damages;
    unsigned long message;
    uint64_t random;
    unsigned long received;
} ranks;

static void *or_abort(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void append(struct buffer *buffer, const void *data, size_t bytes)
{
    size_t left = buffer->bytes - buffer->at;

    if (buffer->at > 0) {
        memmove(buffer->data, buffer->data + buffer->at, left);
    }
    buffer->data = or_abort(realloc(buffer->data, left + bytes + 1));
    if (bytes > 0) {
        memcpy(buffer->data + left, data, bytes);
    }
    buffer->at = 0;
    buffer->bytes = left + bytes;
}

/* ---- damage ---- */

static uint32_t chance(uint32_t below)
{
    ranks.random = ranks.random * UINT64_C(6364136223846793005) + 1442695040;
    return (uint32_t)(ranks.random >> 33) % below;
}

/* Where a record of the message begins, one of all that it has. */
static size_t some_record(const uint8_t *data, size_t bytes)
{
    size_t start[256];
    uint32_t count = 0;
    struct record head;

    for (size_t at = 0; at + sizeof head <= bytes && count < 256;
         at += sizeof head + head.bytes) {
        memcpy(&head, data + at, sizeof head);
        start[count++] = at;
    }
    return count > 0 ? start[chance(count)] : 0;
}

/* A value that may be taken for a length, an offset or a node. */
static uint32_t odd_value(void)
{
    static const uint32_t value[] = {
        0,        1,          16,       255,
        0x1fffc,  0x20000,    1 << 24,  (1 << 24) - 4,
        0x7fffff, 0x7fffffff, 1u << 31, UINT32_MAX};

    return value[chance(sizeof value / sizeof *value)];
}

static void overwrite(uint8_t *data, size_t bytes, size_t at, uint32_t value,
                      size_t size)
{
    if (at + size <= bytes) {
        memcpy(data + at, &value, size);
    }
}

/* Damages a message, of at least a record. Result: its length, no more. */
static size_t damage(uint8_t *data, size_t bytes)
{
    size_t at = some_record(data, bytes);

    switch (chance(7)) {
    case 0:
        data[chance((uint32_t)bytes)] ^= (uint8_t)(1u << chance(8));
        return bytes;
    case 1:
        overwrite(data, bytes, 4 * chance((uint32_t)bytes / 4), odd_value(), 4);
        return bytes;
    case 2: /* cut */
        return chance((uint32_t)bytes);
    case 3:
        overwrite(data, bytes, at + offsetof(struct record, kind), chance(25),
                  2);
        return bytes;
    case 4:
        overwrite(data, bytes, at + offsetof(struct record, node),
                  chance(2) == 0 ? odd_value() : chance(30), 4);
        return bytes;
    case 5:
        overwrite(data, bytes, at + offsetof(struct record, bytes),
                  chance(2) == 0 ? odd_value() : chance(200), 4);
        return bytes;
    default: /* a word of a record's body */
        overwrite(data, bytes, at + sizeof(struct record) + 4 * chance(24),
                  odd_value(), 4);
        return bytes;
    }
}

static void read_damage(void)
{
    const char *text = getenv("QUINCUNX_TEST_DAMAGE");
    unsigned rank;
    unsigned long seed;

    if (text != NULL &&
        sscanf(text, "%u %lu %lu", &rank, &ranks.message, &seed) == 3) {
        ranks.damages = rank == ranks.own;
        ranks.random = seed * 2 + 1;
        (void)chance(2);
    }
}

/* ---- the transport ---- */

static bool is_silent(void)
{
    const char *rank = getenv("QUINCUNX_TEST_SILENT");

    return rank != NULL && (unsigned)atoi(rank) == ranks.own;
}

static void kill_others(void)
{
    for (unsigned rank = 1; ranks.own == 0 && rank < ranks.count; ++rank) {
        kill(ranks.pid[rank], SIGKILL);
        waitpid(ranks.pid[rank], NULL, 0);
    }
}

/* As mpirun does when a process of its is gone. */
static _Noreturn void lose(unsigned rank)
{
    fprintf(stderr, "transport: rank %u has lost rank %u\n", ranks.own, rank);
    kill_others();
    _exit(1);
}

/* A rank keeps its own ends of all pairs of sockets. */
static void keep_ends(int pair[RANKS_MAX][RANKS_MAX][2])
{
    for (unsigned a = 0; a < ranks.count; ++a) {
        for (unsigned b = a + 1; b < ranks.count; ++b) {
            for (unsigned end = 0; end < 2; ++end) {
                if (ranks.own == (end == 0 ? a : b)) {
                    ranks.socket[end == 0 ? b : a] = pair[a][b][end];
                } else {
                    close(pair[a][b][end]);
                }
            }
        }
    }
}

static int begin(unsigned *rank, unsigned *count)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    int pair[RANKS_MAX][RANKS_MAX][2];
    pid_t parent = getpid();

    ranks.count = size != NULL ? (unsigned)atoi(size) : 1;
    if (ranks.count < 1 || ranks.count > RANKS_MAX) {
        return -1;
    }
    ranks.left = mmap(NULL, RANKS_MAX, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ranks.left == MAP_FAILED) {
        return -1;
    }
    for (unsigned a = 0; a < ranks.count; ++a) {
        for (unsigned b = a + 1; b < ranks.count; ++b) {
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                           0, pair[a][b]) != 0) {
                return -1;
            }
        }
    }
    for (unsigned i = 1; i < ranks.count && ranks.own == 0; ++i) {
        ranks.pid[i] = fork();
        if (ranks.pid[i] == 0) {
            ranks.own = i;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) {
                _exit(1);
            }
        }
    }
    keep_ends(pair);
    read_damage();
    if (is_silent()) {
        for (;;) {
            pause();
        }
    }
    *rank = ranks.own;
    *count = ranks.count;
    return 0;
}

/* Writes what the sockets take. */
static bool all_sent(void)
{
    bool all = true;

    for (unsigned rank = 0; rank < ranks.count; ++rank) {
        struct buffer *out = &ranks.out[rank];

        while (out->at < out->bytes) {
            ssize_t done = send(ranks.socket[rank], out->data + out->at,
                                out->bytes - out->at, MSG_NOSIGNAL);

            if (done <= 0) {
                all = false;
                break;
            }
            out->at += (size_t)done;
        }
    }
    return all;
}

static void send_bytes(unsigned to, void *data, size_t bytes)
{
    uint64_t head = bytes;

    append(&ranks.out[to], &head, sizeof head);
    append(&ranks.out[to], data, bytes);
    free(data);
    (void)all_sent();
}

/* Reads what a socket has. */
static void fill(unsigned rank)
{
    uint8_t data[65536];
    ssize_t bytes;

    while ((bytes = recv(ranks.socket[rank], data, sizeof data, 0)) > 0) {
        append(&ranks.in[rank], data, (size_t)bytes);
    }
    if (bytes == 0 && !ranks.left[rank] &&
        ranks.in[rank].at == ranks.in[rank].bytes) {
        lose(rank);
    }
}

static void *receive_bytes(unsigned *from, size_t *bytes)
{
    (void)all_sent();
    for (unsigned rank = 0; rank < ranks.count; ++rank) {
        struct buffer *in = &ranks.in[rank];
        uint64_t head;
        uint8_t *data;

        if (rank == ranks.own) {
            continue;
        }
        fill(rank);
        if (in->bytes - in->at < sizeof head) {
            continue;
        }
        memcpy(&head, in->data + in->at, sizeof head);
        if (in->bytes - in->at - sizeof head < head) {
            continue;
        }
        /* Of its length: whoever reads behind it is found. */
        data = or_abort(malloc(head > 0 ? head : 1));
        memcpy(data, in->data + in->at + sizeof head, head);
        in->at += sizeof head + head;
        *from = rank;
        *bytes = head;
        if (ranks.damages && ranks.received++ == ranks.message && head > 0) {
            uint8_t *whole = data;

            *bytes = damage(whole, head);
            data = or_abort(malloc(*bytes > 0 ? *bytes : 1));
            memcpy(data, whole, *bytes);
            free(whole);
        }
        return data;
    }
    return NULL;
}

static void free_all(void)
{
    for (unsigned rank = 0; rank < ranks.count; ++rank) {
        free(ranks.in[rank].data);
        free(ranks.out[rank].data);
    }
}

static void end(void)
{
    ranks.left[ranks.own] = true;
    for (unsigned rank = 1; ranks.own == 0 && rank < ranks.count; ++rank) {
        waitpid(ranks.pid[rank], NULL, 0);
    }
    free_all();
}

static void abort_all(int status)
{
    kill_others();
    free_all();
    _exit(status);
}

extern const struct transport ranks_transport;

const struct transport ranks_transport = {.version = TRANSPORT_VERSION,
                                          .begin = begin,
                                          .send = send_bytes,
                                          .receive = receive_bytes,
                                          .sent = all_sent,
                                          .end = end,
                                          .abort = abort_all};
