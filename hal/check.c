/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/check.h"

#define CHECK_PATH(name, path) [name] = path,
static const char *const paths[CHECK_FILES_END] = {[CHECK_NO_FILE] = "?",
                                                   CHECK_FILES(CHECK_PATH)};

const char *check_path(uint32_t place)
{
    uint32_t file = CHECK_PLACE_FILE(place);

    return paths[file < CHECK_FILES_END ? file : CHECK_NO_FILE];
}

#ifndef __arm__
#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_abort(uint32_t place)
{
    fprintf(stderr, "%s:%u: assertion failed\n", check_path(place),
            CHECK_PLACE_LINE(place));
    abort();
}

/* hal/host/host.c replaces this function where nodes run on the host. */
__attribute__((weak)) _Noreturn void check_failed(uint32_t place)
{
    check_abort(place);
}
#endif
