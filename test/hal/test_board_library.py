# SPDX-License-Identifier: Apache-2.0
"""Functions that boards have in place of a library's: division, the CRC and the
memory functions; against Python's integers, zlib and bytes."""
import ctypes
import zlib

import pytest

import mesh

MOST = 2 ** 64 - 1


@pytest.fixture(scope="module", name="library")
def fixture_library():
    library = ctypes.CDLL(str(mesh.BUILD / "test" / "libcore.so"))
    library.boot_divide.restype = ctypes.c_uint64
    library.boot_divide.argtypes = [ctypes.POINTER(ctypes.c_uint64),
                                    ctypes.c_uint64, ctypes.c_uint64]
    library.crc32_update.restype = ctypes.c_uint32
    library.crc32_update.argtypes = [ctypes.c_uint32, ctypes.c_char_p,
                                     ctypes.c_size_t]
    return library


def divided(library, numerator, denominator):
    rest = ctypes.c_uint64(12345)
    quotient = library.boot_divide(ctypes.byref(rest), numerator, denominator)
    return quotient, rest.value


# 0, and 2^k and what is one beside it.
EDGES = sorted({n for k in range(65) for n in (2 ** k - 1, 2 ** k, 2 ** k + 1)
                if n <= MOST} | {0})


def test_division_of_edges(library):
    for numerator in EDGES:
        for denominator in EDGES[1:]:
            assert divided(library, numerator, denominator) == divmod(
                numerator, denominator), (numerator, denominator)


def test_division_of_any(library):
    chance = mesh.seeded("division")
    for _ in range(20000):
        numerator = chance.getrandbits(chance.randint(1, 64))
        denominator = chance.getrandbits(chance.randint(1, 64)) or 1
        assert divided(library, numerator, denominator) == divmod(
            numerator, denominator), (numerator, denominator)


def test_crc_in_two_pieces(library):
    data = bytes(range(256)) + mesh.seeded("crc").randbytes(300)
    for cut in range(0, len(data) + 1, 7):
        head = library.crc32_update(0, data[:cut], cut)
        assert head == zlib.crc32(data[:cut])
        assert library.crc32_update(head, data[cut:],
                                    len(data) - cut) == zlib.crc32(data)


# ---- memory functions: of every length and place up to 20; longer ones ----

@pytest.fixture(scope="module", name="memory")
def fixture_memory():
    return ctypes.CDLL(str(mesh.BUILD / "test" / "memory.so"))


SPOTS = [(to, at, count) for to in range(20) for at in range(20)
         for count in range(20)] + [
             (to, at, count) for to in range(0, 20, 4)
             for at in (0, 4, 7, 12, 16, 19) for count in range(20, 80)]
BYTES = 100


@pytest.mark.parametrize("name", ["memmove", "memcpy"])
def test_bytes_are_moved(memory, name):
    """Within one buffer; memcpy() where the two pieces do not overlap."""
    call = memory[f"boot_{name}"]
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    call.restype = ctypes.c_void_p
    for to, at, count in SPOTS:
        if name == "memcpy" and abs(to - at) < count:
            continue
        want = bytearray(range(1, BYTES + 1))
        buffer = ctypes.create_string_buffer(bytes(want), BYTES)
        want[to:to + count] = want[at:at + count]
        base = ctypes.addressof(buffer)
        assert call(base + to, base + at, count) == base + to
        assert buffer.raw == want, (to, at, count)


def test_bytes_are_set_and_compared(memory):
    memory.boot_memset.argtypes = [ctypes.c_void_p, ctypes.c_int,
                                   ctypes.c_size_t]
    memory.boot_memcmp.argtypes = [ctypes.c_char_p, ctypes.c_char_p,
                                   ctypes.c_size_t]
    memory.boot_strlen.argtypes = [ctypes.c_char_p]
    for to, value, count in SPOTS:
        buffer = ctypes.create_string_buffer(bytes(BYTES), BYTES)
        memory.boot_memset(ctypes.addressof(buffer) + to, 0x1f0 + value, count)
        assert buffer.raw == (bytes(to) + bytes([0xf0 + value & 255]) * count
                              + bytes(BYTES - to - count))
    text = bytes(range(1, 30))
    for at in range(29):
        other = text[:at] + bytes([text[at] ^ 0x80]) + text[at + 1:]
        assert memory.boot_memcmp(text, other, 29) < 0
        assert memory.boot_memcmp(other, text, 29) > 0
        assert memory.boot_memcmp(text, other, at) == 0
        assert memory.boot_strlen(text[:at]) == at
