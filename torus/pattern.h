/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The circuits of the Peters-Syska scatter on a torus of 5^k x 5^k nodes. The
 * scatter has k steps of two phases. In each phase, every node that has got its
 * load already sends out of its four ports d at once. In step s (1 to k) the
 * distance is f = 5^(k-s) links, and the circuits are
 *
 *   phase 2s - 1, knight   f links out of port d, then 2f to the left
 *   phase 2s, cross        f links out of port d
 *
 * Source: Blazewicz, Drozdowski, Guinand, Trystram 1999, section 2 (after
 * Peters and Syska 1996). Pure functions; cost O(k).
 */
#ifndef TORUS_PATTERN_H
#define TORUS_PATTERN_H

#include "torus/torus.h"

/* Number of phases on the largest torus, 5^5 x 5^5. */
#define TORUS_PHASES_MAX 10

/* The circuit by which a node gets its load. */
struct torus_role {
    uint8_t layer; /* phase in which the node gets its load; 0: originator */
    uint8_t port;  /* port out of which its parent sends in that phase */
    struct torus_coord parent; /* the node that sends; originator: itself */
};

/* Returns the number of phases that reach all nodes: 2k on 5^k x 5^k; -1 on a
   torus of any other size. */
int torus_phases(struct torus_size size);

/* Returns the path of the circuits that leave `port` in a phase, 1 to
   torus_phases(size). */
struct torus_path torus_phase_path(struct torus_size size, unsigned phase,
                                   enum torus_port port);

/* Returns the number of nodes that get their load in phase `layer`: 4 *
   5^(layer-1), or 1 if layer is 0. Precondition: layer <= 13. */
uint32_t torus_layer_nodes(unsigned layer);

/* Returns the circuit by which `node` gets its load, if the load begins at
   `originator`. Precondition: torus_phases(size) >= 0. */
struct torus_role torus_role_of(struct torus_size size,
                                struct torus_coord originator,
                                struct torus_coord node);

#endif
