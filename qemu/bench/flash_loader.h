/* SPDX-License-Identifier: Apache-2.0 */
/* Flashes a board by the boot loader in the ROM of an STM32F405 (ST application
   note AN2606): over a serial port (AN3155) with stm32flash 0.7, or as a USB
   DFU device (AN3156) with dfu-util 0.11. Both programs must run several times,
   so a process of its own runs the steps one by one and prints them. Its
   programs are in its process group. */
#ifndef QEMU_BENCH_FLASH_LOADER_H
#define QEMU_BENCH_FLASH_LOADER_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

/*
 * Checks a board, writes its image, and reads it back. This is the .work of a
 * struct process_config; `request` is a struct flash_request. The descriptor
 * FLASH_IMAGE_FD has the image, from the first byte of the flash on. Prints
 * steps on stdout and errors on stderr. Waits for its programs without limit:
 * the caller ends the process group. Removes the file that dfu-util writes into
 * the folder, unless killed.
 *
 * If stm32flash fails after the first write and the boot loader still answers,
 * the first sector is erased, so that half an image does not start. Returns an
 * exit status, 0 or 1.
 */
NODISCARD int flash_loader(void *request);

#define FLASH_LOADER_FILE "read"

#endif
