/* SPDX-License-Identifier: Apache-2.0 */
/* Limits waits inside MPI calls: a thread counts the time, since no code of
   this program runs there. */
#ifndef QEMU_RANKS_PATIENCE_H
#define QEMU_RANKS_PATIENCE_H

/* Starts a wait. After `seconds` without patience_end() this process ends with
   EXIT_FAILED, and mpirun or srun ends the others. The message on stderr says
   that other ranks `fail`, as in "do not start", and which ranks of this host
   are stopped. Time in which this process itself was stopped does not count. */
void patience_begin(const char *fail, unsigned seconds);

void patience_end(void);

#endif
