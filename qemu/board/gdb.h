/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets for debuggers, one a board, while the mesh runs: DIR/X-Y, and a link
   DIR/image to the boards' image. A directory serves one mesh at a time; files
   of a killed mesh are removed when the next begins. */
#ifndef QEMU_BOARD_GDB_H
#define QEMU_BOARD_GDB_H

#include "torus/torus.h"

#include <stdbool.h>

#define GDB_HALTS_MAX 32u

struct gdb_sockets;

struct gdb_door {
    int listener; /* inherited by the board */
    /* The board halts before its first instruction until a debugger continues
       it. */
    bool halts;
};

/* The boards that halt at their start; zeros: none. */
struct gdb_halts {
    struct torus_coord at[GDB_HALTS_MAX];
    unsigned count;
};

/* Makes the directory, if missing, and the sockets on which boards listen.
   `dir` may be NULL: "gdb" beside this program. `image` must stay valid.
   Returns NULL after a message on stderr. */
struct gdb_sockets *gdb_open(const char *dir, const char *image,
                             struct torus_size size, struct gdb_halts halts);

const struct gdb_door *gdb_doors(const struct gdb_sockets *sockets);

const char *gdb_dir(const struct gdb_sockets *sockets);

/* Removes the sockets, and the directory if it is then empty. NULL is
   allowed. */
void gdb_close(struct gdb_sockets *sockets);

#endif
