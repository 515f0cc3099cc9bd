/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed files: .gz, .bz2, .xz, .zst, .lz4, .lz, .Z, and what .zip, .7z and
 * .rar have in them, told by how the contents begin. gzip is read by zlib,
 * which looks at the checksum; libarchive 3.6, which reads all others, does
 * not.
 */
#ifndef QEMU_BASE_UNPACK_H
#define QEMU_BASE_UNPACK_H

#include "hal/nodiscard.h"

#include <stdint.h>
#include <stdio.h>

#define UNPACK_KINDS 64u /* bytes of "gzip, tar" */

/* Most bytes that a file of `bytes` may expand to: 64 MiB, or 100 times its own
   if that is more. */
uint64_t unpack_limit(uint64_t bytes);

/* Names the kind of a file that begins so, "gzip"; NULL: it is not compressed,
   as far as its beginning tells. */
const char *unpack_named(const uint8_t *head, uint64_t bytes);

/*
 * Puts a decompressed copy without a name in the place of a file: also of what
 * is compressed twice, or a tar archive that is compressed. An archive must
 * have one file in it, besides those of the Finder. A copy that gets longer
 * than unpack_limit() is refused. `kinds`: what it was; "" if
 * the file is as it was. Result: 0; or 1 after a message that names `path`.
 * *file is the caller's to fclose() in either case.
 */
NODISCARD int unpack_file(FILE **file, uint64_t *bytes,
                          char kinds[UNPACK_KINDS], const char *path);

#endif
