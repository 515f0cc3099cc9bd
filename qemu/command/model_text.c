/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/model_text.h"

#include "qemu/theory/number.h"

#include <stdio.h>
#include <string.h>

void model_text_number(quad value)
{
    char fraction[THEORY_FRACTION_CHARS];

    printf("%.12g", (double)value);
    if (theory_number_fraction(fraction, value) &&
        strchr(fraction, '/') != NULL) {
        printf(" (%s)", fraction);
    }
}

void model_text_line(const char *name, quad value, const char *of)
{
    bool one = theory_number_compare(value, 1) == 0;

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

json_t *model_json_number(quad value)
{
    return json_real((double)value);
}

json_t *model_json_numbers(const quad *values, size_t count)
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

void model_json_set(json_t *json, const char *name, quad value)
{
    char fraction[THEORY_FRACTION_CHARS];
    char exact[32];

    json_object_set_new(json, name, model_json_number(value));
    if (theory_number_fraction(fraction, value)) {
        snprintf(exact, sizeof exact, "%s_exact", name);
        json_object_set_new(json, exact, json_string(fraction));
    }
}

void model_json_print(json_t *json)
{
    json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(json);
}
