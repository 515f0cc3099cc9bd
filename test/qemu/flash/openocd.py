#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for OpenOCD: does as it is told in advance, and writes down what
it was asked.

In the folder $FLASH_STAND_IN, answers.json maps a probe's serial number to

    fail    the step at which to go wrong: connect, identity, program, ...
    says    what to print there
    status  the exit status then (default 1; 0: leaves without being done)
    signal  or the signal to die by
    hang    stay there for ever instead
    deaf    do not end when asked to
    child   start a process that stays, and that keeps the output open
    take    seconds that each step takes
    unique  the chip's unique number
    await   first wait until so many have begun, half a minute at most

and a probe that is not there can be flashed. A line of JSON in `log` tells
that it began, the steps and that it ended.
"""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ["FLASH_STAND_IN"])
CHIP = {"id": 0x10076413, "kib": 1024}


def log(**event):
    line = json.dumps({"pid": os.getpid(), "at": time.monotonic(), **event})
    with open(FOLDER / "log", "a", encoding="utf-8") as file:
        file.write(line + "\n")


def say(text):
    print(text, file=sys.stderr, flush=True)


def words():
    """(option, value) of the command line; nothing else may be there."""
    rest = sys.argv[1:]
    assert len(rest) % 2 == 0 and set(rest[::2]) <= {"-c", "-f"}, rest
    return list(zip(rest[::2], rest[1::2]))


def wait_for(count):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        lines = (FOLDER / "log").read_text("utf-8").splitlines()
        if sum('"begun"' in line for line in lines) >= count:
            return
        time.sleep(0.02)


def go_wrong(answer):
    for line in answer.get("says", []):
        say(line)
    if answer.get("child"):
        log(child=subprocess.Popen(["sleep", "1000"]).pid)
    if answer.get("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    log(at_fault=True)
    while answer.get("hang"):
        time.sleep(1)
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    log(ended=answer.get("status", 1))
    sys.exit(answer.get("status", 1))


def image_of(probe, command):
    name = re.search(r"(?:write_image erase|verify_image) (\S+) 0 elf",
                     command)[1]
    data = pathlib.Path(name).read_bytes()
    (FOLDER / f"written-{probe}").write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def main():
    asked = words()
    probe = [value.split()[-1] for _, value in asked
             if value.startswith("adapter serial ")]
    assert len(probe) == 1, asked
    answers = json.loads((FOLDER / "answers.json").read_text("utf-8"))
    answer = answers.get(probe[0], {})
    log(begun=probe[0], asked=asked)
    wait_for(answer.get("await", 0))
    for option, value in asked:
        echo = re.fullmatch(r"echo \{(.*)\}", value)
        if option == "-c" and echo:
            say(echo[1])
            step = echo[1].split()[-1]
            log(step=step)
            time.sleep(answer.get("take", 0))
            if answer.get("fail") == step:
                go_wrong(answer)
        elif "echo [format {quincunx-chip " in value:
            say(f"quincunx-chip IDCODE 0x{CHIP['id']:08x}, {CHIP['kib']} KiB, "
                f"unique {answer.get('unique', 24 * '0')}")
        elif "elf" in value:
            log(image=image_of(probe[0], value))
    log(ended=0)


main()
