/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text from outside, such as a file's name, before it is shown. */
#ifndef QEMU_BASE_QUOTE_H
#define QEMU_BASE_QUOTE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Escapes a name for a terminal. Printable UTF-8 stays. A backslash becomes
 * two. Control characters, characters that change the writing direction, and
 * bytes that are not UTF-8 become \n, \t, \r or \xNN, byte by byte. Returns
 * `text` itself if nothing needs an escape. Otherwise returns memory valid for
 * QUOTE_SHOWN_AT_ONCE further calls of the same thread; a name of some hundred
 * bytes is cut there and ends in "...". Returns NULL for NULL.
 */
#define QUOTE_SHOWN_AT_ONCE 8
const char *quote_shown(const char *text);

/*
 * Escapes all later output to stdout and stderr, so that no control characters
 * but newline and tab reach the terminal, even from unquoted bytes of files.
 * Other control characters, characters that change the writing direction, and
 * bytes that are not UTF-8 become \xNN or \uNNNN; JSON stays valid. Files of
 * qemu/base/file.h are not escaped.
 */
void quote_streams(void);

/* Returns bytes as text without loss: unchanged if printable UTF-8, else as
   $HEX[636166e9], which hashcat also writes. Bytes that begin with "$HEX[" are
   converted too. The caller frees the text. Lack of memory ends the program. */
char *quote_bytes(const uint8_t *bytes, size_t count);

/* Returns a command line that a POSIX shell reads back. argv[0] may end in a
   blank and a subcommand. Words are put in single quotes where needed, or in
   bash's $'\033' where quote_shown() escapes. The caller frees the text. Ends
   the program if memory runs out. */
char *quote_command(int argc, char *const argv[]);

#endif
