#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for OpenOCD, stm32flash or dfu-util, by the name that it is
called by: writes down what it was asked, and ends as it was told in advance.

In the folder $FLASH_STAND_IN, answers.json maps a board's name (the serial
number of a probe or a DFU device, or a port) to

    fail    where to go wrong: a step of OpenOCD's (connect, identity, ..), or
            an option of the others (-l, -D, -U, -r, -w); of
            stm32flash's first call also `connect'
    says    lines to print there
    status  the exit status then (0: leaves without being done)
    signal  or the signal to die by
    hang    stay there for ever instead
    deaf    do not end when asked to
    child   start a process that stays, and that keeps the output open
    wait    a FIFO to be read before the first step, until it is closed
    device, kib, unique, layout   what the chip, or the DFU device, tells
    stuck   an offset in the flash that cannot be programmed
    cut     so many bytes less are read

A probe that is not there can be flashed. `log` gets a line of JSON for each of
what happens; flash-NAME holds what a board's flash does.
"""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

FOLDER = pathlib.Path(os.environ["FLASH_STAND_IN"])
ANSWERS = json.loads((FOLDER / "answers.json").read_text("utf-8"))
FLASH, OUTSIDE = 0x08000000, 0x1FFF7A10
LAYOUT = "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg"


def log(**event):
    with open(FOLDER / "log", "a", encoding="utf-8") as file:
        file.write(json.dumps({"pid": os.getpid(), **event}) + "\n")


def say(text):
    print(text, file=sys.stderr, flush=True)


def go_wrong(answer, places):
    if answer.get("fail", "") not in places:
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
    sys.exit(answer.get("status", 1))


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
    for _, value in asked:
        step = re.fullmatch(r"echo \{(.* (\w+))\}", value)
        if step:
            say(step[1])
            go_wrong(answer, [step[2]])
        elif "echo [format {quincunx-chip " in value:
            say("quincunx-chip IDCODE 0x10076413, 1024 KiB, "
                f"unique {answer.get('unique', 24 * '0')}")
        elif " elf}" in value:
            path = re.search(r"(\S+) 0 elf", value)[1]
            (FOLDER / f"flash-{probe}").write_bytes(
                pathlib.Path(path).read_bytes())
    log(done=probe)


# ---- boot loaders ----

def download(answer, path, name):
    data = bytearray(pathlib.Path(name).read_bytes())
    if "stuck" in answer:
        data[answer["stuck"]] = 0xFF
    path.write_bytes(data)


def upload(answer, path, address, count):
    """What is read of the flash, or of what the chip tells outside of it."""
    if address >= OUTSIDE:
        told = (bytes.fromhex(answer.get("unique", 24 * "0")) + bytes(6)
                + struct.pack("<H", answer.get("kib", 1024)))
        return told[address - OUTSIDE:][:count]
    data = path.read_bytes() if path.exists() else b""
    start = address - FLASH
    return data.ljust(start + count, b"\xff")[
        start:start + count - answer.get("cut", 0)]


def dfu_util(words):
    """The options that the flasher uses, each in its place, and no other."""
    log(asked=words)
    if words == ["-l"]:
        for serial, device in ANSWERS.items():
            go_wrong(device, words)
            for alt, name in enumerate([device.get("layout", LAYOUT),
                                        "@OTP Memory /0x1FFF7800/01*512 e"]):
                print(f'Found DFU: [0483:df11] ver=2200, devnum=9, alt={alt}, '
                      f'name="{name}", serial="{serial}"')
        return
    found = re.fullmatch(
        r"-d 0483:df11 -S (\S+) -a 0 -s (0x[0-9a-f]{8})(?::(\d+))? "
        r"-([DU]) (\S+)", " ".join(words))
    assert found and (found[4] == "U") == (found[3] is not None), words
    answer, path = ANSWERS[found[1]], FOLDER / f"flash-{found[1]}"
    go_wrong(answer, words)
    if found[4] == "D":
        download(answer, path, found[5])
    else:
        with open(found[5], "xb") as file:  # as it does: over no other file
            file.write(upload(answer, path, int(found[2], 16), int(found[3])))


def stm32flash(words):
    """The same of this one."""
    log(asked=words)
    found = re.fullmatch(
        r"-b 115200 -m 8e1(?: -c (-r -|-f -w (\S+)|-o) "
        r"-S (0x[0-9a-f]{8}):(\d+))? (\S+)", " ".join(words))
    assert found, words
    answer = ANSWERS.get(found[5], {})
    path = FOLDER / f"flash-{os.path.basename(found[5])}"
    go_wrong(answer, words if found[1] else ["connect"])
    if found[1] is None:
        print(f"Device ID    : {answer.get('device', '0x0413')} (STM32F40xxx)")
    elif found[1] == "-r -":
        sys.stdout.buffer.write(upload(answer, path, int(found[3], 16),
                                       int(found[4])))
    elif found[2]:
        download(answer, path, found[2])


{"openocd": openocd, "dfu-util": dfu_util, "stm32flash": stm32flash}[
    os.path.basename(sys.argv[0])](sys.argv[1:])
