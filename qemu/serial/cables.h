/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which port of which board a cable joins to which: the torus, or a torus
 * with the mistakes that people make when they plug cables. Pure functions.
 */
#ifndef QEMU_SERIAL_CABLES_H
#define QEMU_SERIAL_CABLES_H

#include "torus/torus.h"

#define WIRED_OPEN UINT32_MAX

enum wired_mistake {
    WIRED_CUT,   /* no cable in port a */
    WIRED_SWAP,  /* the plugs in the ports a and b exchanged */
    WIRED_DOUBLE /* the next port counterclockwise leads where a does: both
                    of its cables are pulled, and one joins the two boards */
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

/*
 * Writes to peer[end] the other end of its cable, or WIRED_OPEN: east joins
 * west of (x + 1, y), north joins south of (x, y + 1), on wraps too. peer has
 * TORUS_PORTS * nodes elements.
 */
void wired_cables_torus(uint32_t *peer, struct torus_size size);

/*
 * Makes a mistake, after those before. Result: NULL, or why it is none: a port
 * that is open already, or two ends of one cable. Both boards lie in the mesh.
 */
const char *wired_cables_mistake(uint32_t *peer, struct torus_size size,
                                 const struct wired_fault *fault);

#endif
