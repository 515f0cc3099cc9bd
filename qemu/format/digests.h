/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lists of digests as people have them, makes the argument of kernel
 * `dictionary` of them (kernels/dictionary.c), and names the digests of a word.
 * A line of a file has a digest in hexadecimal; behind it may stand a blank and
 * a name, as sha256sum writes them, or a colon and a salt; before it a user and
 * a colon, or a tag: "SHA256 (name) = ". Empty lines, and those that begin with
 * #, are left out.
 */
#ifndef QEMU_FORMAT_DIGESTS_H
#define QEMU_FORMAT_DIGESTS_H

#include "qemu/format/format.h"

#define DIGESTS_SALT_MAX 255u
#define DIGESTS_MAX 100000u

/* Kinds of digests, as in the kernel's argument. */
enum digests_kind {
    DIGESTS_SHA256,
    DIGESTS_SHA1,
    DIGESTS_MD5,
    DIGESTS_OPEN /* their length decides */
};

/* Where salts are; or that what stands behind a digest and a colon is none. */
enum digests_place {
    DIGESTS_BEHIND,
    DIGESTS_FRONT,
    DIGESTS_NO_SALT,
    DIGESTS_PLACE_OPEN /* behind, with a note */
};

/* How words are hashed. */
struct digests_rules {
    const char *salt; /* salt of digests without one; "": none */
    uint8_t kind;     /* enum digests_kind */
    uint8_t place;    /* enum digests_place */
};

/* Reads the digests of file `path`; or those of `text`, between commas, if
   `path` is NULL. Makes the kernel's argument, and load->context for
   digests_find(). Sets load->candidates if the digests do not fit into the
   argument. Returns as read() does. */
NODISCARD int digests_read(struct format_load *load,
                           const struct digests_rules *rules, const char *path,
                           const char *text);

/* Returns whether the text is a digest, or several between commas. */
bool digests_are(const char *text);

/* Returns how many of the digests a word has, with their salts. Writes a line
   for each, "digest:salt:word", to `out` unless that is NULL. */
uint32_t digests_find(const struct format_load *load, const uint8_t *word,
                      uint32_t bytes, FILE *out);

#endif
