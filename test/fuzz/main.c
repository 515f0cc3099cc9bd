/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz [--seconds N] [--runs N] [--seed N] [--hang SECONDS] [--corpus DIR]
 *      [--out DIR] [TARGET]
 *      seconds are processor time, whatever else the host does
 *      a line for each target (all, or those whose name begins so); exit status
 *      1 if there are findings, of which each is a file in the --out directory
 *      SIGINT and SIGTERM end it as the end of its time does
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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POOL_MAX 3000u
#define FINDINGS_MAX 10u
#define LEAK_TRIES 3u
#define LOG_BYTES 16384
#define EXIT_CHECK 3

struct slot {
    uint32_t bytes;
    uint8_t data[FUZZ_BYTES_MAX];
};

/* Outlives the child that tries. */
struct shared {
    volatile bool ended; /* by a signal */
    uint64_t runs;       /* this and all that follows is of one target */
    uint64_t state;
    bool seeded;
    uint32_t initial; /* inputs of the pool that are tried as they are */
    uint32_t first;   /* and the next of them */
    uint32_t count;
    struct slot now;
    struct slot pool[POOL_MAX];
    uint8_t seen[FUZZ_MAP_BYTES];
};

struct settings {
    double seconds;
    uint64_t runs;
    uint64_t seed;
    const char *out;
    const char *replay;
};

static struct shared *shared;
static const char *corpus = "test/fuzz/corpus";
static unsigned hang_seconds = 20; /* of processor time, for one try */

/* ---- inputs ---- */

void fuzz_add(const uint8_t *in, uint32_t bytes)
{
    struct slot *slot = &shared->pool[shared->count];

    if (shared->count < POOL_MAX) {
        slot->bytes = bytes < FUZZ_BYTES_MAX ? bytes : FUZZ_BYTES_MAX;
        memcpy(slot->data, in, slot->bytes);
        shared->count += 1;
    }
}

/* Bytes of a file, at most FUZZ_BYTES_MAX; -1 if it cannot be read. */
static long read_file(uint8_t *data, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t bytes;

    if (file == NULL) {
        return -1;
    }
    bytes = fread(data, 1, FUZZ_BYTES_MAX, file);
    fclose(file);
    return (long)bytes;
}

static void add_file(const char *name,
                     void (*add)(const uint8_t *in, uint32_t bytes))
{
    uint8_t data[FUZZ_BYTES_MAX];
    char path[4096];
    long bytes;

    snprintf(path, sizeof path, "%s/%s", corpus, name);
    bytes = read_file(data, path);
    if (bytes >= 0) {
        add(data, (uint32_t)bytes);
    }
}

void fuzz_each_file(const char *begin,
                    void (*add)(const uint8_t *in, uint32_t bytes))
{
    struct dirent **names;
    int count = scandir(corpus, &names, NULL, alphasort);

    for (int i = 0; i < count; ++i) {
        size_t length = strlen(begin);

        if (strncmp(names[i]->d_name, begin, length) == 0 &&
            (names[i]->d_name[length] == '.')) {
            add_file(names[i]->d_name, add);
        }
        free(names[i]);
    }
    if (count >= 0) {
        free(names);
    }
}

/* ---- the child ---- */

void fuzz_check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: broken: %s\n", what);
        _exit(EXIT_CHECK);
    }
}

void world_check(bool holds, const char *what)
{
    fuzz_check(holds, what);
}

/* Any input of the pool, but of two the shorter: long ones have much in which a
   change makes no difference. */
static const struct slot *pick(void)
{
    const struct slot *one =
        &shared->pool[fuzz_below(&shared->state, shared->count)];
    const struct slot *other =
        &shared->pool[fuzz_below(&shared->state, shared->count)];

    return one->bytes < other->bytes ? one : other;
}

/* One of the first inputs, or one that is mutated. */
static void choose(void)
{
    struct slot *now = &shared->now;
    const struct slot *other;

    if (shared->first < shared->initial) {
        *now = shared->pool[shared->first++];
        return;
    }
    if (shared->count == 0) {
        fuzz_add((const uint8_t *)"", 0);
    }
    other = pick();
    *now = *pick();
    now->bytes = fuzz_mutate(now->data, now->bytes, other->data, other->bytes,
                             &shared->state);
}

/* Ends the child by SIGPROF once it has used so much processor time from now
   on. */
static void limit_time(unsigned seconds)
{
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)seconds}};

    setitimer(ITIMER_PROF, &limit, NULL);
}

/* What libraries keep from the first time on is no leak. */
static void try_now(const struct fuzz_target *target)
{
    const struct slot *now = &shared->now;
    int64_t left = 1;

    for (unsigned i = 0; i < LEAK_TRIES && left > 0; ++i) {
        uint8_t *copy = malloc(now->bytes); /* so reading beyond is noticed */

        memcpy(copy, now->data, now->bytes);
        limit_time(hang_seconds);
        fuzz_map_clear();
        fuzz_heap_watch();
        target->try(target, copy, now->bytes);
        left = fuzz_heap_blocks();
        free(copy);
    }
    fuzz_check(left <= 0, "memory is not freed");
}

/* Processor time that a process has used: RUSAGE_SELF or _CHILDREN. */
static double used_seconds(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void child(const struct fuzz_target *target,
                  const struct settings *settings, double seconds)
{
    if (!shared->seeded) {
        shared->seeded = true;
        fuzz_each_file(target->name, fuzz_add);
        if (target->seed != NULL) {
            target->seed(target);
        }
        shared->initial = shared->count;
    }
    while (shared->runs < settings->runs &&
           used_seconds(RUSAGE_SELF) + used_seconds(RUSAGE_CHILDREN) <
               seconds &&
           !shared->ended) {
        bool given = shared->first < shared->initial;

        choose();
        shared->runs += 1;
        try_now(target);
        if (fuzz_map_merge(shared->seen) && !given) {
            fuzz_add(shared->now.data, shared->now.bytes);
        }
        if (lseek(STDERR_FILENO, 0, SEEK_END) > 0 &&
            (ftruncate(STDERR_FILENO, 0) != 0 ||
             lseek(STDERR_FILENO, 0, SEEK_SET) != 0)) {
            _exit(EXIT_CHECK);
        }
    }
    _exit(0);
}

/* ---- the parent ---- */

/* The end of a message that names the fault, or its last line. */
static void print_reason(char *log)
{
    static const char *const marks[] = {
        "runtime error: ", "ERROR: ", "fuzz: broken: "};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
        char *at = strstr(log, marks[i]);

        if (at != NULL) {
            while (at > log && at[-1] != '\n') {
                at -= 1;
            }
            printf("  %.*s\n", (int)strcspn(at, "\n"), at);
            return;
        }
    }
}

static void save(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(data, 1, bytes, file) != bytes ||
        fclose(file) != 0) {
        fprintf(stderr, "fuzz: %s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

/* Keeps the input and what was said, and tells how to try it again. */
static void report(const struct fuzz_target *target,
                   const struct settings *settings, int status, int log)
{
    char path[4096];
    char text[LOG_BYTES + 1] = "";
    ssize_t bytes = pread(log, text, LOG_BYTES, 0);

    snprintf(
        path, sizeof path, "%s/%s.%016llx", settings->out, target->name,
        (unsigned long long)fuzz_hash(shared->now.data, shared->now.bytes));
    save(path, shared->now.data, shared->now.bytes);
    printf("%s: finding after %llu runs: %s %d\n", target->name,
           (unsigned long long)shared->runs,
           WIFSIGNALED(status) ? "signal" : "exit status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
        printf("  hangs\n");
    }
    if (bytes > 0) {
        print_reason(text);
    }
    printf("  replay: fuzz --corpus %s --replay %s %s\n", corpus, path,
           target->name);
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            perror("fuzz: waitpid");
            exit(EXIT_FAILURE);
        }
    }
    return status;
}

/* Tries for so long; whether the child ended well. */
static bool round_of(const struct fuzz_target *target,
                     const struct settings *settings, double seconds)
{
    int log = memfd_create("fuzz-log", 0);
    pid_t pid;
    int status;

    fflush(stdout);
    pid = fork();
    if (log < 0 || pid < 0) {
        perror("fuzz");
        exit(EXIT_FAILURE);
    }
    if (pid == 0) {
        dup2(log, STDERR_FILENO);
        child(target, settings, seconds);
    }
    status = wait_for(pid);
    if (status != 0) {
        report(target, settings, status, log);
    }
    close(log);
    return status == 0;
}

/* The number of findings. */
static unsigned fuzz(const struct fuzz_target *target,
                     const struct settings *settings)
{
    double before = used_seconds(RUSAGE_CHILDREN);
    double used = 0;
    unsigned findings = 0;

    memset(&shared->runs, 0, sizeof *shared - offsetof(struct shared, runs));
    shared->state = settings->seed;
    while (findings < FINDINGS_MAX &&
           !round_of(target, settings, settings->seconds - used)) {
        used = used_seconds(RUSAGE_CHILDREN) - before;
        findings += 1;
    }
    printf("%-18s %9llu runs %6u edges %5u inputs %7.1f s CPU %3u findings\n",
           target->name, (unsigned long long)shared->runs,
           fuzz_map_edges(shared->seen), shared->count,
           used_seconds(RUSAGE_CHILDREN) - before, findings);
    fflush(stdout);
    return findings;
}

static int replay(const struct fuzz_target *target, const char *path)
{
    long bytes = read_file(shared->now.data, path);

    if (bytes < 0) {
        fprintf(stderr, "fuzz: %s: %s\n", path, strerror(errno));
        return EXIT_FAILURE;
    }
    shared->now.bytes = (uint32_t)bytes;
    try_now(target);
    printf("%s: no finding\n", target->name);
    return EXIT_SUCCESS;
}

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
    for (const struct fuzz_target *at = fuzz_targets(); at->name[0] != '\0';
         ++at) {
        puts(at->name);
    }
    return EXIT_SUCCESS;
}

/* Each target whose name begins so, or that has just this name. */
static int run_all(const struct settings *settings, const char *name)
{
    unsigned findings = 0;
    bool found = false;

    for (const struct fuzz_target *at = fuzz_targets();
         at->name[0] != '\0' && !shared->ended; ++at) {
        if (settings->replay != NULL && strcmp(at->name, name) == 0) {
            return replay(at, settings->replay);
        }
        if (settings->replay == NULL &&
            strncmp(at->name, name, strlen(name)) == 0) {
            found = true;
            findings += fuzz(at, settings);
        }
    }
    if (!found) {
        fprintf(stderr, "fuzz: no target '%s'\n", name);
        return 2;
    }
    return findings > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int read_options(struct settings *settings, int argc, char **argv)
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
            settings->seconds = strtod(optarg, NULL);
            break;
        case 'r':
            settings->runs = strtoull(optarg, NULL, 10);
            break;
        case 'd':
            settings->seed = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            corpus = optarg;
            break;
        case 'o':
            settings->out = optarg;
            break;
        case 'h':
            hang_seconds = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            settings->replay = optarg;
            break;
        default:
            return option;
        }
    }
    return 0;
}

static void end(int signal)
{
    (void)signal;
    shared->ended = true;
}

int main(int argc, char **argv)
{
    struct settings settings = {
        .seconds = 1e9, .runs = UINT64_MAX, .seed = 1, .out = "."};
    int option = read_options(&settings, argc, argv);

    if (option == 'l') {
        return list();
    }
    if (option != 0 || argc - optind > 1 ||
        (settings.replay != NULL && argc - optind != 1)) {
        return usage();
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("fuzz: mmap");
        return EXIT_FAILURE;
    }
    if (settings.replay == NULL) {
        signal(SIGINT, end);
        signal(SIGTERM, end);
    }
    return run_all(&settings, optind < argc ? argv[optind] : "");
}
