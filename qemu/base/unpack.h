/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks compressed files: .gz, .bz2, .xz, .zst, .lz4, .lz, .Z, and the
   contents of .zip, .7z and .rar. The first bytes tell the kind. zlib reads
   gzip and verifies the checksum; libarchive reads the others and does not. */
#ifndef QEMU_BASE_UNPACK_H
#define QEMU_BASE_UNPACK_H

#include "hal/nodiscard.h"

#include <stdint.h>
#include <stdio.h>

#define UNPACK_KINDS 64u /* bytes for a text such as "gzip, tar" */

/* Returns how many bytes a file of `bytes` bytes may expand to: 64 MiB or 100
   times its size, whichever is more. */
uint64_t unpack_limit(uint64_t bytes);

/* Returns the name of a file's compression by its first bytes, "gzip"; NULL if
   it does not look compressed. */
const char *unpack_named(const uint8_t *head, uint64_t bytes);

/*
 * Replaces a compressed file by an unpacked temporary copy. Double compression
 * and compressed tar archives are unpacked too. An archive must hold one file,
 * besides macOS's own. A copy longer than unpack_limit() is refused. `kinds`
 * tells what was unpacked, "" for nothing. Returns 0, or 1 after a message that
 * names `path`. The caller closes *file by fclose() in either case.
 */
NODISCARD int unpack_file(FILE **file, uint64_t *bytes,
                          char kinds[UNPACK_KINDS], const char *path);

#endif
