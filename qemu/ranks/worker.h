/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_WORKER_H
#define QEMU_RANKS_WORKER_H

/* Runs a rank other than 0 until rank 0 ends: starts its share of each mesh,
   forwards doorbells of its nodes, and carries out rank 0's orders. */
_Noreturn void worker_run(void);

#endif
