/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOOT_STM32F405_IDENTITY_H
#define BOOT_STM32F405_IDENTITY_H

#include "hal/image.h"

/* The identity of this image. Volatile, since a tool may change it later. */
extern const volatile struct image_identity boot_identity;

#endif
