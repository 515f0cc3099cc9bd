/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text files of any system. A byte order mark is removed, UTF-16 and
   UTF-32 with a mark become UTF-8, lines may end in LF, CRLF or CR, and a ^Z of
   DOS may end the file. */
#ifndef QEMU_BASE_TEXT_H
#define QEMU_BASE_TEXT_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
    uint8_t *data; /* malloc'd, owned by the caller, with one spare byte */
    uint64_t bytes;
    /* name of the encoding that the byte order mark tells, "UTF-8"; NULL: no
       mark */
    const char *encoding;
    bool converted; /* true: the text was converted from `encoding` */
    bool ended;     /* true: a final ^Z was removed */
    /* number of CRs without LF that text_end_lines() changed to LF */
    uint64_t returns;
    /* number of UTF-8 byte order marks removed at beginnings of lines */
    uint64_t marks;
};

/* Decodes the bytes of the file `path`: removes byte order mark and ^Z,
   converts to UTF-8. Refuses compressed data. Returns 0; or 1 after a message,
   with no data. */
NODISCARD int text_decode(struct text *text, const char *path);

/* Reads and decodes a whole file. Returns 0; or 1 after a message, with no
   data. */
NODISCARD int text_read(struct text *text, const char *path);

/* Reads and decodes a whole file; all lines end in LF. Returns a stream that
   the caller closes by fclose(), or NULL after a message. */
FILE *text_open(const char *path);

/* Makes all lines end in LF: converts CR without LF, and CR LF unless
   `crlf_stays`. Removes UTF-8 byte order marks at beginnings of lines, which
   files joined by `cat` have. */
void text_end_lines(struct text *text, bool crlf_stays);

/* Removes UTF-8 byte order marks at beginnings of lines, but keeps line
   ends. */
void text_drop_marks(struct text *text);

/* Returns the name of a character that may separate lines in a text of a single
   line: "form feeds". Returns NULL if there is none, or if the text has several
   lines. */
const char *text_other_ends(const struct text *text);

/* Returns the name of an encoding with two or four bytes a character, or NULL
   for any other text. It is found by the byte order mark (*has_mark), or
   guessed from zero bytes among the first bytes. */
const char *text_wide(bool *has_mark, const uint8_t *data, uint64_t bytes);

/* Refuses a text in UTF-16 or UTF-32 without byte order mark. Returns 0, or 1
   after a message. */
NODISCARD int text_check_narrow(const struct text *text, const char *path);

#endif
