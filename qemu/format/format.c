/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/format.h"

#include <stdlib.h>

void format_free(struct format_load *load)
{
    free(load->data);
    free(load->arg);
    free(load->context);
    *load = (struct format_load){.data = NULL};
}
