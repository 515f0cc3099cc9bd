/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text from outside, such as a file's name, before it is shown. */
#ifndef QEMU_BASE_QUOTE_H
#define QEMU_BASE_QUOTE_H

#include <stddef.h>
#include <stdint.h>

/* Escapes a name for a terminal. Printable UTF-8 stays; a backslash becomes
   two. Control characters, characters that change the writing direction, and
   bytes that are not UTF-8 become \n, \t, \r or \xNN, byte by byte. Returns
   `text` itself if nothing needs an escape. Else returns memory that stays
   valid for QUOTE_SHOWN_AT_ONCE further calls by this thread; a name of more
   than some hundred bytes is cut and ends in "...". Returns NULL for NULL. */
#define QUOTE_SHOWN_AT_ONCE 8
const char *quote_shown(const char *text);

/* Escapes all later output to stdout and stderr, so that no control characters
   but newline and tab reach the terminal, even from unquoted bytes of files.
   Other control characters, characters that change the writing direction, and
   bytes that are not UTF-8 become \xNN or \uNNNN; JSON stays valid. Files
   written by qemu/base/file.h are not escaped. */
void quote_streams(void);

/* Returns bytes as text that tells them all: the bytes themselves if they are
   printable UTF-8, else $HEX[636166e9], which hashcat also writes. Bytes that
   begin with "$HEX[" are written in hexadecimal, too. The caller frees the
   text. Lack of memory ends the program. */
char *quote_bytes(const uint8_t *bytes, size_t count);

/* Returns the words of a command line as text from which a POSIX shell reads
   the words again. argv[0] may contain a blank and a subcommand. Words are put
   in single quotes if needed, or in bash's $'\033' where quote_shown() escapes.
   The caller frees the text. Lack of memory ends the program. */
char *quote_command(int argc, char *const argv[]);

#endif
