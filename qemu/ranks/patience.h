/* SPDX-License-Identifier: Apache-2.0 */
/* Limits waits inside calls of MPI. No code of this program runs there, so a
   thread counts the time. */
#ifndef QEMU_RANKS_PATIENCE_H
#define QEMU_RANKS_PATIENCE_H

/* Begins a wait. If patience_end() is not called within `seconds`, this process
   ends with EXIT_FAILED, and mpirun or srun ends the others. A message on
   stderr says what other ranks `fail` to do, as in "do not start", and which
   ranks of this host are stopped. Time for which this process was stopped does
   not count. */
void patience_begin(const char *fail, unsigned seconds);

void patience_end(void);

#endif
