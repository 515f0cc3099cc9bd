/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_WORKER_H
#define QEMU_RANKS_WORKER_H

/* What a rank other than 0 does, until rank 0 ends: starts its share of each
   mesh, passes its nodes' doorbells on, and does what rank 0 answers. */
_Noreturn void worker_run(void);

#endif
