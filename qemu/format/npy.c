/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/npy.h"

#include "hal/bytes.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6u
#define VERSION_BYTES 2u
#define NAME_BYTES 24u
#define SHAPE_BYTES 48u

/* What a header says: "{'descr': '<i4', 'fortran_order': False, 'shape': (40,
   9), }", a dictionary of Python. */
struct header {
    char type[NAME_BYTES]; /* "<i4"; or how a type begins that is no word */
    bool is_fortran;
    char shape[SHAPE_BYTES]; /* "(40, 9)", for people */
    uint64_t size[NPY_DIMENSIONS_MAX];
    unsigned dimensions; /* also more than there are sizes */
};

/* Where the value of a key begins; NULL: there is no such key. */
static const char *value_of(const char *text, const char *key)
{
    for (const char *quote = "'\""; *quote != '\0'; ++quote) {
        char word[NAME_BYTES];
        const char *at;

        snprintf(word, sizeof word, "%c%s%c", *quote, key, *quote);
        at = strstr(text, word);
        if (at != NULL) {
            at += strlen(word);
            at += strspn(at, " ");
            return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
        }
    }
    return NULL;
}

/* Reads "(40, 9)". Result: whether it is a shape. */
static bool read_shape(struct header *header, const char *text)
{
    const char *end = strchr(text, ')');

    if (*text != '(' || end == NULL) {
        return false;
    }
    snprintf(header->shape, sizeof header->shape, "%.*s", (int)(end + 1 - text),
             text);
    header->dimensions = 0;
    for (const char *at = text + 1; at != end;) {
        char *after;
        uint64_t size = strtoull(at, &after, 10);

        if (after == at) {
            return false;
        }
        if (header->dimensions < NPY_DIMENSIONS_MAX) {
            header->size[header->dimensions] = size;
        }
        header->dimensions += 1;
        at = after + strspn(after, " ,L");
    }
    return true;
}

/* Reads the dictionary. Result: whether it is one of an array. */
static bool read_dictionary(struct header *header, const char *text)
{
    const char *type = value_of(text, "descr");
    const char *fortran = value_of(text, "fortran_order");
    const char *shape = value_of(text, "shape");

    if (type == NULL || fortran == NULL || shape == NULL) {
        return false;
    }
    type += *type == '\'' || *type == '"';
    snprintf(header->type, sizeof header->type, "%.*s",
             (int)strcspn(type, "'\""), type);
    header->is_fortran = strncmp(fortran, "True", 4) == 0;
    return read_shape(header, shape);
}

/* Reads the header, behind which byte `from` is the first of the elements.
   Result: 0, or 1 after a message. */
static int read_header(struct header *header, uint64_t *from, const char *path,
                       const uint8_t *file, uint64_t bytes)
{
    const uint8_t *version = file + MAGIC_BYTES;
    bool is_long = bytes > MAGIC_BYTES && version[0] == 2;
    uint64_t length;
    char *text;
    bool good;

    *from = MAGIC_BYTES + VERSION_BYTES + (is_long ? 4 : 2);
    if (bytes < *from || memcmp(file, MAGIC, MAGIC_BYTES) != 0) {
        return file_error(path, "is no .npy file");
    }
    if ((version[0] != 1 && version[0] != 2) || version[1] != 0) {
        return file_error(path, "is .npy of version %u.%u; must be 1.0 or 2.0",
                          version[0], version[1]);
    }
    length = is_long ? bytes_load_u32(version + VERSION_BYTES)
                     : bytes_load_u16(version + VERSION_BYTES);
    if (length > bytes - *from) {
        return file_error(path, "ends within its .npy header");
    }
    text = memory_or_exit(strndup((const char *)file + *from, length));
    good = read_dictionary(header, text);
    free(text);
    *from += length;
    return good ? 0 : file_error(path, "its header is not as .npy files have");
}

/* Checks the array, of which `bytes` lie in the file, from byte `from` on.
   Result: 0, or 1 after a message. */
static int check_array(const struct header *header, const char *path,
                       unsigned dimensions, uint64_t from, uint64_t bytes)
{
    uint64_t want = header->type[2] == '4' ? 4 : 2;

    if (strncmp(header->type, "|O", 2) == 0) {
        return file_error(path, "holds Python objects, which are not loaded; "
                                "must be int32 or int16");
    }
    if (strcmp(header->type, "<i4") != 0 && strcmp(header->type, "<i2") != 0) {
        return file_error(path,
                          "is of type %s; must be <i4 (int32) or <i2 (int16, "
                          "for Q15)",
                          header->type);
    }
    if (header->dimensions != dimensions) {
        return file_error(path, "has shape %s; must have %u dimensions",
                          header->shape, dimensions);
    }
    for (unsigned i = 0; i < dimensions; ++i) {
        if (__builtin_mul_overflow(want, header->size[i], &want)) {
            want = UINT64_MAX;
        }
    }
    if (want == 0) {
        return file_error(path, "has shape %s: it is empty", header->shape);
    }
    if (header->is_fortran && dimensions > 1) {
        return file_error(path, "is in Fortran order; must be in C order, as "
                                "numpy.ascontiguousarray() makes it");
    }
    return bytes == want
               ? 0
               : file_error(path,
                            "has %" PRIu64 " bytes of data from byte %" PRIu64
                            " on; shape %s has %" PRIu64,
                            bytes, from, header->shape, want);
}

int npy_read(struct npy *array, struct format_load *load, const char *path,
             unsigned dimensions)
{
    struct header header;
    uint64_t bytes;
    uint64_t from;
    int status = format_read_file(load, &array->data, &bytes, path);

    if (status == 0) {
        status = read_header(&header, &from, path, array->data, bytes);
    }
    if (status == 0) {
        status = check_array(&header, path, dimensions, from, bytes - from);
    }
    if (status != 0) {
        free(array->data);
        array->data = NULL;
        return status;
    }
    memmove(array->data, array->data + from, (size_t)(bytes - from));
    memcpy(array->size, header.size, sizeof array->size);
    array->element_bytes = (uint32_t)header.type[2] - '0';
    return 0;
}

const char *npy_type(const struct npy *array)
{
    return array->element_bytes == 4 ? "int32" : "int16";
}

void npy_write_vector(FILE *out, const uint8_t *data, uint64_t bytes,
                      uint32_t element_bytes)
{
    static const uint8_t begin[] = MAGIC "\1\0\x76"; /* and a 0 */
    char text[118]; /* 0x76: all before the elements is 128 bytes */

    snprintf(text, sizeof text,
             "{'descr': '<i%u', 'fortran_order': False, 'shape': (%" PRIu64
             ",), }",
             element_bytes, bytes / element_bytes);
    fwrite(begin, 1, sizeof begin, out);
    fprintf(out, "%-117s\n", text);
    fwrite(data, 1, (size_t)bytes, out);
}
