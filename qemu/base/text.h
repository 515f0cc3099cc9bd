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
    /* encoding of the byte order mark, "UTF-8"; NULL: no mark */
    const char *encoding;
    bool converted; /* the text was converted from `encoding` */
    bool ended;     /* a final ^Z was removed */
    /* number of lone CRs that text_end_lines() changed to LF */
    uint64_t returns;
    /* number of UTF-8 marks removed at the beginnings of lines */
    uint64_t marks;
};

/* Decodes the bytes of file `path`: removes the mark and ^Z, converts to UTF-8.
   Compressed data is refused. Returns 0, or 1 and no data after a message. */
NODISCARD int text_decode(struct text *text, const char *path);

/* Reads and decodes a whole file. Returns text_decode()'s result. */
NODISCARD int text_read(struct text *text, const char *path);

/* Reads and decodes a whole file; all lines end in LF. Returns a stream that
   the caller closes by fclose(), or NULL after a message. */
FILE *text_open(const char *path);

/* Converts every lone CR to LF, and CRLF too unless crlf_stays. Removes UTF-8
   marks at beginnings of lines, which joined files have. */
void text_end_lines(struct text *text, bool crlf_stays);

/* Removes UTF-8 marks at beginnings of lines, but keeps line ends. */
void text_drop_marks(struct text *text);

/* Names a separator found in a text of a single line, such as "form feeds".
   Returns NULL if there is none, or if the text has several lines. */
const char *text_other_ends(const struct text *text);

/* Guesses an encoding of two or four bytes a character from the mark or from
   zero bytes; the first few bytes suffice. Returns its name or NULL. *has_mark
   tells whether a mark was found. */
const char *text_wide(bool *has_mark, const uint8_t *data, uint64_t bytes);

/* Refuses wide text that has no mark. Returns 0, or 1 after a message. */
NODISCARD int text_check_narrow(const struct text *text, const char *path);

#endif
