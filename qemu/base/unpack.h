/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks compressed files: .gz, .bz2, .xz, .zst, .lz4, .lz, .Z, and what is in
   .zip, .7z and .rar. The first bytes tell the kind. zlib reads gzip and
   verifies its checksum; libarchive reads the others, without verifying. */
#ifndef QEMU_BASE_UNPACK_H
#define QEMU_BASE_UNPACK_H

#include "hal/nodiscard.h"

#include <stdint.h>
#include <stdio.h>

#define UNPACK_KINDS 64u /* bytes for a text such as "gzip, tar" */

/* Returns the most bytes to which a file of `bytes` bytes may expand: 64 MiB,
   or 100 times its size if that is more. */
uint64_t unpack_limit(uint64_t bytes);

/* Returns the name of the compression that a file's first bytes tell, such as
   "gzip". Returns NULL if they tell none. */
const char *unpack_named(const uint8_t *head, uint64_t bytes);

/* Replaces a compressed file by an unpacked temporary copy. A file that was
   compressed twice, or a compressed tar archive, is unpacked to its contents.
   An archive must hold one file, besides files that macOS adds. Refuses a copy
   longer than unpack_limit(). Writes to `kinds` what was unpacked, "gzip, tar";
   "" for nothing. Returns 0, or 1 after a message that names `path`. The caller
   closes *file by fclose() in either case. */
NODISCARD int unpack_file(FILE **file, uint64_t *bytes,
                          char kinds[UNPACK_KINDS], const char *path);

#endif
