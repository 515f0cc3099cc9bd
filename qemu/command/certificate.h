/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx certificate`: prints every circuit of the scatter with its links,
 * for independent checks that no two circuits of a phase share a link. A header
 * line, which begins with #, then a line for each circuit, fields separated by
 * tabs:
 *
 *   phase   source x,y   destination x,y   link x,y-x,y   link ...
 *
 * in order of phase, then source (row-major), then port (east, north, west,
 * south); links from the source to the destination, each in the direction of
 * travel.
 */
#ifndef QEMU_COMMAND_CERTIFICATE_H
#define QEMU_COMMAND_CERTIFICATE_H

#include "hal/nodiscard.h"

/* As plan_command(); argv[0] is "quincunx certificate". Cost: O(nodes) for
   each phase. */
NODISCARD int certificate_command(int argc, char **argv);

#endif
