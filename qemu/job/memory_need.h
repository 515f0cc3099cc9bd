/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the memory that a mesh and its job need with the free memory. What
   each kind of board needs was measured (qemu/board/DESIGN.md, "What a mesh
   takes"). */
#ifndef QEMU_JOB_MEMORY_NEED_H
#define QEMU_JOB_MEMORY_NEED_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* Returns the memory that nodes, command and load need together, bytes. It may
   be too small by a few percent. */
uint64_t memory_need(const struct request *request);

/* Refuses a mesh that needs more memory than is free; with `force` only warns.
   Stores the need in request->memory_need and memory_hosts. Returns 0, or an
   exit status after a message on stderr that names need and free memory. */
NODISCARD int memory_need_check(struct request *request, bool force);

#endif
