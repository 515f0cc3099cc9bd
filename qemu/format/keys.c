/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/keys.h"

#include "qemu/base/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses a key's value. Returns 0, or 2 after a message. */
static int read_value(int64_t *value, const struct kernel_key *key,
                      const char *text)
{
    char option[64];
    char allowed[96];
    char *end;
    bool number = text[text[0] == '-'] >= '0' && text[text[0] == '-'] <= '9';

    errno = 0;
    *value = strtoll(text, &end, 10);
    snprintf(option, sizeof option, "--arg: %.40s", key->name);
    snprintf(allowed, sizeof allowed, "must be %" PRId64 " to %" PRId64,
             key->least, key->most);
    return parse_report(option, text,
                        number && errno == 0 && *end == '\0' &&
                                *value >= key->least && *value <= key->most
                            ? NULL
                            : allowed);
}

int keys_read(struct format_load *load, const uint8_t *arg, uint32_t arg_bytes)
{
    const struct kernel_key *key = load->kernel->keys;
    struct option_row row[KERNEL_KEYS_MAX];
    const char *text[KERNEL_KEYS_MAX] = {NULL};
    uint8_t values[8 * KERNEL_KEYS_MAX];
    unsigned count = 0;
    int status;

    for (; count < KERNEL_KEYS_MAX && key[count].name != NULL; ++count) {
        row[count] = (struct option_row){.name = key[count].name,
                                         .value = "N",
                                         .type = OPTION_TEXT,
                                         .at = count * sizeof *text,
                                         .width = sizeof *text,
                                         .least = 1,
                                         .required = key[count].required};
    }
    status = format_parse_arg(load,
                              &(struct option_table){.row = row, .rows = count},
                              arg, arg_bytes, text);
    for (unsigned i = 0; status == 0 && i < count; ++i) {
        int64_t value = key[i].usual;

        if (text[i] != NULL) {
            status = read_value(&value, &key[i], text[i]);
        }
        kernel_store_u64(values + 8 * i, (uint64_t)value);
    }
    if (status == 0) {
        format_copy_arg(load, values, (size_t)8 * count);
    }
    return status;
}
