/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/gdb.h"

#include "qemu/base/file.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/quote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define IMAGE "image"

struct gdb_sockets {
    char dir[PATH_MAX];
    int at; /* descriptor of the directory, which is locked; -1: none */
    uint32_t nodes;
    struct gdb_door *door; /* a socket for each node; .listener -1: not open */
};

static int print_error(const struct gdb_sockets *sockets, const char *why)
{
    fprintf(stderr, "quincunx: --gdb: %s: %s\n", quote_shown(sockets->dir),
            why);
    return -1;
}

/* Returns whether the open directory is still that of this name: another mesh
   may just have ended and removed it. */
static bool is_current(const struct gdb_sockets *sockets)
{
    struct stat here;
    struct stat named;

    return fstat(sockets->at, &here) == 0 && stat(sockets->dir, &named) == 0 &&
           here.st_ino == named.st_ino && here.st_dev == named.st_dev;
}

/* Returns whether no other user can write to the directory. Such a user could
   put a socket between debugger and board. */
static bool is_private(const struct gdb_sockets *sockets)
{
    struct stat here;

    return fstat(sockets->at, &here) == 0 && here.st_uid == geteuid() &&
           (here.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Opens and locks the directory of the sockets. Returns NULL, or the reason of
   a failure. Another mesh may remove the directory meanwhile. */
static const char *open_once(struct gdb_sockets *sockets)
{
    if (mkdir(sockets->dir, 0700) != 0 && errno != EEXIST) {
        return strerror(errno);
    }
    sockets->at = open(sockets->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (sockets->at < 0) {
        return strerror(errno);
    }
    if (!is_private(sockets)) {
        return "must be yours, and nobody else's to write";
    }
    if (flock(sockets->at, LOCK_EX | LOCK_NB) != 0) {
        return "another mesh is debugged there; --gdb=DIR names another place";
    }
    return is_current(sockets) ? NULL : "was removed by another mesh";
}

static int open_dir(struct gdb_sockets *sockets)
{
    const char *why = open_once(sockets);

    /* Another mesh that ends may just have removed the directory. */
    for (int tries = 0; why != NULL && tries < 3; ++tries) {
        process_close(sockets->at);
        why = open_once(sockets);
    }
    return why == NULL ? 0 : print_error(sockets, why);
}

static bool is_socket(int at, const char *name)
{
    struct stat status;
    unsigned x;
    unsigned y;
    char more;

    return sscanf(name, "%u-%u%c", &x, &y, &more) == 2 &&
           fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(status.st_mode);
}

/* Removes the boards' sockets and the link to the image, and nothing else. */
static void sweep(const struct gdb_sockets *sockets)
{
    int copy = openat(sockets->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    char target[8];

    for (struct dirent *entry = NULL;
         dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (is_socket(sockets->at, entry->d_name)) {
            unlinkat(sockets->at, entry->d_name, 0);
        }
    }
    if (readlinkat(sockets->at, IMAGE, target, sizeof target) > 0) {
        unlinkat(sockets->at, IMAGE, 0);
    }
    if (dir != NULL) {
        closedir(dir);
    } else if (copy >= 0) {
        close(copy);
    }
}

/* Opens a board's socket. The name is bound through the directory's descriptor,
   since a socket's path has at most 107 bytes. */
static int open_socket(const struct gdb_sockets *sockets, struct torus_coord at)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path,
             "/proc/self/fd/%d/%u-%u", sockets->at, at.x, at.y);
    if (fd >= 0 &&
        (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
         listen(fd, 1) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_sockets(struct gdb_sockets *sockets, const char *image,
                        struct torus_size size)
{
    char path[PATH_MAX];

    if (realpath(image, path) == NULL ||
        symlinkat(path, sockets->at, IMAGE) != 0) {
        return print_error(sockets, strerror(errno));
    }
    for (uint32_t i = 0; i < sockets->nodes; ++i) {
        sockets->door[i].listener =
            open_socket(sockets, torus_coord_of(size, i));
        if (sockets->door[i].listener < 0) {
            return print_error(sockets, strerror(errno));
        }
    }
    return 0;
}

struct gdb_sockets *gdb_open(const char *dir, const char *image,
                             struct torus_size size, struct gdb_halts halts)
{
    struct gdb_sockets *sockets;
    uint32_t nodes = torus_nodes(size);

    if (limits_allow_descriptors(2ul * nodes + 64, nodes) != 0) {
        return NULL;
    }
    sockets = memory_or_exit(calloc(1, sizeof *sockets));
    sockets->at = -1;
    if (dir != NULL) {
        snprintf(sockets->dir, sizeof sockets->dir, "%s", dir);
    } else {
        file_beside_program(sockets->dir, "gdb");
    }
    sockets->door = memory_or_exit(calloc(nodes, sizeof *sockets->door));
    if (open_dir(sockets) != 0) {
        gdb_close(sockets);
        return NULL;
    }
    sockets->nodes = nodes;
    for (uint32_t i = 0; i < nodes; ++i) {
        sockets->door[i].listener = -1;
    }
    for (unsigned i = 0; i < halts.count; ++i) {
        sockets->door[torus_index(size, halts.at[i])].halts = true;
    }
    sweep(sockets);
    if (open_sockets(sockets, image, size) != 0) {
        gdb_close(sockets);
        return NULL;
    }
    return sockets;
}

const struct gdb_door *gdb_doors(const struct gdb_sockets *sockets)
{
    return sockets->door;
}

const char *gdb_dir(const struct gdb_sockets *sockets)
{
    return sockets->dir;
}

void gdb_close(struct gdb_sockets *sockets)
{
    if (sockets == NULL) {
        return;
    }
    for (uint32_t i = 0; i < sockets->nodes; ++i) {
        process_close(sockets->door[i].listener);
    }
    if (sockets->nodes > 0) {
        sweep(sockets);
        rmdir(sockets->dir);
    }
    process_close(sockets->at);
    free(sockets->door);
    free(sockets);
}
