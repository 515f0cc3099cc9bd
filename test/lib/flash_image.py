# SPDX-License-Identifier: Apache-2.0
"""ELF files of a few segments, right and wrong, written byte by byte."""
import struct

FLASH, RAM = 0x08000000, 0x20000000
FLASH_BYTES, RAM_BYTES = 1 << 20, 128 << 10
ARM, X86_64, EXECUTABLE, OBJECT = 40, 62, 2, 1
LOAD, EXIDX = 1, 0x70000001
HEADER, ENTRY = 52, 32
IDENTITY = 0x188  # from the start of the flash


def segment(address, data, kind=LOAD, offset=None, size=None):
    return {"address": address, "data": data, "kind": kind, "offset": offset,
            "size": len(data) if size is None else size}


def elf(segments, machine=ARM, kind=EXECUTABLE, wide=1, order=1, count=None):
    """The file: header, table of segments, their bytes."""
    at = HEADER + ENTRY * len(segments)
    table = b""
    body = b""
    for one in segments:
        offset = at + len(body) if one["offset"] is None else one["offset"]
        table += struct.pack("<8I", one["kind"], offset, one["address"],
                             one["address"], one["size"], one["size"], 5, 4)
        body += one["data"]
    header = b"\x7fELF" + bytes([wide, order, 1]) + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", kind, machine, 1, FLASH | 1, HEADER, 0, 0x5000200,
        HEADER, ENTRY, len(segments) if count is None else count, 40, 0, 0)
    return header + table + body


def code(size=1024, stack=RAM + RAM_BYTES, reset=FLASH + 9):
    """A vector table of two words, and bytes that are no two alike nearby."""
    body = bytes((7 * i + i // 256) % 256 for i in range(size - 8))
    return struct.pack("<II", stack, reset) + body


def with_identity(pins, size=1024, board=405, version=2, magic=b"QNCX"):
    """Such code with an identity (hal/image.h)."""
    body = bytearray(code(size))
    struct.pack_into("<4s6H16s", body, IDENTITY, magic, version, board,
                     *[0xFFFF] * 4, pins)
    return bytes(body)


def good(size=1024):
    return elf([segment(FLASH, code(size))])
