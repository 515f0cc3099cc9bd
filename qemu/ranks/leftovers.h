/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_LEFTOVERS_H
#define QEMU_RANKS_LEFTOVERS_H

/* Removes the segments that killed ranks have left in /dev/shm: Open MPI's
   segments of this user that are older than a minute and that no process maps.
   (Ranks open each other's segments only while they start.) One rank of a host
   calls this before it starts MPI. */
void leftovers_remove(void);

#endif
