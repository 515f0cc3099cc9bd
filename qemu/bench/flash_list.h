/* SPDX-License-Identifier: Apache-2.0 */
/* Lists USB devices of this host through which boards can be flashed. */
#ifndef QEMU_BENCH_FLASH_LIST_H
#define QEMU_BENCH_FLASH_LIST_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_board.h"

#define FLASH_LIST_MAX 512u
#define FLASH_LIST_TEXT 96u
#define FLASH_LIST_USB "/sys/bus/usb/devices"
#define FLASH_LIST_NODE 128u

struct flash_device {
    enum flash_way way;
    /* Serial number, or path of the port, if a map file can have it without
       quotes; "": the device has none. */
    char name[FLASH_NAME_BYTES];
    /* Kind of the debug probe, as OpenOCD calls it; NULL: no probe. */
    const char *interface;
    char text[FLASH_LIST_TEXT];  /* product name, as the device tells it */
    char place[FLASH_LIST_TEXT]; /* the kernel's name of its USB port */
};

struct flash_list {
    struct flash_device device[FLASH_LIST_MAX]; /* sorted by way, then place */
    unsigned count;
};

/* Lists debug probes (ST-Link, J-Link, CMSIS-DAP), serial adapters, and DFU
   devices of ST's boot loader. The serial port of a probe is not listed. `usb`
   is the kernel's folder of USB devices
   (Documentation/ABI/testing/sysfs-bus-usb), `by_id` the folder of stable links
   to serial adapters. Returns 0, or 1 after a message on stderr. A host without
   USB has no devices. */
NODISCARD int flash_list_read(struct flash_list *list, const char *usb,
                              const char *by_id);

/* Looks for the USB device with this serial number, and whether this process
   may open it, but does not. `usb` is that of flash_list_read(). Writes the
   device's file to `node`. Returns 0; ENODEV if there is no such device;
   ENOTSUP if the kernel lists no devices, or a probe's number cannot be read;
   or the errno of access to the file. */
NODISCARD int flash_list_look(char node[FLASH_LIST_NODE], const char *usb,
                              const char *serial);

#endif
