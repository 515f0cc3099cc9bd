/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports of a torus the cables connect, and mistakes that people make when
   they plug cables. Pure functions. */
#ifndef QEMU_SERIAL_CABLES_H
#define QEMU_SERIAL_CABLES_H

#include "torus/torus.h"

#define WIRED_OPEN UINT32_MAX

enum wired_mistake {
    WIRED_CUT,  /* the cable of port a is missing */
    WIRED_SWAP, /* the plugs in ports a and b are swapped */
    /* The port of a's board that is next to a, counterclockwise, gets a second
       cable to the board that a leads to. The cables that were in both of its
       ends are pulled. */
    WIRED_DOUBLE
};

struct wired_port {
    struct torus_coord at;
    uint8_t port;
};

struct wired_fault {
    enum wired_mistake mistake;
    struct wired_port a;
    struct wired_port b; /* WIRED_SWAP only */
};

/* Writes the other end of each cable to peer[port], or WIRED_OPEN. East is
   connected with west of (x + 1, y), north with south of (x, y + 1), also
   around the edge. peer[] has TORUS_PORTS * nodes elements. */
void wired_cables_torus(uint32_t *peer, struct torus_size size);

/* Adds a mistake to peer[]. Both boards must be in the mesh. Returns NULL; or
   why the mistake is impossible: a port has no cable already, or both ports
   have the ends of one cable. */
const char *wired_cables_mistake(uint32_t *peer, struct torus_size size,
                                 const struct wired_fault *fault);

#endif
