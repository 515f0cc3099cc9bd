/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

/* Prime to the sides of most meshes: the cases are from everywhere in them. */
#define STRIDE 7u

static void put(void *context, const char *text)
{
    fputs(text, context);
    fflush(context);
}

int unit_host(int argc, char **argv, void (*all)(struct unit *unit))
{
    bool every = argc == 2 && strcmp(argv[1], "--all") == 0;
    struct unit unit = {
        .put = put, .context = stdout, .stride = every ? 1 : STRIDE};

    if (argc > 1 && !every) {
        fprintf(stderr, "usage: %s [--all]\n", argv[0]);
        return 2;
    }
    all(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
