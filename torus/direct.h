/* SPDX-License-Identifier: Apache-2.0 */
/* The straight way from one node to any other: a shortest path of at most one
   turn. */
#ifndef TORUS_DIRECT_H
#define TORUS_DIRECT_H

#include "torus/torus.h"

/*
 * The path to the node that lies `away` (x to the east, y to the north, both
 * from 0 and below the sides) from its start; not for {0, 0}. Every turn is to
 * the left, so the nodes around the start fall into four quarters, one for each
 * port, and paths out of different ports share no link. On odd sides the
 * quarters have equally many nodes. Half way around goes east or north.
 */
struct torus_path torus_direct(struct torus_size size, struct torus_coord away);

#endif
