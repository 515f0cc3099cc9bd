#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for OpenOCD, or for dfu-util 0.11, by the name that it is called
by: does as it is told in advance, and writes down what it was asked.

In the folder $FLASH_STAND_IN, answers.json maps the serial number of a probe or
a DFU device to

    fail    where to go wrong: a step of OpenOCD's (connect, identity, ..), or
            an option of dfu-util's (-l, -D, -U)
    says    lines to print there
    status  the exit status then (0: leaves without being done)
    signal  or the signal to die by
    hang    stay there for ever instead
    deaf    do not end when asked to
    child   start a process that stays, and that keeps the output open
    wait    a FIFO to be read before the first step, until it is closed
    unique  the chip's unique number
    layout  the name of the device's first memory
    stuck   an address whose bits cannot be programmed
    cut     so many bytes less are read

A probe that is not there can be flashed. `log` gets a line of JSON for each of
what happens; flash-SERIAL holds what a device's flash does.
"""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

FOLDER = pathlib.Path(os.environ["FLASH_STAND_IN"])
ANSWERS = json.loads((FOLDER / "answers.json").read_text("utf-8"))
LAYOUT = "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg"
FLASH = 0x08000000
SECTORS = [16] * 4 + [64] + [128] * 7  # KiB


def log(**event):
    with open(FOLDER / "log", "a", encoding="utf-8") as file:
        file.write(json.dumps({"pid": os.getpid(), **event}) + "\n")


def say(text):
    print(text, file=sys.stderr, flush=True)


def go_wrong(answer, place, status):
    if answer.get("fail") != place:
        return
    for line in answer.get("says", []):
        say(line)
    if answer.get("child"):
        log(child=subprocess.Popen(["sleep", "1000"]).pid)
    if answer.get("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    log(at_fault=True)
    while answer.get("hang"):
        signal.pause()
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    log(ended=answer.get("status", status))
    sys.exit(answer.get("status", status))


# ---- OpenOCD ----

def image_of(probe, command):
    name = re.search(r"(?:write_image erase|verify_image) (\S+) 0 elf",
                     command)[1]
    data = pathlib.Path(name).read_bytes()
    (FOLDER / f"written-{probe}").write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def openocd(words):
    """Options with values; nothing else may be there."""
    assert len(words) % 2 == 0 and set(words[::2]) <= {"-c", "-f"}, words
    asked = list(zip(words[::2], words[1::2]))
    [probe] = [value.split()[-1] for _, value in asked
               if value.startswith("adapter serial ")]
    answer = ANSWERS.get(probe, {})
    log(begun=probe, asked=asked)
    if "wait" in answer:
        pathlib.Path(answer["wait"]).read_bytes()
    for option, value in asked:
        echo = re.fullmatch(r"echo \{(.*)\}", value)
        if option == "-c" and echo:
            say(echo[1])
            log(step=echo[1].split()[-1])
            go_wrong(answer, echo[1].split()[-1], 1)
        elif "echo [format {quincunx-chip " in value:
            say("quincunx-chip IDCODE 0x10076413, 1024 KiB, "
                f"unique {answer.get('unique', 24 * '0')}")
        elif "elf" in value:
            log(image=image_of(probe, value))
    log(ended=0)


# ---- dfu-util ----

def memory(serial):
    path = FOLDER / f"flash-{serial}"
    data = path.read_bytes() if path.exists() else b""
    return path, bytearray(data.ljust(1 << 20, b"\xff"))


def listing():
    for serial, device in ANSWERS.items():
        go_wrong(device, "-l", 74)
        for alt, name in enumerate([
                device.get("layout", LAYOUT),
                "@Option Bytes  /0x1FFFC000/01*016 e",
                "@OTP Memory /0x1FFF7800/01*512 e,01*016 e"]):
            print(f'Found DFU: [0483:df11] ver=2200, devnum=9, cfg=1, intf=0, '
                  f'path="1-2", alt={alt}, name="{name}", '
                  f'serial="{serial}"')


def download(device, serial, address, name):
    data = pathlib.Path(name).read_bytes()
    path, flash = memory(serial)
    start = 0
    for kib in SECTORS:
        if start < len(data):
            flash[start:start + kib * 1024] = b"\xff" * kib * 1024
        start += kib * 1024
    for at, byte in enumerate(data, address):
        if at != device.get("stuck"):
            flash[at - FLASH] = byte
    path.write_bytes(flash)
    print("File downloaded successfully")


def upload(device, serial, address, count, name):
    with open(name, "xb") as file:  # as dfu-util: never over another file
        start = address - FLASH
        file.write(memory(serial)[1][start:start + count
                                     - device.get("cut", 0)])
    print("Received a total of", count, "bytes")


def dfu_util(words):
    """The options that the flasher uses, each in its place, and no other."""
    log(asked=words)
    if words == ["-l"]:
        listing()
        return
    found = re.fullmatch(
        r"-d 0483:df11 -S (\S+) -a 0 -s (0x[0-9a-f]{8})(?::(\d+))? "
        r"-([DU]) (\S+)", " ".join(words))
    assert found and (found[4] == "U") == (found[3] is not None), words
    serial, address = found[1], int(found[2], 16)
    if serial not in ANSWERS:
        say("dfu-util: No DFU capable USB device available")
        sys.exit(74)
    go_wrong(ANSWERS[serial], f"-{found[4]}", 74)
    if found[4] == "D":
        download(ANSWERS[serial], serial, address, found[5])
    else:
        upload(ANSWERS[serial], serial, address, int(found[3]), found[5])


{"openocd": openocd, "dfu-util": dfu_util}[
    os.path.basename(sys.argv[0])](sys.argv[1:])
