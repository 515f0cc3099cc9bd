/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz [--seconds N] [--runs N] [--seed N] [--hang SECONDS] [--corpus DIR]
 *      [--out DIR] [TARGET]
 *      seconds are processor time, whatever else the host does
 *      a line for each target (all, or those whose name begins so), until its
 *      end or its first finding, which is a file in the --out directory then;
 *      exit status 1 if there is one
 * fuzz --replay FILE TARGET       tries one input, with all reports
 * fuzz --list                     the targets' names
 */
#include "test/fuzz/fuzz.h"
#include "test/world/world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define POOL_MAX 3000u
#define LEAK_TRIES 3u
#define LOG_BYTES 16384

struct slot {
    uint32_t bytes;
    uint8_t data[FUZZ_BYTES_MAX];
};

static struct {
    double seconds;
    uint64_t runs;
    uint64_t seed;
    unsigned hang_seconds; /* of processor time, for one try */
    const char *corpus;
    const char *out;
    const char *replay;
} settings = {.seconds = 1e9,
              .runs = UINT64_MAX,
              .seed = 1,
              .hang_seconds = 20,
              .corpus = "test/fuzz/corpus",
              .out = "."};

/* Of the target at hand. */
static const struct fuzz_target *target;
static uint64_t runs;
static uint64_t chance;
static uint32_t count;
static struct slot now;
static struct slot pool[POOL_MAX];
static uint8_t seen[FUZZ_MAP_BYTES];

/* ---- inputs ---- */

void fuzz_add(const uint8_t *in, uint32_t bytes)
{
    struct slot *slot = &pool[count];

    if (count < POOL_MAX) {
        slot->bytes = bytes < FUZZ_BYTES_MAX ? bytes : FUZZ_BYTES_MAX;
        memcpy(slot->data, in, slot->bytes);
        count += 1;
    }
}

/* Whether the file can be read; it is cut off at FUZZ_BYTES_MAX. */
static bool read_file(struct slot *slot, const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    slot->bytes = (uint32_t)fread(slot->data, 1, sizeof slot->data, file);
    fclose(file);
    return true;
}

/* Files of the corpus whose name is the target's and a suffix. */
static void add_files(void)
{
    struct dirent **names;
    int files = scandir(settings.corpus, &names, NULL, alphasort);
    size_t length = strlen(target->name);

    for (int i = 0; i < files; ++i) {
        const char *name = names[i]->d_name;
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", settings.corpus, name);
        if (strncmp(name, target->name, length) == 0 && name[length] == '.' &&
            read_file(&now, path)) {
            fuzz_add(now.data, now.bytes);
        }
        free(names[i]);
    }
    if (files >= 0) {
        free(names);
    }
}

/* Any input of the pool, but of two the shorter: long ones have much in which a
   change makes no difference. */
static const struct slot *pick(void)
{
    const struct slot *one = &pool[fuzz_below(&chance, count)];
    const struct slot *other = &pool[fuzz_below(&chance, count)];

    return one->bytes < other->bytes ? one : other;
}

/* ---- findings ---- */

/* Processor time of this process and of those that it began. */
static double used_seconds(void)
{
    double used = 0;

    for (int who = 0; who < 2; ++who) {
        struct rusage usage;

        getrusage(who == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage);
        used +=
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return used;
}

static void print_end(unsigned findings)
{
    dprintf(STDOUT_FILENO,
            "%-18s %9llu runs %6u edges %5u inputs %7.1f s CPU %3u findings\n",
            target->name, (unsigned long long)runs, fuzz_map_edges(seen), count,
            used_seconds(), findings);
}

/* Keeps the input, shows what was said on standard error, tells how to try it
   again, and ends: the sanitizers, and fuzz_check(), abort; what hangs has a
   limit of time. No standard streams: one may be what hangs. */
static void report(int signal)
{
    static char said[LOG_BYTES];
    static char path[4096];
    ssize_t bytes = pread(STDERR_FILENO, said, sizeof said, 0);
    int file;

    snprintf(path, sizeof path, "%s/%s.%016llx", settings.out, target->name,
             (unsigned long long)fuzz_hash(now.data, now.bytes));
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, now.data, now.bytes) != (ssize_t)now.bytes) {
        dprintf(STDOUT_FILENO, "fuzz: %s: %s\n", path, strerror(errno));
    }
    dprintf(STDOUT_FILENO,
            "%s: finding after %llu runs%s\n%.*s\n"
            "  replay: fuzz --corpus %s --replay %s %s\n",
            target->name, (unsigned long long)runs,
            signal == SIGPROF ? ": hangs" : "", bytes < 0 ? 0 : (int)bytes,
            said, settings.corpus, path, target->name);
    print_end(1);
    _exit(EXIT_FAILURE);
}

void fuzz_check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: broken: %s\n", what);
        abort();
    }
}

void world_check(bool holds, const char *what)
{
    fuzz_check(holds, what);
}

/* ---- tries ---- */

/* What libraries keep from the first time on is no leak. */
static void try_now(void)
{
    struct itimerval limit = {.it_value.tv_sec = settings.hang_seconds};
    int64_t left = 1;

    for (unsigned i = 0; i < LEAK_TRIES && left > 0; ++i) {
        uint8_t *copy = malloc(now.bytes); /* so reading beyond is noticed */

        memcpy(copy, now.data, now.bytes);
        setitimer(ITIMER_PROF, &limit, NULL);
        fuzz_map_clear();
        fuzz_heap_watch();
        target->try(target, copy, now.bytes);
        left = fuzz_heap_blocks();
        free(copy);
    }
    fuzz_check(left <= 0, "memory is not freed");
}

void fuzz_once(const uint8_t *in, uint32_t bytes)
{
    now.bytes = bytes;
    memcpy(now.data, in, bytes);
    try_now();
}

/* First inputs as they are, then what comes of them. */
static void fuzz(void)
{
    uint32_t initial;

    chance = settings.seed;
    add_files();
    if (target->seed != NULL) {
        target->seed(target);
    }
    if (count == 0) {
        fuzz_add((const uint8_t *)"", 0);
    }
    initial = count;
    while (runs < settings.runs && used_seconds() < settings.seconds) {
        if (runs < initial) {
            now = pool[runs];
        } else {
            const struct slot *other = pick();

            now = *pick();
            now.bytes = fuzz_mutate(now.data, now.bytes, other->data,
                                    other->bytes, &chance);
        }
        runs += 1;
        try_now();
        if (fuzz_map_merge(seen) && runs > initial) {
            fuzz_add(now.data, now.bytes);
        }
        if (lseek(STDERR_FILENO, 0, SEEK_END) > 0) {
            fuzz_check(ftruncate(STDERR_FILENO, 0) == 0 &&
                           lseek(STDERR_FILENO, 0, SEEK_SET) == 0,
                       "standard error cannot be forgotten");
        }
    }
    print_end(0);
}

/* In a process of its own, with standard error in memory. Result: whether there
   is no finding. */
static bool fuzz_apart(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        fuzz_check(dup2(memfd_create("fuzz-log", 0), STDERR_FILENO) >= 0,
                   "no file in memory");
        signal(SIGABRT, report);
        signal(SIGPROF, report);
        fuzz();
        _exit(EXIT_SUCCESS);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        perror("fuzz");
        exit(EXIT_FAILURE);
    }
    return status == 0;
}

static int replay(void)
{
    if (!read_file(&now, settings.replay)) {
        fprintf(stderr, "fuzz: %s: %s\n", settings.replay, strerror(errno));
        return EXIT_FAILURE;
    }
    try_now();
    printf("%s: no finding\n", target->name);
    return EXIT_SUCCESS;
}

/* ---- the command ---- */

static int usage(void)
{
    fputs("usage: fuzz [--seconds N] [--runs N] [--seed N] [--hang SECONDS]\n"
          "            [--corpus DIR] [--out DIR] [TARGET]\n"
          "       fuzz --replay FILE TARGET\n"
          "       fuzz --list\n",
          stderr);
    return 2;
}

static int list(void)
{
    for (target = fuzz_targets(); target->name[0] != '\0'; ++target) {
        puts(target->name);
    }
    return EXIT_SUCCESS;
}

/* Each target whose name begins so, or that has just this name. */
static int run_all(const char *name)
{
    bool found = false;
    bool good = true;

    for (target = fuzz_targets(); target->name[0] != '\0'; ++target) {
        if (settings.replay != NULL && strcmp(target->name, name) == 0) {
            return replay();
        }
        if (settings.replay == NULL &&
            strncmp(target->name, name, strlen(name)) == 0) {
            found = true;
            good &= fuzz_apart();
        }
    }
    if (!found) {
        fprintf(stderr, "fuzz: no target '%s'\n", name);
        return 2;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'r'},
        {"seed", required_argument, NULL, 'd'},
        {"corpus", required_argument, NULL, 'c'},
        {"out", required_argument, NULL, 'o'},
        {"replay", required_argument, NULL, 'p'},
        {"hang", required_argument, NULL, 'h'},
        {"list", no_argument, NULL, 'l'},
        {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        switch (option) {
        case 's':
            settings.seconds = strtod(optarg, NULL);
            break;
        case 'r':
            settings.runs = strtoull(optarg, NULL, 10);
            break;
        case 'd':
            settings.seed = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            settings.corpus = optarg;
            break;
        case 'o':
            settings.out = optarg;
            break;
        case 'h':
            settings.hang_seconds = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            settings.replay = optarg;
            break;
        default:
            return option;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    int option = read_options(argc, argv);

    if (option == 'l') {
        return list();
    }
    if (option != 0 || argc - optind > 1 ||
        (settings.replay != NULL && argc - optind != 1)) {
        return usage();
    }
    return run_all(optind < argc ? argv[optind] : "");
}
