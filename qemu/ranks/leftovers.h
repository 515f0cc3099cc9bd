/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_LEFTOVERS_H
#define QEMU_RANKS_LEFTOVERS_H

/* Removes what killed ranks have left in /dev/shm: segments of Open MPI that
   belong to this user, are older than a minute, and are mapped by no process.
   (Ranks open each other's segments only while they start.) One rank of each
   host calls this before it starts MPI. */
void leftovers_remove(void);

#endif
