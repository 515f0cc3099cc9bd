/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/leftovers.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SEGMENTS "/dev/shm/{vader,sm}_segment.*"
#define OLD_S 60

/* Returns whether a process maps the file `path`. `maps` is the process's file
   in /proc; if it cannot be opened, the process is another user's. */
static bool maps_it(const char *maps, const char *path)
{
    FILE *file = fopen(maps, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    while (file != NULL && !found && getline(&line, &room, file) > 0) {
        found = strstr(line, path) != NULL;
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static bool is_mapped(const char *path)
{
    glob_t process = {.gl_pathc = 0};
    bool found = false;

    if (glob("/proc/[0-9]*/maps", GLOB_NOSORT, NULL, &process) != 0) {
        return true; /* /proc cannot be read: the file may be in use */
    }
    for (size_t i = 0; !found && i < process.gl_pathc; ++i) {
        found = maps_it(process.gl_pathv[i], path);
    }
    globfree(&process);
    return found;
}

static bool is_left(const char *path)
{
    struct stat is;

    return lstat(path, &is) == 0 && S_ISREG(is.st_mode) &&
           is.st_uid == geteuid() && time(NULL) - is.st_mtime > OLD_S &&
           !is_mapped(path);
}

void leftovers_remove(void)
{
    glob_t segment = {.gl_pathc = 0};

    if (glob(SEGMENTS, GLOB_NOSORT | GLOB_BRACE, NULL, &segment) == 0) {
        for (size_t i = 0; i < segment.gl_pathc; ++i) {
            if (is_left(segment.gl_pathv[i])) {
                unlink(segment.gl_pathv[i]);
            }
        }
    }
    globfree(&segment);
}
