/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a mesh and its job will take, as meshes of each kind of board
 * were measured to take (qemu/board/DESIGN.md, "What a mesh takes"), compared
 * with what is left.
 */
#ifndef QEMU_JOB_MEMORY_NEED_H
#define QEMU_JOB_MEMORY_NEED_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* Bytes that the nodes, this program and the load will take together at most,
   but for a few percent. */
uint64_t memory_need(const struct request *request);

/*
 * Refuses a mesh that needs more memory than is left, unless `force`; then it
 * warns. Of what it finds it leaves the numbers in the request. Result: 0, or
 * an exit status after a message on stderr with both numbers.
 */
NODISCARD int memory_need_check(struct request *request, bool force);

#endif
