/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of text lines, however their writer's system spells them: an encoding's
 * mark at the beginning is no part of the text, UTF-16 and UTF-32 with a mark
 * become UTF-8, lines end in LF, CRLF or CR, and a ^Z of DOS may end the file.
 */
#ifndef QEMU_BASE_TEXT_H
#define QEMU_BASE_TEXT_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
    uint8_t *data; /* malloc'd, the caller's, with room for one more byte */
    uint64_t bytes;
    const char *encoding; /* that its mark names, "UTF-8"; NULL: it has none */
    bool converted;       /* from `encoding` to UTF-8 */
    bool ended;           /* by a ^Z, which is left out */
    uint64_t returns;     /* CRs alone that became LFs: text_end_lines() */
    uint64_t marks;       /* of UTF-8 that it left out at lines' beginnings */
};

/* Takes mark and ^Z off bytes as the file `path` has them, and converts them;
   what is compressed is no text. Result: 0; or 1 and no data, after a message.
 */
NODISCARD int text_decode(struct text *text, const char *path);

/* Reads a whole file, and decodes it. Result: as above. */
NODISCARD int text_read(struct text *text, const char *path);

/* Reads a whole file, and gives its text, decoded, with lines that end in LF.
   Result: the caller's to fclose(); NULL after a message. */
FILE *text_open(const char *path);

/* Makes every CR without an LF an LF; and every CRLF, unless these stay. Marks
   of UTF-8 before a line, as files that were joined have them, are left out. */
void text_end_lines(struct text *text, bool crlf_stays);

/* Leaves only such marks out, as before a table that was joined to another. */
void text_drop_marks(struct text *text);

/* Names what ends lines elsewhere, such as "form feeds", and stands in a text
   of one line; NULL: nothing does, or the text has several lines. */
const char *text_other_ends(const struct text *text);

/* The encoding of more than one byte a character in which text seems to be, by
   its mark or by zeros in its characters' other bytes; NULL: none. Tells
   whether it is a mark. A few bytes of the beginning are enough. */
const char *text_wide(bool *has_mark, const uint8_t *data, uint64_t bytes);

/* Refuses wide text without a mark where that can't be meant. Result: 0, or 1
   after a message. */
NODISCARD int text_check_narrow(const struct text *text, const char *path);

#endif
