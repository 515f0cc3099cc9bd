#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for dfu-util 0.11: there is no USB to emulate a device on. Knows
the options that the flasher uses, each in its place, and no other.

In the folder $FLASH_STAND_IN, devices.json maps a device's serial number to

    layout  the name of its first memory
    fail    the option at which to leave with status 74: -l, -D, -U
    says    what to print there
    hang    stay there for ever instead
    stuck   an address whose bits cannot be programmed
    cut     so many bytes less are read

and flash-SERIAL holds what its flash does. `log` tells what was asked.
"""
import json
import os
import pathlib
import re
import sys
import time

FOLDER = pathlib.Path(os.environ["FLASH_STAND_IN"])
DEVICES = json.loads((FOLDER / "devices.json").read_text("utf-8"))
LAYOUT = "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg"
FLASH = 0x08000000
SECTORS = [16] * 4 + [64] + [128] * 7  # KiB


def log(**event):
    with open(FOLDER / "log", "a", encoding="utf-8") as file:
        file.write(json.dumps({"pid": os.getpid(), "at": time.monotonic(),
                               **event}) + "\n")


def memory(serial):
    path = FOLDER / f"flash-{serial}"
    data = path.read_bytes() if path.exists() else b""
    return path, bytearray(data.ljust(1 << 20, b"\xff"))


def go_wrong(device, option):
    if device.get("fail") != option:
        return
    print(device.get("says", "dfu-util: Cannot open DFU device"),
          file=sys.stderr, flush=True)
    log(at_fault=True)
    while device.get("hang"):
        time.sleep(1)
    sys.exit(74)


def listing():
    for serial, device in DEVICES.items():
        go_wrong(device, "-l")
        for alt, name in enumerate([
                device.get("layout", LAYOUT),
                "@Option Bytes  /0x1FFFC000/01*016 e",
                "@OTP Memory /0x1FFF7800/01*512 e,01*016 e"]):
            print(f'Found DFU: [0483:df11] ver=2200, devnum=9, cfg=1, intf=0, '
                  f'path="1-2", alt={alt}, name="{name}", '
                  f'serial="{serial}"')


def download(device, serial, address, name):
    go_wrong(device, "-D")
    data = pathlib.Path(name).read_bytes()
    path, flash = memory(serial)
    start = 0
    for kib in SECTORS:
        if start < len(data):
            flash[start:start + kib * 1024] = b"\xff" * kib * 1024
        start += kib * 1024
    for at, byte in enumerate(data):
        if FLASH + at != device.get("stuck"):
            flash[address - FLASH + at] = byte
    path.write_bytes(flash)
    print("File downloaded successfully")


def upload(device, serial, address, count, name):
    go_wrong(device, "-U")
    with open(name, "xb") as file:  # as dfu-util: never over another file
        flash = memory(serial)[1]
        start = address - FLASH
        file.write(flash[start:start + count - device.get("cut", 0)])
    print("Received a total of", count, "bytes")


def main():
    words = sys.argv[1:]
    log(asked=words)
    if words == ["-l"]:
        listing()
        return
    found = re.fullmatch(
        r"-d 0483:df11 -S (\S+) -a 0 -s (0x[0-9a-f]{8})(?::(\d+))? "
        r"-([DU]) (\S+)", " ".join(words))
    assert found, words
    serial, address = found[1], int(found[2], 16)
    if serial not in DEVICES:
        print("dfu-util: No DFU capable USB device available",
              file=sys.stderr)
        sys.exit(74)
    if found[4] == "D":
        assert found[3] is None, words
        download(DEVICES[serial], serial, address, found[5])
    else:
        upload(DEVICES[serial], serial, address, int(found[3]), found[5])


main()
