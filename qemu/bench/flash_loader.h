/* SPDX-License-Identifier: Apache-2.0 */
/* Flashes through the ROM boot loader of an STM32F405 (ST application note
   AN2606): by its serial protocol (AN3155) with stm32flash 0.7, or as a USB DFU
   device (AN3156) with dfu-util 0.11. Each needs several runs of its program,
   so a process of its own runs the steps, prints them, and has all its programs
   in its process group. */
#ifndef QEMU_BENCH_FLASH_LOADER_H
#define QEMU_BENCH_FLASH_LOADER_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

/*
 * Checks a board, writes its image, reads it back. Runs as process_config.work;
 * `request` is a struct flash_request. FLASH_IMAGE_FD holds the image, from the
 * first byte of the flash. Prints steps and errors on stdout and stderr. Waits
 * for its programs without limit: the caller ends the process group. Removes
 * the file that dfu-util writes into the folder, unless killed.
 *
 * If stm32flash fails after the first write, the first sector is erased if the
 * loader still answers, so that half an image does not start. Returns an exit
 * status, 0 or 1.
 */
NODISCARD int flash_loader(void *request);

#define FLASH_LOADER_FILE "read"

#endif
