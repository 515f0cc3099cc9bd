/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fingerprint of a run: two runs with equal fingerprints did the same
 * things at the same mesh times. It covers, in this order, all integers
 * little-endian:
 *
 *   u32 width, height, originator x, y, nodes, circuits
 *   for each node, row-major:
 *     u32 x, y, active, layer, units
 *     u64 received, hop, forwarded, compute start, finished, done, in ps;
 *     then of each event of its log u64 time, u32 kind, u32 detail, u32 value
 *   for each circuit, in the order of (grant, source, port, destination,
 *   request, end, kind, phase, arrival, hops, bytes):
 *     u32 source, destination, port, arrival, kind, phase, hops, bytes
 *     u64 request, grant, end, in ps
 *
 * It does not cover the order in which the fabric logged circuits, wall-clock
 * times, the kind of board and the result.
 */
#ifndef QEMU_JOB_TIMELINE_H
#define QEMU_JOB_TIMELINE_H

#include "qemu/job/outcome.h"

#define TIMELINE_HEX_BYTES OUTCOME_DIGEST_BYTES

/* Writes the fingerprint, a SHA-256, as 64 lower-case hexadecimal digits and a
   NUL. */
void timeline_sha256(const struct outcome *outcome,
                     char hex[TIMELINE_HEX_BYTES]);

#endif
