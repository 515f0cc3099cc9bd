/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flashing through the ROM boot loader of an STM32F405 (ST's application note
 * AN2606): by its serial protocol (AN3155) with stm32flash 0.7, or as a USB DFU
 * device (AN3156) with dfu-util 0.11. Each takes several runs of its program,
 * so these are steps of a process of their own, whose output tells how far it
 * is and whose process group has all that it starts.
 */
#ifndef QEMU_BENCH_FLASH_LOADER_H
#define QEMU_BENCH_FLASH_LOADER_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

/*
 * Carries out a struct flash_request, as process_config.work: checks, writes,
 * reads back. The image is the content of FLASH_IMAGE_FD, from the flash's
 * first byte on.
 * Prints steps, and what goes wrong, on stdout and stderr. Waits for its
 * programs without a limit: the caller ends the whole group. The file that
 * dfu-util reads into the folder is removed again unless the process is ended
 * from outside.
 *
 * After a failure of stm32flash between the first write and the end, the
 * flash's first sector is erased if the loader still answers, so that half an
 * image does not start. Result: an exit status, 0 or 1.
 */
NODISCARD int flash_loader(void *request);

/* The file in that folder. */
#define FLASH_LOADER_FILE "read"

#endif
