/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RANKS_LEFTOVERS_H
#define QEMU_RANKS_LEFTOVERS_H

/*
 * Removes what ranks that were killed have left in /dev/shm: Open MPI's
 * segments of this user that are older than a minute, and that no process maps.
 * Ranks open each other's segments while they start, so a name of a minute ago
 * is of no use to those that still run. To be called by one rank of a host,
 * before it starts MPI. Cost: a look into the folder where there are none.
 */
void leftovers_remove(void);

#endif
