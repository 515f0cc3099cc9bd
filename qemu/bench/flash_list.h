/* SPDX-License-Identifier: Apache-2.0 */
/* Devices at this host's USB through which boards may be flashed. */
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
    char name[FLASH_NAME_BYTES]; /* as a map has it, without comma or quote;
                                    empty: it has none that can be used */
    const char *interface;       /* a debug probe's, as OpenOCD names it; NULL:
                                    the device is no probe */
    char text[FLASH_LIST_TEXT];  /* its product string; printable */
    char place[FLASH_LIST_TEXT]; /* the kernel's name of its USB port */
};

struct flash_list {
    struct flash_device device[FLASH_LIST_MAX]; /* by way, then by place */
    unsigned count;
};

/*
 * Lists probes (ST-Link, J-Link, CMSIS-DAP), serial adapters and DFU devices of
 * ST's boot loader. `usb` is where the kernel lists USB devices
 * (Documentation/ABI/testing/sysfs-bus-usb), `by_id` where links to the
 * adapters' devices are, whose names stay the same. A probe's own serial port
 * is none of its adapters. Result: 0; or 1 after a message on stderr. A host
 * without USB has none of them.
 */
NODISCARD int flash_list_read(struct flash_list *list, const char *usb,
                              const char *by_id);

/*
 * Looks for the USB device with this serial number, whatever it is, and whether
 * this process may open it; it does not. `usb`: as above. Result: 0; ENODEV:
 * there is none; ENOTSUP: that is not known, as the kernel lists no devices, or
 * there is a probe whose number cannot be read; else an errno, and `node` is
 * the device file that it is about.
 */
NODISCARD int flash_list_look(char node[FLASH_LIST_NODE], const char *usb,
                              const char *serial);

#endif
