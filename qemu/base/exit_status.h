/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statuses of the host command and of its subcommands. */
#ifndef QEMU_BASE_EXIT_STATUS_H
#define QEMU_BASE_EXIT_STATUS_H

#define EXIT_FAILED 1        /* an error, named on stderr */
#define EXIT_USAGE 2         /* the command line is wrong */
#define EXIT_INTERRUPTED 130 /* ended by Ctrl-C: 128 + SIGINT */

#endif
