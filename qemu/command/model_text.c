/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/model_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer fractions are printed as decimal numbers only. */
#define FRACTION_CHARS 40

/* "11050/277"; NULL if it is long. To be freed. */
static char *fraction_of(mpq_srcptr value)
{
    return mpz_sizeinbase(mpq_numref(value), 10) +
                       mpz_sizeinbase(mpq_denref(value), 10) >
                   FRACTION_CHARS
               ? NULL
               : mpq_get_str(NULL, 10, value);
}

void model_text_number(mpq_srcptr value)
{
    char *fraction = fraction_of(value);

    printf("%.12g", mpq_get_d(value));
    if (fraction != NULL && strchr(fraction, '/') != NULL) {
        printf(" (%s)", fraction);
    }
    free(fraction);
}

void model_text_line(const char *name, mpq_srcptr value, const char *of)
{
    bool one = mpq_cmp_ui(value, 1, 1) == 0;

    printf("%-13s ", name);
    model_text_number(value);
    printf(" unit%s%s\n", one ? "" : "s", of);
}

void model_text_order(const char *name, const size_t *order, size_t count)
{
    printf("%-13s", name);
    for (size_t i = 0; i < count; ++i) {
        printf(" %zu", order[i] + 1);
    }
    putchar('\n');
}

json_t *model_json_number(mpq_srcptr value)
{
    return json_real(mpq_get_d(value));
}

json_t *model_json_numbers(mpq_t *values, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(array, model_json_number(values[i]));
    }
    return array;
}

json_t *model_json_order(const size_t *order, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(array, json_integer((json_int_t)order[i] + 1));
    }
    return array;
}

json_t *model_json_arrays(size_t count)
{
    json_t *arrays = json_array();

    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(arrays, json_array());
    }
    return arrays;
}

void model_json_set(json_t *json, const char *name, mpq_srcptr value)
{
    char *fraction = fraction_of(value);
    char exact[32];

    json_object_set_new(json, name, model_json_number(value));
    if (fraction != NULL) {
        snprintf(exact, sizeof exact, "%s_exact", name);
        json_object_set_new(json, exact, json_string(fraction));
    }
    free(fraction);
}

void model_json_print(json_t *json)
{
    json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(json);
}
