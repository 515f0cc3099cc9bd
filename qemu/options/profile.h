/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_OPTIONS_PROFILE_H
#define QEMU_OPTIONS_PROFILE_H

#include "hal/nodiscard.h"
#include "qemu/support/profile.h"

/* Loads the profile that an option names, such as "--profile", into a struct
   profile: an option row's set(). Result: 0, or EINVAL after a message. */
NODISCARD int profile_option_load(void *profile, const char *option,
                                  const char *name);

#endif
