# SPDX-License-Identifier: Apache-2.0
"""hal/switch/parity.h, the Reed-Solomon code of frames, against its definition:
a word is right if its polynomial is 0 at eight powers of two, in a field whose
products come from a table of logarithms."""
import ctypes

import pytest

import mesh

PARITY, WRONG_MAX, WORD_MAX = 8, 4, 255


def tables():
    power, log = [1], {1: 0}
    for exponent in range(1, 255):
        last = power[-1] << 1
        power.append(last ^ 0x11d if last > 255 else last)
        log[power[-1]] = exponent
    return power, log


POWER, LOG = tables()


def product(a, b):
    return POWER[(LOG[a] + LOG[b]) % 255] if a and b else 0


def values(word):
    """The word's polynomial at 2^0 to 2^7, by Horner's rule."""
    found = []
    for root in POWER[:PARITY]:
        value = 0
        for byte in word:
            value = product(value, root) ^ byte
        found.append(value)
    return found


@pytest.fixture(scope="module", name="code")
def fixture_code():
    library = ctypes.CDLL(str(mesh.BUILD / "test" / "libcore.so"))
    library.parity_update.restype = ctypes.c_uint64
    library.parity_update.argtypes = [ctypes.c_uint64, ctypes.c_char_p,
                                      ctypes.c_uint32]
    library.parity_store.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
    return library


def encoded(code, data):
    out = ctypes.create_string_buffer(PARITY)
    code.parity_store(out, code.parity_update(0, data, len(data)))
    return data + out.raw


def corrected(code, word):
    memory = (ctypes.c_uint8 * len(word)).from_buffer_copy(word)
    return code.parity_correct(memory, len(word)), bytes(memory)


def spoilt(chance, word, count):
    word = bytearray(word)
    for at in chance.sample(range(len(word)), count):
        word[at] ^= chance.randrange(1, 256)
    return bytes(word)


def test_every_length_is_a_word(code):
    """Whose parity may be computed in two pieces."""
    chance = mesh.seeded("parity lengths")
    for length in range(WORD_MAX - PARITY + 1):
        word = encoded(code, chance.randbytes(length))
        assert values(word) == [0] * PARITY
        assert corrected(code, word) == (0, word)
        cut = chance.randrange(length + 1)
        first = code.parity_update(0, word[:cut], cut)
        assert code.parity_update(first, word[cut:length], length - cut) == \
            code.parity_update(0, word, length)


def test_as_many_as_it_can(code):
    chance = mesh.seeded("parity")
    for number in range(8000):
        count = number % WRONG_MAX + 1
        length = chance.randrange(WORD_MAX - PARITY + 1)
        word = encoded(code, chance.randbytes(length))
        assert corrected(code, spoilt(chance, word, count)) == (count, word)


def test_too_many(code):
    """Found out, and nothing is changed; or taken for another word that is as
    near as one may be."""
    chance = mesh.seeded("parity, too many")
    found_out = 0
    for number in range(8000):
        count = WRONG_MAX + 1 + number % (PARITY - WRONG_MAX + 2)
        length = chance.randrange(20, WORD_MAX - PARITY + 1)
        word = spoilt(chance, encoded(code, chance.randbytes(length)), count)
        wrong, after = corrected(code, word)
        if wrong < 0:
            found_out += 1
            assert after == word
        else:
            changed = sum(a != b for a, b in zip(word, after))
            assert changed == wrong <= WRONG_MAX
            assert values(after) == [0] * PARITY
    assert found_out > 7600
