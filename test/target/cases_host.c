/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of standard input, answered on standard output. */
#include "test/target/cases.h"

#include <stdio.h>

static uint32_t take(void *context, void *into, uint32_t bytes)
{
    return (uint32_t)fread(into, 1, bytes, (FILE *)context);
}

static void give(void *context, const void *from, uint32_t bytes)
{
    (void)context;
    fwrite(from, 1, bytes, stdout);
}

int main(void)
{
    cases_answer(stdin, take, give);
    return 0;
}
