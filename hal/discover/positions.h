/* SPDX-License-Identifier: Apache-2.0 */
/* Where this node is, by what its neighbours say: hal/discover/discover.h
   explains why some of them are trusted. */
#ifndef HAL_DISCOVER_POSITIONS_H
#define HAL_DISCOVER_POSITIONS_H

#include "hal/discover/internal.h"

/* This node's place in the mesh, once it has PLACED. */
struct torus_coord discover_place(const struct discover *d);

/* The place of the neighbour at a port, as the neighbour told it. */
struct torus_coord discover_there(const struct discover *d, unsigned port);

/* Whether both ends of the port's link hear each other. */
bool discover_is_mutual(const struct discover *d, unsigned port);

/* Whether the port's link joins opposite ports. */
bool discover_is_facing(const struct discover *d, unsigned port);

/* Whether the port's link lies in a closed square. */
bool discover_is_trusted(const struct discover *d, unsigned port);

/* Where the neighbour at a port says that this node is, in hops east and north
   of the originator. False: it says nothing, or has not said all. */
bool discover_claimed(const struct discover *d, unsigned port, int *x, int *y);

/* Takes the position that counts most by now, if there is one: the node is
   PLACED then, and whoever told it its parent. */
void discover_find_place(struct discover *d);

#endif
