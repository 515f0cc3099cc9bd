# SPDX-License-Identifier: Apache-2.0
"""The assertions of the firmware, as hal/check.h numbers them."""
import re

from core import ROOT

INJECTED = "hal/inject.c"


def files():
    """{name: path} of CHECK_FILES, in their order."""
    text = (ROOT / "hal" / "check.h").read_text(encoding="utf-8")
    return dict(re.findall(r'^ +X\((\w+), +"([^"]+)"\)', text, re.M))


def place_of(path, line):
    """What a board sends: the file's number above the line's 11 bits."""
    return (list(files().values()).index(path) + 1) << 11 | line


def injected_line():
    """That of the assertion in INJECTED that `inject assert` fails."""
    lines = (ROOT / INJECTED).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1)
             if "ASSERT(*injection != NODE_INJECT_ASSERT)" in line]
    assert len(found) == 1
    return found[0]
