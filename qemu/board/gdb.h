/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets for debuggers, one for each board, while a mesh runs. They are called
   DIR/X-Y; a link DIR/image leads to the boards' image. A directory serves one
   mesh at a time. Files that a killed mesh left are removed when the next mesh
   begins. */
#ifndef QEMU_BOARD_GDB_H
#define QEMU_BOARD_GDB_H

#include "torus/torus.h"

#include <stdbool.h>

#define GDB_HALTS_MAX 32u

struct gdb_sockets;

struct gdb_door {
    int listener; /* descriptor of the socket, which the board inherits */
    /* true: the board halts before its first instruction until a debugger
       continues it */
    bool halts;
};

/* Boards that halt at their start. Zeros: none do. */
struct gdb_halts {
    struct torus_coord at[GDB_HALTS_MAX];
    unsigned count;
};

/* Makes the directory, if it is missing, and the boards' sockets. `dir` NULL
   stands for "gdb" beside this program. `image` must stay valid. Returns NULL
   after a message on stderr. */
struct gdb_sockets *gdb_open(const char *dir, const char *image,
                             struct torus_size size, struct gdb_halts halts);

const struct gdb_door *gdb_doors(const struct gdb_sockets *sockets);

const char *gdb_dir(const struct gdb_sockets *sockets);

/* Removes the sockets, and the directory if it is empty then. Accepts NULL. */
void gdb_close(struct gdb_sockets *sockets);

#endif
