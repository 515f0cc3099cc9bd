/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_SUPPORT_QUOTE_H
#define QEMU_SUPPORT_QUOTE_H

/* A command as a POSIX shell reads it back: argv[0] as it is, the other words
   with single quotes where they need any. malloc'd, the caller's; ends the
   program where there is no memory. */
char *quote_command(int argc, char *const argv[]);

#endif
