/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads matrices for kernels/matvec.c. INPUT is the left operand of a product,
 * --arg names the right one; both are .npy files.
 *
 * Whole numbers are multiplied as they are. Floats become whole numbers by one
 * exponent for each operand. The boards multiply limbs of them, write() adds
 * what belongs to one element of the product, and rounds only that.
 *
 * Error: let a' and b' be the scaled elements, |a - a'| <= A, |b - b'| <= B.
 * Since a b - a' b' = a (b - b') + (a - a') b', a sum of products is off by at
 * most B sum|a| + A sum|b'|; sum|b'| <= sum|b| + B times the elements of b.
 *
 * The right operand goes out in the kernel's argument; a unit is a row then. If
 * it is too long for that, a unit is a block: BLOCK rows, and as many columns
 * of the right operand, no longer than UNIT_BYTES allow.
 */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "kernels/kernel.h"
#include "qemu/format/operand.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 4u
#define ARG_ELEMENTS ((KERNEL_ARG_MAX - HEAD_BYTES) / 4)
#define BLOCK 16u
#define UNIT_BYTES 16384u
#define ALL_BYTES_MAX 0x1p32L /* bytes of load and output together */

/* Bounds of the boards' sums, and of those of write(). */
#define SUM_MAX 0x1p63L
#define TOTAL_MAX 0x1p126L

struct product {
    struct operand left;
    struct operand right;
    const char *type; /* as in .npy: "<i2" of Q15, "<i8", "<u8" or "<f8" */
    uint64_t shape[NPY_DIMENSIONS + 1];
    uint32_t dimensions;
    bool inside;        /* a unit is a block */
    uint32_t sum_bytes; /* bytes of a sum: 8, or 2 of Q15 */
    uint32_t rows;      /* rows of a unit */
    uint32_t columns;   /* columns of the right operand in a unit */
    uint32_t width;     /* elements of a row or column in a unit */
    uint64_t across;    /* units for the columns of the right operand */
    uint64_t along;     /* units for the elements of a row */
};

/* ---- --arg ---- */

struct arg {
    const char *vector;
    const char *matrix;
    uint64_t bits; /* 0: not given */
    bool whole;    /* int16 is not Q15 */
};

#define FIELD(name) OPTION_AT(struct arg, name)
#define FILE_ROW(name)                                                         \
#name, "FILE", 0, OPTION_TEXT, FIELD(name),                                \
        .least = 1, .allowed = "must name a .npy file"

static const struct option_row all_rows[] = {
    {FILE_ROW(vector), .required = true, .instead = "matrix",
     .without = "matrix"},
    {FILE_ROW(matrix)},
    {"bits", "BITS", 0, OPTION_COUNT, FIELD(bits), .choices = "15 31 53"},
    {"int16", "KIND", 0, OPTION_CHOICE, FIELD(whole), .choices = "q15 whole"}};
static const struct option_table all = {OPTION_ROWS(all_rows)};

/* The only value of a table with one row may have commas. */
static const struct option_row vector_row[] = {{FILE_ROW(vector)}};
static const struct option_table vector_alone = {OPTION_ROWS(vector_row)};

static int parse_arg(struct arg *values, struct format_load *load,
                     const uint8_t *arg, uint32_t arg_bytes)
{
    const char *text = (const char *)arg;
    bool alone =
        strncmp(text, "vector=", 7) == 0 && strstr(text, ",bits=") == NULL &&
        strstr(text, ",int16=") == NULL && strstr(text, ",vector=") == NULL &&
        strstr(text, ",matrix=") == NULL;

    *values = (struct arg){.vector = NULL};
    return format_parse_arg(load, alone ? &vector_alone : &all, arg, arg_bytes,
                            values);
}

/* ---- operands ---- */

/* Sets lines and length of the operands, and the product's shape as NumPy does.
   `is_matrix`: the right operand of (1, n) or (n, 1) is no vector. Returns 0,
   or 1 after a message. */
static int set_shapes(struct product *product, bool is_matrix)
{
    struct operand *left = &product->left;
    struct operand *right = &product->right;
    const struct npy *a = &left->array;
    const struct npy *b = &right->array;
    const uint64_t *shape = b->shape;
    char text[NPY_SHAPE_BYTES];
    bool flat = b->dimensions == 1;

    npy_print_shape(text, shape, b->dimensions);
    if (a->dimensions == 0) {
        return file_error(a->path, "has shape (); must have dimensions");
    }
    if (b->dimensions != 1 && b->dimensions != 2) {
        return file_error(b->path, "has shape %s; must have 1 or 2 dimensions",
                          text);
    }
    left->length = a->shape[a->dimensions - 1];
    left->lines = 1;
    for (uint32_t i = 0; i + 1 < a->dimensions; ++i) {
        product->shape[product->dimensions++] = a->shape[i];
        if (__builtin_mul_overflow(left->lines, a->shape[i], &left->lines)) {
            left->lines = UINT64_MAX; /* of no elements: too many later */
        }
    }
    right->right = true;
    right->length = shape[0];
    right->lines = flat ? 1 : shape[1];
    if (!flat && !is_matrix && shape[0] == 1 && left->length == shape[1]) {
        right->length = shape[1];
        right->lines = 1;
    }
    if (!flat && (is_matrix || right->lines != 1)) {
        product->shape[product->dimensions++] = right->lines;
    }
    return right->length == left->length
               ? 0
               : file_error(b->path,
                            "has shape %s, so %" PRIu64 " elements for each "
                            "row; the rows of %s have %" PRIu64,
                            text, right->length, a->path, left->length);
}

static int read_operands(struct product *product, struct format_load *load,
                         const char *path, const struct arg *arg)
{
    bool is_matrix = arg->matrix != NULL;
    int status = npy_read(&product->left.array, load, path);

    if (status == 0) {
        status = npy_read(&product->right.array, load,
                          is_matrix ? arg->matrix : arg->vector);
    }
    status = status == 0 ? set_shapes(product, is_matrix) : status;
    status = status == 0 ? operand_measure(&product->left) : status;
    return status == 0 ? operand_measure(&product->right) : status;
}

/* ---- numbers ---- */

static bool is_whole(const struct operand *operand)
{
    return operand->array.kind != 'f';
}

static bool is_int16(const struct operand *operand)
{
    return operand->array.kind == 'i' && operand->array.bytes == 2;
}

static bool is_real(const struct product *product)
{
    return product->type[1] == 'f';
}

/* Returns the product's type: whole numbers if both operands have them and the
   product fits; `sum` bounds it. */
static const char *type_of(const struct operand *left,
                           const struct operand *right, const struct arg *arg,
                           long double sum)
{
    bool has_sign = left->array.kind == 'i' || right->array.kind == 'i';
    bool wide = left->array.bytes == 8 || right->array.bytes == 8;

    if (is_int16(left) && is_int16(right) && !arg->whole && arg->bits == 0) {
        return "<i2";
    }
    if (!is_whole(left) || !is_whole(right) || arg->bits != 0 ||
        sum >= (has_sign ? SUM_MAX : 2 * SUM_MAX)) {
        return "<f8";
    }
    return !has_sign && (wide || sum >= SUM_MAX) ? "<u8" : "<i8";
}

/* Scales an operand of a float64 product. */
static void scale(struct operand *operand, uint64_t bits)
{
    /* Numbers up to 0x7fff7fff have two limbs of 16 bits. */
    operand_scale(operand, bits == 15          ? 0x7fff
                           : bits == 53        ? 0x1p53L
                           : is_whole(operand) ? 0x1p31L
                                               : 0x7fff7fff);
}

/* Chooses the limbs: of the left operand one of 32 bits if the boards' sums
   stay exact, else as many of 16 bits as it needs. Returns a bound of the sums
   of products. */
static long double set_limbs(struct operand *left, struct operand *right)
{
    long double line = operand_scaled_line(left);
    long double sum =
        fminl(line * operand_scaled_most(right),
              operand_scaled_most(left) * operand_scaled_line(right));

    right->limb_bits = 32;
    right->limbs = operand_limbs(right, 32);
    left->limb_bits =
        operand_limbs(left, 16) > 1 && operand_limbs(left, 32) == 1 &&
                (right->limbs == 1 ? sum : line * 0x1p31L) < SUM_MAX
            ? 32
            : 16;
    left->limbs = operand_limbs(left, left->limb_bits);
    return sum;
}

/* Notes what the user may not expect of the product; `sum` bounds the sums of
   products of scaled elements. */
static void note_numbers(struct format_load *load,
                         const struct product *product, long double sum)
{
    const struct operand *left = &product->left;
    const struct operand *right = &product->right;
    int exponent = left->exponent + right->exponent;
    long double most = ldexpl(sum, exponent);
    long double error =
        left->line * right->off +
        left->off * (right->line + right->off * (long double)right->length) +
        (sum > 0x1p53L ? most * 0x1p-53L : 0) +
        (sum > 0 && exponent < -1074 ? 0x1p-1075L : 0);

    error *= 1.005L; /* for printing three digits */
    if (is_real(product)) {
        format_note(load,
                    "The product is float64; max |error| <= %.3Lg for each "
                    "element.%s%s",
                    error,
                    is_whole(left) && is_whole(right) && most >= SUM_MAX
                        ? " It may go beyond 64 bits."
                        : "",
                    most >= 0x1p1024L ? " Beyond float64 it is infinite." : "");
    } else if (product->type[2] == '2') {
        format_note(load,
                    "int16 times int16 is Q15: n is n / 32768, in the product, "
                    "too; int16=whole multiplies whole numbers.");
    }
}

/* ---- units ---- */

/* Returns how many parts of `size` cover `all`. */
static uint64_t parts(uint64_t all, uint32_t size)
{
    return size == 0 ? 0 : all / size + (all % size != 0);
}

static uint32_t vectors_of(const struct product *product)
{
    return product->columns * product->right.limbs;
}

/* Chooses what a unit is. Returns 0, or 1 after a message. */
static int set_units(struct format_load *load, struct product *product)
{
    const struct operand *left = &product->left;
    const struct operand *right = &product->right;
    uint64_t length = right->lines > 0 && left->length > 0 ? left->length : 1;
    uint64_t vectors = right->lines * right->limbs;
    uint32_t row = left->limbs * left->limb_bits / 8;
    uint32_t sums;

    product->sum_bytes = product->type[2] == '2' ? 2 : 8;
    product->rows = 1;
    product->columns = right->lines > 0 ? (uint32_t)right->lines : 1;
    product->width = (uint32_t)length;
    product->inside =
        vectors > ARG_ELEMENTS || vectors * length > ARG_ELEMENTS ||
        vectors * left->limbs * product->sum_bytes > KERNEL_OUTPUT_MAX;
    if (product->inside) {
        product->sum_bytes = 8;
        product->rows = BLOCK;
        product->columns = (uint32_t)fminl(BLOCK, right->lines);
        product->width = (uint32_t)fminl(
            length, UNIT_BYTES / (4 * vectors_of(product) + BLOCK * row));
    }
    product->across = parts(right->lines, product->columns);
    product->along = parts(length, product->width);
    load->unit_bytes =
        product->rows * row * product->width +
        (product->inside ? 4 * vectors_of(product) : 0) * product->width;
    load->units =
        parts(left->lines, product->rows) * product->across * product->along;
    sums = product->rows * left->limbs * vectors_of(product);
    if ((load->unit_bytes + sums * product->sum_bytes) *
            ((long double)left->lines / product->rows) *
            (long double)product->across * (long double)product->along >
        ALL_BYTES_MAX) {
        return file_error(left->array.path,
                          "load and output of the product exceed 4 GiB");
    }
    return 0;
}

static void fill_arg(struct format_load *load, const struct product *product)
{
    uint32_t vectors = vectors_of(product);

    load->arg_bytes =
        HEAD_BYTES + 4 * (product->inside ? 1 : vectors * product->width);
    load->arg = memory_or_exit(calloc(load->arg_bytes, 1));
    load->arg[0] = (uint8_t)(product->left.limb_bits / 8);
    load->arg[1] = product->inside ? 3 : product->sum_bytes == 8;
    bytes_store_u16(load->arg + 2, (uint16_t)(vectors - 1));
    if (product->inside) {
        bytes_store_u32(load->arg + HEAD_BYTES, product->width);
    } else {
        operand_store(load->arg + HEAD_BYTES, &product->right, 0,
                      product->columns, 0, product->width);
    }
}

static void fill_load(struct format_load *load, const struct product *product)
{
    uint32_t inside =
        product->inside ? 4 * vectors_of(product) * product->width : 0;
    uint8_t *out =
        memory_or_exit(malloc((size_t)load->units * load->unit_bytes + 1));

    load->data = out;
    for (uint64_t unit = 0; unit < load->units; ++unit) {
        uint64_t place = unit % product->along * product->width;
        uint64_t column = unit / product->along % product->across;
        uint64_t row = unit / product->along / product->across;

        if (product->inside) {
            operand_store(out, &product->right, column * product->columns,
                          product->columns, place, product->width);
        }
        operand_store(out + inside, &product->left, row * product->rows,
                      product->rows, place, product->width);
        out += load->unit_bytes;
    }
}

/* Makes the load of the operands that were read. Returns 0, or 1 after a
   message. */
static int make_load(struct format_load *load, struct product *product,
                     const struct arg *arg)
{
    struct operand *left = &product->left;
    struct operand *right = &product->right;
    uint64_t bits = arg->bits;
    long double sum = fminl(left->line * operand_most(right),
                            operand_most(left) * right->line);
    int status;

    product->type = type_of(left, right, arg, sum);
    if (bits == 0) {
        bits = is_whole(left) && is_whole(right) ? 53 : 31;
    }
    if (is_real(product)) {
        scale(left, bits);
        scale(right, bits);
    }
    sum = set_limbs(left, right);
    if (sum >= TOTAL_MAX) {
        return file_error(left->array.path,
                          "has rows of %" PRIu64
                          " elements, too many for 53 bits; bits=31 takes them",
                          left->length);
    }
    status = set_units(load, product);
    if (status == 0) {
        note_numbers(load, product, sum);
        fill_arg(load, product);
        fill_load(load, product);
    }
    return status;
}

static int read_matvec(struct format_load *load, const char *path,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    struct arg values;
    struct product *product;
    int status = parse_arg(&values, load, arg, arg_bytes);

    if (status != 0) {
        return status;
    }
    product = memory_or_exit(calloc(1, sizeof *product));
    load->context = product;
    status = read_operands(product, load, path, &values);
    status = status == 0 ? make_load(load, product, &values) : status;
    free(product->left.array.file);
    free(product->right.array.file);
    return status;
}

/* ---- the product ---- */

/* Returns an element, an exact sum of products of scaled elements. */
static kernel_wide sum_at(const struct product *product, const uint8_t *output,
                          uint64_t row, uint64_t column)
{
    uint32_t low = product->left.limbs;
    uint32_t high = product->right.limbs;
    uint64_t unit =
        row / product->rows * product->across + column / product->columns;
    uint64_t at = row % product->rows * low * vectors_of(product) +
                  column % product->columns * high;
    uint64_t sums = (uint64_t)product->rows * low * vectors_of(product);
    kernel_wide sum = 0;

    if (product->sum_bytes == 2) {
        return (int16_t)bytes_load_u16(output + 2 * (unit * sums + at));
    }
    for (uint64_t i = 0; i < product->along; ++i) {
        const uint8_t *from =
            output + 8 * ((unit * product->along + i) * sums + at);

        for (uint32_t limb = 0; limb < low * high; ++limb) {
            uint32_t shift = limb / high * 16 + limb % high * 32;

            sum += (kernel_wide)(int64_t)bytes_load_u64(
                       from +
                       8 * (limb / high * vectors_of(product) + limb % high)) *
                   ((kernel_wide)1 << shift);
        }
    }
    return sum;
}

static int write_matvec(FILE *out, const struct format_load *load,
                        const char *path, const uint8_t *output, uint64_t bytes)
{
    const struct product *product = load->context;
    int exponent = product->left.exponent + product->right.exponent;
    size_t element_bytes = product->type[2] == '2' ? 2 : 8;
    uint64_t rows = product->right.lines > 0 ? product->left.lines : 0;
    uint64_t want = load->units * product->rows * product->left.limbs *
                    vectors_of(product) * product->sum_bytes;

    if (bytes != want) {
        return file_error(path, "the output has %" PRIu64 " bytes of %" PRIu64,
                          bytes, want);
    }
    npy_write_head(out, product->type, product->shape, product->dimensions);
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < product->right.lines; ++column) {
            kernel_wide sum = sum_at(product, output, row, column);
            uint64_t element = (uint64_t)sum;
            double real = ldexp((double)sum, exponent);

            if (element_bytes == 2 && product->sum_bytes == 8) {
                sum = (sum + (1 << 14)) >> 15;
                element = (uint64_t)(sum < INT16_MIN   ? INT16_MIN
                                     : sum > INT16_MAX ? INT16_MAX
                                                       : sum);
            }
            if (is_real(product)) {
                memcpy(&element, &real, sizeof element);
            }
            fwrite(&element, element_bytes, 1, out);
        }
    }
    return 0;
}

const struct format format_matvec = {
    .kernel = "matvec",
    .example = "vector=v.npy",
    .done = "multiplied",
    .argument =
        "vector=FILE or matrix=FILE, .npy of integers or floats; whole numbers "
        "give int64 (int16 times int16: Q15, unless int16=whole), floats "
        "float64 from bits=31 of each element, or 15 or 53",
    .input = "a matrix, .npy of integers or floats",
    .output = "the product, .npy",
    .suffixes = "npy",
    .read = read_matvec,
    .write = write_matvec,
};
