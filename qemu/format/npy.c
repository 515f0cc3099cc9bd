/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/npy.h"

#include "hal/bytes.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6u
#define HEAD_BYTES 10u /* what comes before the header in version 1 */
#define HEAD_ALIGN 64u
#define TYPE_BYTES 32u
/* NumPy leaves blanks, so that the first number may grow to as many digits. */
#define GROWN_DIGITS 21

/* ---- the header ---- */

/* Returns the text behind a key and its colon; "" if the key is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    return at == NULL ? "" : at + strlen(key) + strspn(at + strlen(key), " :");
}

/* Parses a tuple of numbers, "(10, 4)"; Python 2 writes an L behind each. */
static bool parse_shape(struct npy *array, const char *text)
{
    bool more = *text == '(';

    for (text += more; more && *text >= '0' && *text <= '9';) {
        char *end;

        if (array->dimensions == NPY_DIMENSIONS) {
            return false;
        }
        array->shape[array->dimensions] = strtoull(text, &end, 10);
        if (array->shape[array->dimensions++] > INT64_MAX) {
            return false;
        }
        end += *end == 'L';
        more = *end == ',';
        text = end + more + strspn(end + more, " ");
    }
    return *text == ')' && (more || array->dimensions > 1);
}

/* Parses a type such as "<i4", "f8" or "int32". */
static bool parse_type(struct npy *array, const char *type)
{
    static const struct {
        char code[4];
        const char *name;
    } types[] = {{"b1", "bool"},    {"i1", "int8"},      {"i2", "int16"},
                 {"i4", "int32"},   {"i8", "int64"},     {"u1", "uint8"},
                 {"u2", "uint16"},  {"u4", "uint32"},    {"u8", "uint64"},
                 {"f2", "float16"}, {"f4", "float32"},   {"f8", "float64"},
                 {"f12", ""},       {"f16", "float128"}, {"b1", "?"}};
    const char *word = type + (*type != '\0' && strchr("<>=|", *type) != NULL);

    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (strcmp(word, types[i].code) == 0 ||
            (*word != '\0' && strcmp(word, types[i].name) == 0)) {
            array->kind = types[i].code[0];
            array->bytes = (uint32_t)atoi(types[i].code + 1);
            array->swapped = *type == '>';
            return array->bytes <= 8 || !array->swapped;
        }
    }
    return false;
}

/* Parses the header, in whose text all quotes are single. Returns 0, or 1 after
   a message. */
static int parse_header(struct npy *array, const char *header)
{
    const char *descr = value_of(header, "'descr'");
    const char *order = value_of(header, "'fortran_order'");
    const char *shape = value_of(header, "'shape'");
    char type[TYPE_BYTES] = "";

    descr += *descr == 'u'; /* Python 2 may write u'<i4' */
    if (sscanf(descr, "'%31[^']'", type) != 1 || !parse_type(array, type)) {
        return *descr == '[' || strpbrk(type, "OV") != NULL
                   ? file_error(array->path,
                                "holds Python objects or records, which are "
                                "not read; must be bool, integers or floats")
                   : file_error(array->path,
                                "is of type '%s'; must be bool, i1, i2, i4, "
                                "i8, u1, u2, u4, u8, f2, f4, f8, or f16 of x86",
                                quote_shown(type));
    }
    array->fortran = strncmp(order, "True", 4) == 0;
    if (!array->fortran && strncmp(order, "False", 5) != 0) {
        return file_error(array->path,
                          "its header says neither 'fortran_order': True nor "
                          "False");
    }
    if (!parse_shape(array, shape)) {
        return file_error(array->path,
                          "its header has the shape '%.*s'; must be up to 32 "
                          "numbers, such as (10, 4)",
                          1 + (int)strcspn(shape, ")]}"), shape);
    }
    return 0;
}

/* Reads the header of a file of `bytes` bytes, and finds the data. */
static int read_header(struct npy *array, uint64_t bytes)
{
    const uint8_t *file = array->file;
    uint64_t first = HEAD_BYTES;
    uint64_t length = 0;
    char *header;
    int status;

    if (bytes < HEAD_BYTES + 2 || memcmp(file, MAGIC, MAGIC_BYTES) != 0) {
        return file_error(array->path, "is no .npy file: its first bytes are "
                                       "not \"\\x93NUMPY\" and a version");
    }
    if (file[6] < 1 || file[6] > 3 || file[7] != 0) {
        return file_error(array->path,
                          "is .npy of version %u.%u; must be 1.0, 2.0 or 3.0",
                          file[6], file[7]);
    }
    length = bytes_load_u16(file + 8);
    if (file[6] > 1) {
        length = bytes_load_u32(file + 8);
        first += 2;
    }
    if (length > bytes - first) {
        return file_error(array->path,
                          "has %" PRIu64 " bytes from byte %" PRIu64
                          " on; its header alone has %" PRIu64,
                          bytes - first, first, length);
    }
    header = memory_or_exit(strndup((const char *)file + first, length));
    for (char *at = header; (at = strchr(at, '"')) != NULL;) {
        *at = '\'';
    }
    array->data = file + first + length;
    status = parse_header(array, header);
    free(header);
    return status;
}

/* ---- elements ---- */

/* Returns the float of a sign, a biased exponent and a mantissa, whose last bit
   counts 2^least if the exponent is at most 1. */
static long double float_of(bool negative, uint32_t exponent, uint32_t special,
                            uint64_t mantissa, int least)
{
    long double value = ldexpl((long double)mantissa,
                               least + (int)(exponent > 0 ? exponent : 1) - 1);

    if (exponent == special) {
        value = mantissa << 1 == 0 ? INFINITY : NAN;
    } else if (exponent > 0 && mantissa >> 63 == 0) {
        value = NAN; /* no number of x86 */
    }
    return negative ? -value : value;
}

static long double float_element(const uint8_t raw[16], uint32_t bytes)
{
    uint32_t head = bytes_load_u16(raw + (bytes == 2 ? 0 : 8));
    double value;
    float single;

    if (bytes == 8) {
        memcpy(&value, raw, sizeof value);
        return (long double)value;
    }
    if (bytes == 4) {
        memcpy(&single, raw, sizeof single);
        return (long double)single;
    }
    if (bytes == 16 && bytes_load_u64(raw) == 0 &&
        bytes_load_u16(raw + 14) != 0) {
        return NAN; /* of 128 bits, as other processors have them */
    }
    /* A mantissa is moved to bit 63, where x86's 80 bits store its first 1. */
    return bytes == 2 ? float_of(head >> 15, head >> 10 & 31, 31,
                                 (uint64_t)(head & 0x3ff) << 53 |
                                     (uint64_t)((head & 0x7c00) != 0) << 63,
                                 -24 - 53)
                      : float_of(head >> 15, head & 0x7fff, 0x7fff,
                                 bytes_load_u64(raw), -16445);
}

/* Returns where an element lies in a file in Fortran order. */
static uint64_t fortran_index(const struct npy *array, uint64_t index)
{
    uint64_t at = 0;

    for (uint32_t i = array->dimensions, j; i-- > 0;) {
        uint64_t part = index % array->shape[i];

        index /= array->shape[i];
        for (j = 0; j < i; ++j) {
            part *= array->shape[j];
        }
        at += part;
    }
    return at;
}

long double npy_element(const struct npy *array, uint64_t index)
{
    uint64_t at = array->fortran ? fortran_index(array, index) : index;
    const uint8_t *from = array->data + at * array->bytes;
    unsigned unused = 64 - 8 * (array->bytes < 8 ? array->bytes : 8);
    uint8_t raw[16] = {0};
    uint64_t bits;

    for (uint32_t i = 0; i < array->bytes; ++i) {
        raw[i] = from[array->swapped ? array->bytes - 1 - i : i];
    }
    bits = bytes_load_u64(raw);
    switch (array->kind) {
    case 'b':
        return bits != 0;
    case 'u':
        return (long double)bits;
    case 'i':
        return (long double)((int64_t)(bits << unused) >> unused);
    default:
        return float_element(raw, array->bytes);
    }
}

/* ---- files ---- */

/* Whether a file is a .npy by its name and a .zip by its first bytes. */
static bool is_renamed(const char *path)
{
    const char *dot = strrchr(path, '.');
    FILE *file =
        dot != NULL && strcmp(dot, ".npy") == 0 ? fopen(path, "rb") : NULL;
    char head[4] = "";
    bool zip = file != NULL && fread(head, sizeof head, 1, file) == 1 &&
               memcmp(head, "PK\3\4", sizeof head) == 0;

    if (file != NULL) {
        fclose(file);
    }
    return zip;
}

int npy_read(struct npy *array, struct format_load *load, const char *path)
{
    char shape[NPY_SHAPE_BYTES];
    uint64_t bytes = 0;
    long double want;
    int status;

    *array = (struct npy){.path = path};
    if (is_renamed(path)) {
        return file_error(path, "is an archive of arrays, .npz; must be .npy");
    }
    status = format_read_file(load, &array->file, &bytes, path);
    status = status == 0 ? read_header(array, bytes) : status;
    if (status != 0) {
        return status;
    }
    bytes -= (uint64_t)(array->data - array->file);
    want = (long double)array->bytes;
    for (uint32_t i = 0; i < array->dimensions; ++i) {
        want *= (long double)array->shape[i];
    }
    if ((long double)bytes < want) {
        npy_print_shape(shape, array->shape, array->dimensions);
        return file_error(path,
                          "has %" PRIu64 " bytes of data from byte %td on; "
                          "shape %s has %.0Lf",
                          bytes, array->data - array->file, shape, want);
    }
    if ((long double)bytes > want) {
        format_note(load, "%s: %.0Lf bytes behind the array were left out.",
                    file_name(path), (long double)bytes - want);
    }
    return 0;
}

void npy_print_shape(char text[NPY_SHAPE_BYTES], const uint64_t shape[],
                     uint32_t dimensions)
{
    int at = sprintf(text, "(");

    for (uint32_t i = 0; i < dimensions; ++i) {
        at += sprintf(text + at, "%s%" PRIu64, i > 0 ? ", " : "", shape[i]);
    }
    sprintf(text + at, dimensions == 1 ? ",)" : ")");
}

void npy_write_head(FILE *out, const char *type, const uint64_t shape[],
                    uint32_t dimensions)
{
    char text[NPY_SHAPE_BYTES];
    char header[NPY_SHAPE_BYTES + 128];
    int digits =
        dimensions > 0 ? snprintf(NULL, 0, "%" PRIu64, shape[0]) : GROWN_DIGITS;
    uint32_t length;

    npy_print_shape(text, shape, dimensions);
    length = (uint32_t)sprintf(
        header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }%*s",
        type, text, GROWN_DIGITS - digits, "");
    length += 1 + -(HEAD_BYTES + length + 1) % HEAD_ALIGN; /* 1: newline */
    fprintf(out, MAGIC "%c%c%c%c%-*s\n", 1, 0, (int)(length & 0xff),
            (int)(length >> 8), (int)length - 1, header);
}
