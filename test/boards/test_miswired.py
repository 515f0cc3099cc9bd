# SPDX-License-Identifier: Apache-2.0
"""The image that is flashed, on emulated boards whose cables are not where
they should be, or whose coordinates were set: what `run` says of it."""
import re

import pytest

import emulated
import mesh

pytestmark = pytest.mark.boards

FIRMWARE = mesh.BUILD / "stm32f405" / "firmware.elf"
MAGIC = b"QNCX"  # hal/image.h: then version and board, then x and y
PLACE_AT = 8


def faults(boards, size):
    """What a job that is not even begun says of the mesh: its lines."""
    load = boards.image.parent / "load"
    load.write_bytes(b"nothing")
    done = mesh.command("run", "--board", "stm32f405", "--mesh", size,
                        "--kernel", "search", "--arg", "x", "--port",
                        boards.tty[0, 0], load, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    head, *lines = done.stderr.splitlines()
    assert head == f"quincunx: the mesh is not a {size} torus:"
    return sorted(line.strip() for line in lines)


def place(port):
    """What a board takes to be its own."""
    done = mesh.command("console", "--port", port, "ident")
    return re.search(r"\bx=(\d+) y=(\d+)\b", done.stdout).groups()


@pytest.mark.parametrize("args, said", [
    (["--cut", "1,1,east"], ["(1,1) east: nobody answers",
                             "(2,1) west: nobody answers"]),
    (["--swap", "0,0,north:1,0,north"],
     ["(0,0) north: leads to (1,1) south, not to (0,1) south",
      "(0,1) south: leads to (1,0) north, not to (0,0) north",
      "(1,0) north: leads to (0,1) south, not to (1,1) south",
      "(1,1) south: leads to (0,0) north, not to (1,0) north"])])
def test_cables(tmp_path, args, said):
    with emulated.Boards(tmp_path, "--console", "0,0", *args, size="3x3",
                         image=FIRMWARE) as boards:
        assert faults(boards, "3x3") == said


def test_coordinates_in_flash(tmp_path):
    """Every board of the mesh is told to be 1,0, and believes it; only one has
    the cables of that place."""
    data = bytearray(FIRMWARE.read_bytes())
    at = data.index(MAGIC) + PLACE_AT
    data[at:at + 4] = bytes([1, 0, 0, 0])
    image = tmp_path / "strapped.elf"
    image.write_bytes(data)
    with emulated.Boards(tmp_path, "--console", "all", size="3x2",
                         image=image) as boards:
        said = faults(boards, "3x2")
        assert len(said) == 5 and not [s for s in said if "(1,0)" in s[:5]]
        # The end of the wave may reach it after the originator has told.
        assert mesh.until(lambda: place(boards.tty[2, 1]) == ("1", "0"), 60)
