#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the real stm32flash on a pseudo-terminal, which has no parity: 8N1 where
8E1 was asked for. Writes down what it was asked, in $FLASH_STAND_IN/log."""
import json
import os
import pathlib
import sys
import time

words = sys.argv[1:]
with open(pathlib.Path(os.environ["FLASH_STAND_IN"]) / "log", "a",
          encoding="utf-8") as file:
    file.write(json.dumps({"pid": os.getpid(), "at": time.monotonic(),
                           "asked": words}) + "\n")
assert words[words.index("-m") + 1] == "8e1", words
os.execvp("stm32flash", ["stm32flash"] + [
    "8n1" if word == "8e1" else word for word in words])
