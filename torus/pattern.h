/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Peters-Syska scatter on a 5^k x 5^k torus: which circuits a phase uses.
 * Step s (s = 1..k) consists of phase 2s - 1, knight, and phase 2s, cross,
 * at the distance f = 5^(k-s):
 *
 *   knight   f links out of port d, then 2f links to the left of d
 *   cross    f links out of port d
 *
 * for each of the four ports d of every node that is already active. Source:
 * Blazewicz, Drozdowski, Guinand, Trystram 1999, section 2 (after Peters and
 * Syska 1996). Pure functions; cost O(k).
 */
#ifndef TORUS_PATTERN_H
#define TORUS_PATTERN_H

#include "torus/torus.h"

/* Phases that cover the largest torus, 5^5 x 5^5. */
#define TORUS_PHASES_MAX 10

/* The place of a node in the scatter. */
struct torus_role {
    uint8_t layer; /* phase that activates it; 0: the originator */
    uint8_t port;  /* port out of which its parent sends in that phase */
    struct torus_coord parent; /* itself for the originator */
};

/* Phases that cover the torus: 2k on 5^k x 5^k; -1 for any other size. */
int torus_phases(struct torus_size size);

/* The path of phase 1..torus_phases(size) out of `port`. */
struct torus_path torus_phase_path(struct torus_size size, unsigned phase,
                                   enum torus_port port);

/* Nodes that phase i activates: 4 * 5^(i-1); 1 for layer 0. layer <= 13. */
uint32_t torus_layer_nodes(unsigned layer);

/* The parent that activates `node`, and the phase, if `originator` holds the
   load. */
struct torus_role torus_role_of(struct torus_size size,
                                struct torus_coord originator,
                                struct torus_coord node);

#endif
