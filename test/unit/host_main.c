/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    fputs(text, (FILE *)context);
}

int main(void)
{
    return unit_all(put, stdout);
}
