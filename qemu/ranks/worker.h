/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_WORKER_H
#define QEMU_RANKS_WORKER_H

/* Runs a rank other than 0 until rank 0 ends: starts its share of each mesh's
   nodes, hands their doorbells on to rank 0, and does what rank 0 orders. */
_Noreturn void worker_run(void);

#endif
