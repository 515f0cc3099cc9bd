/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/control_group.h"

#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES (2 * PATH_MAX)

/* A mounted tree of control groups (cgroups), and this process's group in
   it. */
struct hierarchy {
    const struct control_group_controller *controller;
    /* names of a group's files, which depend on the mounted version of
       cgroups */
    const struct control_group_files *files;
    char mount[PATH_MAX];
    char top[PATH_MAX]; /* path of the group that the mount point shows */
    char own[PATH_MAX];
};

/* ---- small files ---- */

FILE *control_group_open(const char *root, const char *folder, const char *name)
{
    char path[3 * PATH_MAX];

    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return fopen(path, "re");
}

bool control_group_number(uint64_t *value, const char *root, const char *folder,
                          const char *name, const char *word)
{
    FILE *file = control_group_open(root, folder, name);
    size_t length = strlen(word);
    char line[256];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
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

/* Parses a line of mountinfo(5). Word 4 is the group that the mount point
   shows, word 5 the mount point; " - TYPE SOURCE OPTIONS" ends the line. */
static bool parse_mount(struct hierarchy *hierarchy, const char *line)
{
    const char *type = strstr(line, " - ");

    if (type == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s",
                               hierarchy->top, hierarchy->mount) != 2) {
        return false;
    }
    if (strncmp(type, " - cgroup2 ", 11) == 0) {
        hierarchy->files = &hierarchy->controller->files[1];
        return true;
    }
    hierarchy->files = &hierarchy->controller->files[0];
    return strncmp(type, " - cgroup ", 10) == 0 &&
           has_word(type, hierarchy->controller->name);
}

/* Reads the path of this process's group from /proc/self/cgroup (cgroups(7)):
   "7:memory:/a/b" in version 1, "0::/a/b" in version 2. */
static bool find_own(struct hierarchy *hierarchy, const char *root)
{
    FILE *file = control_group_open(root, "/proc/self", "cgroup");
    char line[LINE_BYTES];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;

        if (path != NULL) {
            *path = ' '; /* ends the names */
            found = hierarchy->files == &hierarchy->controller->files[1]
                        ? path == names + 1
                        : has_word(names + 1, hierarchy->controller->name);
            path[strcspn(path, "\n")] = '\0';
            /* the top group "/" is stored as "" */
            path += strcmp(path + 1, "/") == 0;
            snprintf(hierarchy->own, PATH_MAX, "%.4000s", path + 1);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

struct found {
    uint64_t left;
    uint64_t limit;
};

/* Reads what the control group in `folder` still allows. Returns false if it
   has no limit. */
static bool left_in(struct found *found, const struct hierarchy *hierarchy,
                    const char *root, const char *folder)
{
    const struct control_group_files *files = hierarchy->files;
    uint64_t used;
    uint64_t spare = 0;

    if (!control_group_number(&found->limit, root, folder, files->limit, "") ||
        !control_group_number(&used, root, folder, files->used, "")) {
        return false;
    }
    if (files->spare != NULL) {
        (void)control_group_number(&spare, root, folder, "memory.stat",
                                   files->spare);
    }
    used -= spare < used ? spare : used;
    found->left = found->limit > used ? found->limit - used : 0;
    return true;
}

/* Reads the limits of this process's group and of all groups above it. If one
   of them allows less than *least, stores what it allows in *least and its
   folder in `group`. */
static void read_groups(struct found *least, char group[PATH_MAX],
                        struct hierarchy *hierarchy, const char *root)
{
    size_t top = strcmp(hierarchy->top, "/") == 0 ? 0 : strlen(hierarchy->top);
    size_t mount = strlen(hierarchy->mount);
    bool inside = strncmp(hierarchy->own, hierarchy->top, top) == 0;
    char folder[2 * PATH_MAX];

    snprintf(folder, sizeof folder, "%s%s", hierarchy->mount,
             inside ? hierarchy->own + top : "");
    while (strlen(folder) >= mount) {
        struct found found;
        char *slash = strrchr(folder, '/');

        if (left_in(&found, hierarchy, root, folder) &&
            found.left < least->left) {
            *least = found;
            snprintf(group, PATH_MAX, "%.4000s", folder);
        }
        if (slash == NULL) {
            break;
        }
        *slash = '\0';
    }
}

bool control_group_read(uint64_t *left, uint64_t *limit, char group[PATH_MAX],
                        const char *root,
                        const struct control_group_controller *controller)
{
    FILE *mounts = control_group_open(root, "/proc/self", "mountinfo");
    struct hierarchy *hierarchy = memory_or_exit(malloc(sizeof *hierarchy));
    struct found least = {.left = UINT64_MAX};
    char line[LINE_BYTES];

    while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
        hierarchy->controller = controller;
        if (parse_mount(hierarchy, line) && find_own(hierarchy, root)) {
            read_groups(&least, group, hierarchy, root);
        }
    }
    free(hierarchy);
    if (mounts != NULL) {
        fclose(mounts);
    }
    *left = least.left;
    *limit = least.limit;
    return least.left != UINT64_MAX;
}
