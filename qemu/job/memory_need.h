/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the memory that a mesh and its job need with the free memory. Needs
   of each kind of board are measured (qemu/board/DESIGN.md, "What a mesh
   takes"). */
#ifndef QEMU_JOB_MEMORY_NEED_H
#define QEMU_JOB_MEMORY_NEED_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* Returns the memory of nodes, command and load together, in bytes. It is an
   upper bound, except for a few percent. */
uint64_t memory_need(const struct request *request);

/* Refuses a mesh that needs more memory than is free; with `force` only warns.
   Stores the need in request->memory_need and memory_hosts. Returns 0, or an
   exit status after a message on stderr with both numbers. */
NODISCARD int memory_need_check(struct request *request, bool force);

#endif
