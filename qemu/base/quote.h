/* SPDX-License-Identifier: Apache-2.0 */
/* Text that came from outside, such as a file's name, as it may be shown. */
#ifndef QEMU_BASE_QUOTE_H
#define QEMU_BASE_QUOTE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A name for a terminal: what is printable UTF-8 stays; a backslash becomes
 * two, and control characters, those that turn the direction of writing, and
 * bytes that are no UTF-8 become \n, \t, \r or \xNN, byte by byte. Result:
 * `text` itself if there is nothing to escape, else memory that holds until
 * QUOTE_SHOWN_AT_ONCE further calls of the same thread; there a name is cut, at
 * some hundred bytes, and ends in "...". NULL gives NULL.
 */
#define QUOTE_SHOWN_AT_ONCE 8
const char *quote_shown(const char *text);

/*
 * From now on all that is printed to stdout and stderr passes one function: of
 * control characters only newlines and tabs reach the terminal, also where a
 * message has bytes of a file that nobody quoted. Others, those that turn the
 * direction of writing, and bytes that are no UTF-8 become \xNN or \uNNNN, so
 * JSON stays JSON. Files (qemu/base/file.h) have descriptors of their own.
 */
void quote_streams(void);

/* Makes text of bytes that were found, which loses none: the bytes themselves
   if they are printable UTF-8, else $HEX[636166e9], which hashcat writes, too.
   Bytes that begin so are written that way themselves. malloc'd, the caller's;
   ends the program where there is no memory. */
char *quote_bytes(const uint8_t *bytes, size_t count);

/* A command as a POSIX shell reads it back: this program as it was called; what
   stands behind a blank in argv[0] (a subcommand); the other words, with single
   quotes where they need any, and one with what quote_shown() escapes as bash
   has it, $'\033'. malloc'd, the caller's; ends the program where there is no
   memory. */
char *quote_command(int argc, char *const argv[]);

#endif
