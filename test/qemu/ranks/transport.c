/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks without MPI, for tests: the command beside which this object lies as
 * ranks.so is rank 0 of OMPI_COMM_WORLD_SIZE, and forks the others, which write
 * to each other in shared memory. One message that a rank receives may be
 * damaged:
 *
 *    QUINCUNX_TEST_DAMAGE="RANK MESSAGE SEED"   its how-manieth, from 0 on
 *
 * and one rank may say nothing, and do nothing: QUINCUNX_TEST_SILENT=RANK.
 */
#include "qemu/ranks/transport.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS_MAX 8u
#define LANE_BYTES ((size_t)1 << 23) /* more than a run of a test says */

/* All that one rank says to another: messages, each behind its length. */
struct lane {
    _Atomic size_t end;
    uint8_t data[LANE_BYTES];
};

static struct {
    unsigned own;
    unsigned count;
    struct lane (*lane)[RANKS_MAX]; /* [from][to] */
    size_t heard[RANKS_MAX];        /* bytes of the lane from each rank */
    pid_t pid[RANKS_MAX];           /* of rank 0 */
    atomic_bool *left;              /* who has taken leave */
    /* The message to damage, as the environment says. */
    bool damages;
    unsigned long message;
    uint64_t random;
    unsigned long received;
} ranks;

/* ---- damage ---- */

static uint32_t chance(uint32_t below)
{
    ranks.random = ranks.random * UINT64_C(6364136223846793005) + 1442695040;
    return (uint32_t)(ranks.random >> 33) % below;
}

/* Flips a bit, cuts the message, or puts a value in it that may be taken for a
   length, an offset or a node. Result: its length, no more. */
static size_t damage(uint8_t *data, size_t bytes)
{
    static const uint32_t odd[] = {
        0,        1,          16,       255,
        0x1fffc,  0x20000,    1 << 24,  (1 << 24) - 4,
        0x7fffff, 0x7fffffff, 1u << 31, UINT32_MAX};

    switch (chance(4)) {
    case 0:
        data[chance((uint32_t)bytes)] ^= (uint8_t)(1u << chance(8));
        return bytes;
    case 1:
        return chance((uint32_t)bytes);
    default:
        if (bytes >= 4) {
            memcpy(data + 4 * (size_t)chance((uint32_t)bytes / 4),
                   &odd[chance(sizeof odd / sizeof *odd)], 4);
        }
        return bytes;
    }
}

static void read_environment(void)
{
    const char *text = getenv("QUINCUNX_TEST_DAMAGE");
    const char *silent = getenv("QUINCUNX_TEST_SILENT");
    unsigned rank;
    unsigned long seed;

    if (text != NULL &&
        sscanf(text, "%u %lu %lu", &rank, &ranks.message, &seed) == 3) {
        ranks.damages = rank == ranks.own;
        ranks.random = seed * 2 + 1;
        (void)chance(2);
    }
    while (silent != NULL && (unsigned)atoi(silent) == ranks.own) {
        pause();
    }
}

/* ---- the transport ---- */

static void *shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

static void kill_others(void)
{
    for (unsigned rank = 1; ranks.own == 0 && rank < ranks.count; ++rank) {
        kill(ranks.pid[rank], SIGKILL);
        waitpid(ranks.pid[rank], NULL, 0);
    }
}

static int begin(unsigned *rank, unsigned *count)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    pid_t parent = getpid();

    ranks.count = size != NULL ? (unsigned)atoi(size) : 1;
    if (ranks.count < 1 || ranks.count > RANKS_MAX) {
        return -1;
    }
    ranks.lane = shared(RANKS_MAX * sizeof *ranks.lane);
    ranks.left = shared(RANKS_MAX * sizeof *ranks.left);
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
    read_environment();
    *rank = ranks.own;
    *count = ranks.count;
    return 0;
}

static void send_bytes(unsigned to, void *data, size_t bytes)
{
    struct lane *lane = &ranks.lane[ranks.own][to];
    size_t end = lane->end;

    if (sizeof bytes + bytes > LANE_BYTES - end) {
        abort();
    }
    memcpy(lane->data + end, &bytes, sizeof bytes);
    memcpy(lane->data + end + sizeof bytes, data, bytes);
    lane->end = end + sizeof bytes + bytes;
    free(data);
}

/* As mpirun does when a process of its is gone, rank 0 ends all others. */
static void look_for_the_lost(void)
{
    for (unsigned rank = 1; ranks.own == 0 && rank < ranks.count; ++rank) {
        if (waitpid(ranks.pid[rank], NULL, WNOHANG) > 0 && !ranks.left[rank]) {
            fprintf(stderr, "transport: rank %u is lost\n", rank);
            kill_others();
            _exit(1);
        }
    }
}

/* A message in memory of its length: whoever reads behind it is found. */
static void *copied(const uint8_t *data, size_t bytes)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);

    if (copy == NULL) {
        abort();
    }
    return memcpy(copy, data, bytes);
}

static void *receive_bytes(unsigned *from, size_t *bytes)
{
    for (unsigned rank = 0; rank < ranks.count; ++rank) {
        const struct lane *lane = &ranks.lane[rank][ranks.own];
        const uint8_t *data = lane->data + ranks.heard[rank];
        uint8_t *got;

        if (ranks.heard[rank] == lane->end) {
            continue;
        }
        memcpy(bytes, data, sizeof *bytes);
        ranks.heard[rank] += sizeof *bytes + *bytes;
        *from = rank;
        got = copied(data + sizeof *bytes, *bytes);
        if (ranks.damages && ranks.received++ == ranks.message && *bytes > 0) {
            uint8_t *whole = got;

            *bytes = damage(whole, *bytes);
            got = copied(whole, *bytes);
            free(whole);
        }
        return got;
    }
    look_for_the_lost();
    return NULL;
}

static bool all_sent(void)
{
    return true;
}

static void end(void)
{
    ranks.left[ranks.own] = true;
    for (unsigned rank = 1; ranks.own == 0 && rank < ranks.count; ++rank) {
        waitpid(ranks.pid[rank], NULL, 0);
    }
}

static void abort_all(int status)
{
    kill_others();
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
