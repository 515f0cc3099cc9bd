/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Prime to the sides of most meshes: the cases are from everywhere in them. */
#define STRIDE 7u

/* Seconds of the processor, some times what the longest program takes: one that
   goes on and on ends by SIGXCPU. */
#define CPU_S 30u
#define CPU_EVERY_S 200u

static void limit_cpu(rlim_t most_s)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur > most_s) {
        limit.rlim_cur = most_s;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

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
    limit_cpu(every ? CPU_EVERY_S : CPU_S);
    all(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
