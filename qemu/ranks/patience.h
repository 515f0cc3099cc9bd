/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in MPI, where ranks wait for each other, have an end: a thread counts
 * their time, since none of this program's own code runs there.
 */
#ifndef QEMU_RANKS_PATIENCE_H
#define QEMU_RANKS_PATIENCE_H

/*
 * A wait begins. After `seconds` without patience_end() this process ends with
 * EXIT_FAILED, and mpirun or srun ends the others; on stderr it says that other
 * ranks `fail`, as in "do not start", and which ranks of this host are stopped.
 * Time in which this process was stopped itself does not count.
 */
void patience_begin(const char *fail, unsigned seconds);

/* The wait is over. */
void patience_end(void);

#endif
