/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A socket for each board to which a debugger can be attached while the mesh
 * runs: DIR/X-Y, beside a link DIR/image to the boards' image. A directory
 * has one mesh at a time; what one that was killed left in it goes when the
 * next begins.
 */
#ifndef QEMU_BOARD_GDB_H
#define QEMU_BOARD_GDB_H

#include "torus/torus.h"

#include <stdbool.h>

#define GDB_HALTS_MAX 32u

struct gdb_sockets;

/* A board's end of the way to its debugger. */
struct gdb_door {
    int listener; /* the listening socket, for the board to inherit */
    bool halts;   /* the board halts before its first instruction, until a
                     debugger lets it go on */
};

/* The boards that halt; all zero: none does. */
struct gdb_halts {
    struct torus_coord at[GDB_HALTS_MAX]; /* within the mesh */
    unsigned count;
};

/*
 * Makes the directory, if it is not there, and the sockets, for boards to
 * listen on. `dir` may be NULL: "gdb" beside this program. The image's path is
 * the caller's. NULL after a message on stderr.
 */
struct gdb_sockets *gdb_open(const char *dir, const char *image,
                             struct torus_size size, struct gdb_halts halts);

/* The doors by node. */
const struct gdb_door *gdb_doors(const struct gdb_sockets *sockets);

/* The directory. */
const char *gdb_dir(const struct gdb_sockets *sockets);

/* Removes all, the directory too if nothing else is in it. NULL is allowed. */
void gdb_close(struct gdb_sockets *sockets);

#endif
