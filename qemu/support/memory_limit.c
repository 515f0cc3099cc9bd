/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/memory_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES (2 * PATH_MAX)

/* The files of a control group, by the version of its hierarchy. */
struct version {
    const char *limit;
    const char *used;
    const char *inactive; /* in memory.stat: files' pages that nobody misses */
};

static const struct version versions[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    {"memory.max", "memory.current", "inactive_file"}};

/* A hierarchy that is mounted, and this process's place in it. */
struct hierarchy {
    const struct version *version;
    char mount[PATH_MAX]; /* where it is mounted */
    char top[PATH_MAX];   /* which of its groups is seen there */
    char own[PATH_MAX];   /* this process's group */
};

/* ---- small files ---- */

static FILE *open_file(const char *root, const char *folder, const char *name)
{
    char path[3 * PATH_MAX];

    snprintf(path, sizeof path, "%s%s%s%s", root, folder,
             name[0] == '\0' ? "" : "/", name);
    return fopen(path, "re");
}

/* The number behind a word at the beginning of a line; with the word "" that of
   the first line. Result: false if there is none, such as "max". */
static bool read_number(uint64_t *value, FILE *file, const char *word)
{
    char line[256];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(word);

        found = strncmp(line, word, length) == 0 &&
                (length == 0 || strchr(": \t", line[length]) != NULL) &&
                sscanf(line + length + (line[length] == ':'), "%" SCNu64,
                       value) == 1;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* ---- control groups ---- */

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(list, word); at != NULL;
         at = strstr(at + 1, word)) {
        if ((at == list || strchr(", \n", at[-1]) != NULL) &&
            strchr(", \n", at[length]) != NULL) {
            return true;
        }
    }
    return false;
}

/* A line of mountinfo(5): " - TYPE SOURCE OPTIONS" ends it, and its fourth and
   fifth words are what is mounted where. */
static const struct version *parse_mount(struct hierarchy *hierarchy,
                                         const char *line)
{
    const char *type = strstr(line, " - ");

    if (type == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s",
                               hierarchy->top, hierarchy->mount) != 2) {
        return NULL;
    }
    if (strncmp(type, " - cgroup2 ", 11) == 0) {
        return &versions[1];
    }
    return strncmp(type, " - cgroup ", 10) == 0 && has_word(type, "memory")
               ? &versions[0]
               : NULL;
}

/* This process's group in the hierarchy, of cgroups(7): "7:memory:/a/b", or of
   version 2 "0::/a/b". */
static bool find_own(struct hierarchy *hierarchy, const char *root)
{
    FILE *file = open_file(root, "/proc/self/cgroup", "");
    char line[LINE_BYTES];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;

        if (path != NULL) {
            *path = ' '; /* ends the names */
            found = hierarchy->version == &versions[1]
                        ? path == names + 1
                        : has_word(names + 1, "memory");
            path[strcspn(path, "\n")] = '\0';
            path += strcmp(path + 1, "/") == 0; /* as "", the top one */
            snprintf(hierarchy->own, PATH_MAX, "%.4000s", path + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* What the group in `folder` leaves, if it has a limit. */
static bool left_in(uint64_t *left, const struct hierarchy *hierarchy,
                    const char *root, const char *folder)
{
    const struct version *version = hierarchy->version;
    uint64_t most;
    uint64_t used;
    uint64_t inactive = 0;

    if (!read_number(&most, open_file(root, folder, version->limit), "") ||
        !read_number(&used, open_file(root, folder, version->used), "")) {
        return false;
    }
    (void)read_number(&inactive, open_file(root, folder, "memory.stat"),
                      version->inactive);
    used -= inactive < used ? inactive : used;
    *left = most > used ? most - used : 0;
    return true;
}

/* Looks at this process's group and all around it, up to the one that is
   mounted. */
static void read_groups(struct memory_limit *limit, struct hierarchy *hierarchy,
                        const char *root)
{
    size_t top = strcmp(hierarchy->top, "/") == 0 ? 0 : strlen(hierarchy->top);
    size_t mount = strlen(hierarchy->mount);
    bool inside = strncmp(hierarchy->own, hierarchy->top, top) == 0;
    char folder[2 * PATH_MAX];

    snprintf(folder, sizeof folder, "%s%s", hierarchy->mount,
             inside ? hierarchy->own + top : "");
    while (strlen(folder) >= mount) {
        uint64_t left;
        char *slash = strrchr(folder, '/');

        if (left_in(&left, hierarchy, root, folder) && left < limit->bytes) {
            limit->bytes = left;
            snprintf(limit->group, sizeof limit->group, "%.4000s", folder);
        }
        if (slash == NULL) {
            break;
        }
        *slash = '\0';
    }
}

void memory_limit_read(struct memory_limit *limit, const char *root)
{
    FILE *mounts = open_file(root, "/proc/self/mountinfo", "");
    struct hierarchy *hierarchy = malloc(sizeof *hierarchy);
    char line[LINE_BYTES];
    uint64_t kib;

    *limit = (struct memory_limit){.bytes = UINT64_MAX};
    if (read_number(&kib, open_file(root, "/proc/meminfo", ""),
                    "MemAvailable")) {
        limit->bytes = kib * 1024;
    }
    while (mounts != NULL && hierarchy != NULL &&
           fgets(line, sizeof line, mounts) != NULL) {
        hierarchy->version = parse_mount(hierarchy, line);
        if (hierarchy->version != NULL && find_own(hierarchy, root)) {
            read_groups(limit, hierarchy, root);
        }
    }
    free(hierarchy);
    if (mounts != NULL) {
        fclose(mounts);
    }
}

uint64_t memory_limit_kills(const char *root)
{
    uint64_t kills = 0;

    return read_number(&kills, open_file(root, "/proc/vmstat", ""), "oom_kill")
               ? kills
               : 0;
}
