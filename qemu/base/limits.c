/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/limits.h"

#include "qemu/base/control_group.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/quote.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB 1024u
/* a limit that leaves at least this many processes is not blamed */
#define NEAR 64u
#define STACK_BYTES (512 * KIB) /* four times the measured use */
#define ADMIN (UINT64_C(1) << 21)
#define RESOURCE (UINT64_C(1) << 24)

static const struct control_group_controller pids = {
    "pids",
    {{"pids.max", "pids.current", NULL}, {"pids.max", "pids.current", NULL}}};

static const struct control_group_controller memory = {
    "memory",
    {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
     {"memory.max", "memory.current", "inactive_file"}}};

/* ---- processes and threads ---- */

/* Stores a limit in `limits` if it allows fewer further processes than the
   stored limit. The limit's name is made as by printf(). */
__attribute__((format(printf, 3, 4))) static void
offer(struct limits_processes *limits, uint64_t left, const char *format, ...)
{
    va_list list;

    if (left < limits->left) {
        limits->left = left;
        va_start(list, format);
        vsnprintf(limits->name, sizeof limits->name, format, list);
        va_end(list);
    }
}

static uint64_t rest(uint64_t most, uint64_t used)
{
    return most > used ? most - used : 0;
}

static uint64_t threads_of(const char *root, const char *pid)
{
    char folder[64];
    uint64_t user = UINT64_MAX;
    uint64_t threads = 0;

    snprintf(folder, sizeof folder, "/proc/%.20s", pid);
    (void)control_group_number(&user, root, folder, "status", "Uid");
    if (user == getuid()) {
        (void)control_group_number(&threads, root, folder, "status", "Threads");
    }
    return threads;
}

static uint64_t count_own(const char *root)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    uint64_t threads = 0;
    DIR *folder;

    snprintf(path, sizeof path, "%s/proc", root);
    folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            threads += threads_of(root, entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return threads;
}

/* Returns whether RLIMIT_NPROC (ulimit -u) limits this process. The system's
   root and processes with CAP_SYS_ADMIN or CAP_SYS_RESOURCE are exempt. The
   root of a container with its own user namespace is not. */
static bool is_limited(const char *root)
{
    FILE *map = control_group_open(root, "/proc/self", "uid_map");
    FILE *status = control_group_open(root, "/proc/self", "status");
    uint64_t capabilities = 0;
    char line[256];
    bool all;

    all = map == NULL || (fgets(line, sizeof line, map) != NULL &&
                          strstr(line, "4294967295") != NULL);
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        (void)sscanf(line, "CapEff: %" SCNx64, &capabilities);
    }
    if (map != NULL) {
        fclose(map);
    }
    if (status != NULL) {
        fclose(status);
    }
    return !all || (getuid() != 0 && (capabilities & (ADMIN | RESOURCE)) == 0);
}

void limits_read_processes(struct limits_processes *limits, const char *root)
{
    struct rlimit user;
    char group[PATH_MAX];
    uint64_t left;
    uint64_t most;
    uint64_t all = 0;
    FILE *load = control_group_open(root, "/proc", "loadavg");

    *limits = (struct limits_processes){.left = UINT64_MAX};
    if (getrlimit(RLIMIT_NPROC, &user) == 0 && user.rlim_cur != RLIM_INFINITY &&
        is_limited(root)) {
        offer(limits, rest(user.rlim_cur, count_own(root)),
              "ulimit -u (%" PRIu64 ")", (uint64_t)user.rlim_cur);
    }
    if (control_group_read(&left, &most, group, root, &pids)) {
        offer(limits, left, "pids.max (%" PRIu64 ") of the control group %s",
              most, quote_shown(group));
    }
    if (load != NULL) {
        (void)!fscanf(load, "%*s %*s %*s %*[0-9]/%" SCNu64, &all);
        fclose(load);
    }
    for (size_t i = 0; i < 2; ++i) {
        static const char *const name[] = {"pid_max", "threads-max"};

        if (control_group_number(&most, root, "/proc/sys/kernel", name[i],
                                 "")) {
            offer(limits, rest(most, all), "sysctl kernel.%s (%" PRIu64 ")",
                  name[i], most);
        }
    }
}

int limits_allow_threads(unsigned long threads, unsigned nodes)
{
    struct limits_processes limits;

    limits_read_processes(&limits, "");
    if (threads <= limits.left) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: %u boards need %lu processes and threads; %s leaves "
            "%" PRIu64 "; raise it, or take a smaller --mesh\n",
            nodes, threads, limits.name, limits.left);
    return -1;
}

/* ---- memory ---- */

void limits_read_memory(struct limits_memory *limit, const char *root)
{
    char group[PATH_MAX];
    uint64_t left;
    uint64_t most;
    uint64_t kib;

    *limit = (struct limits_memory){.bytes = UINT64_MAX};
    if (control_group_number(&kib, root, "/proc", "meminfo", "MemAvailable")) {
        limit->bytes = kib * 1024;
    }
    if (control_group_read(&left, &most, group, root, &memory) &&
        left < limit->bytes) {
        limit->bytes = left;
        strcpy(limit->group, group);
    }
}

uint64_t limits_memory_kills(const char *root)
{
    uint64_t kills = 0;

    (void)control_group_number(&kills, root, "/proc", "vmstat", "oom_kill");
    return kills;
}

/* ---- open files ---- */

int limits_allow_descriptors(unsigned long need, unsigned nodes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < need) {
        limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < need) {
            fprintf(stderr,
                    "quincunx: %u boards need %lu open files; "
                    "this system allows %lu (ulimit -Hn)\n",
                    nodes, need, (unsigned long)limit.rlim_max);
            return -1;
        }
    }
    return 0;
}

/* ---- the stack ---- */

int limits_allow_stack(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES) {
        return 0;
    }
    if (limit.rlim_max < STACK_BYTES) {
        fprintf(stderr,
                "quincunx: a stack of %" PRIu64 " KiB (ulimit -s) is too "
                "small; must be %u KiB or more\n",
                (uint64_t)limit.rlim_cur / KIB, STACK_BYTES / KIB);
        return EXIT_FAILED;
    }
    limit.rlim_cur = STACK_BYTES;
    setrlimit(RLIMIT_STACK, &limit);
    return 0;
}

/* ---- errors ---- */

static char text[PATH_MAX + 128];

/* Limits of each process, with letter and unit of the shell's `ulimit`. Whoever
   exceeds one of the first ENDING_LIMITS limits may be ended by the system. */
static const struct own_limit {
    int kind;
    char option;
    const char *unit;
    rlim_t divisor;
} own_limits[] = {{RLIMIT_AS, 'v', " KiB", KIB},
                  {RLIMIT_DATA, 'd', " KiB", KIB},
                  {RLIMIT_CPU, 't', " s", 1},
                  {RLIMIT_FSIZE, 'f', " bytes", 1},
                  {RLIMIT_NOFILE, 'n', "", 1}};
#define OWN_LIMITS (sizeof own_limits / sizeof *own_limits)
#define ENDING_LIMITS 3

/* Writes a limit as " (ulimit -v: 4096 KiB)". Returns false if the limit is not
   set. */
static bool write_limit(char name[64], const struct own_limit *own)
{
    struct rlimit limit;

    if (getrlimit(own->kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return false;
    }
    snprintf(name, 64, " (ulimit -%c: %" PRIu64 "%s)", own->option,
             (uint64_t)(limit.rlim_cur / own->divisor), own->unit);
    return true;
}

void limits_print_own(FILE *out)
{
    const char *before = "quincunx: each process is limited";
    char name[64];

    for (size_t i = 0; i < ENDING_LIMITS; ++i) {
        if (write_limit(name, &own_limits[i])) {
            fprintf(out, "%s%s", before, name);
            before = ",";
        }
    }
    fputs(before[0] == ',' ? "\n" : "", out);
}

/* Returns the text of an error number, followed by the first of two limits
   (RLIMIT_...) of this process that is set. */
static const char *with_limit(int error, int kind, int other)
{
    char name[64];

    for (size_t i = 0; i < OWN_LIMITS; ++i) {
        const struct own_limit *own = &own_limits[i];

        if ((own->kind == kind || own->kind == other) &&
            write_limit(name, own)) {
            snprintf(text, sizeof text, "%s%s", strerror(error), name);
            return text;
        }
    }
    return strerror(error);
}

const char *limits_file_error(int error)
{
    switch (error) {
    case EFBIG:
        return with_limit(error, RLIMIT_FSIZE, RLIMIT_FSIZE);
    case EMFILE:
        return with_limit(error, RLIMIT_NOFILE, RLIMIT_NOFILE);
    case ENOMEM:
        return with_limit(error, RLIMIT_AS, RLIMIT_DATA);
    default:
        return strerror(error);
    }
}

const char *limits_start_error(int error)
{
    struct limits_processes limits;

    if (error != EAGAIN) {
        return limits_file_error(error);
    }
    limits_read_processes(&limits, "");
    if (limits.left >= NEAR) {
        return strerror(error);
    }
    snprintf(text, sizeof text, "%s (%s leaves %" PRIu64 ")", strerror(error),
             limits.name, limits.left);
    return text;
}
