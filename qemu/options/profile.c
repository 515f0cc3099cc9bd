/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/profile.h"

#include <errno.h>
#include <stdio.h>

int profile_option_load(void *profile, const char *option, const char *name)
{
    char message[PROFILE_MESSAGE_BYTES];

    if (profile_load(profile, message, name) == 0) {
        return 0;
    }
    if (message[0] != '\0') {
        /* A message on a line of the file begins with its name, without
           quotes. */
        fprintf(stderr, "quincunx: %s%s %s\n", option,
                message[0] == '\'' ? "" : ":", message);
    }
    return EINVAL;
}
