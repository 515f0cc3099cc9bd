/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/keys.h"

int keys_read(struct format_load *load, const uint8_t *arg, uint32_t arg_bytes)
{
    const struct kernel_key *key = load->kernel->keys;
    struct option_row row[KERNEL_KEYS_MAX];
    int64_t value[KERNEL_KEYS_MAX];
    unsigned count = 0;
    int status;

    for (; count < KERNEL_KEYS_MAX && key[count].name != NULL; ++count) {
        row[count] = (struct option_row){.name = key[count].name,
                                         .value = "N",
                                         .type = OPTION_INTEGER,
                                         .at = count * sizeof *value,
                                         .width = sizeof *value,
                                         .least = (uint64_t)key[count].least,
                                         .most = (uint64_t)key[count].most,
                                         .required = key[count].required};
        value[count] = key[count].usual;
    }
    status = format_parse_arg(load,
                              &(struct option_table){.row = row, .rows = count},
                              arg, arg_bytes, value);
    if (status == 0) {
        format_copy_arg(load, value, sizeof *value * count);
    }
    return status;
}
