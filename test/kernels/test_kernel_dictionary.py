# SPDX-License-Identifier: Apache-2.0
"""dictionary: SHA-256 of words, beside hashlib; lists cut anywhere."""
import hashlib
import struct

import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import WORD_MAX, found, lines

KINDS = ["sha256", "sha1", "md5"]
OUTPUT, FRONT, FILTERS = 1, 2, 4


def state_of(kind, message):
    """A digest's words, as the hash computes with them: numbers."""
    order = "<" if kind == "md5" else ">"
    digest = hashlib.new(kind, message).digest()
    return struct.unpack(f"{order}{len(digest) // 4}I", digest)


def salted(word, salt, flags):
    return salt + word if flags & FRONT else word + salt


def argument(wanted, kind="sha256", flags=0, salts=(b"",), bits=0):
    """The kernel's argument: each of the words wanted, with each salt."""
    arg = bytes([KINDS.index(kind), flags]) + bytes(6)
    for salt in salts:
        states = sorted({state_of(kind, salted(word, salt, flags))
                         for word in wanted})
        body = b"".join(struct.pack(f"<{len(s)}I", *s) for s in states)
        if flags & FILTERS:
            table = bytearray(bits // 8)
            for state in states:
                for part in state[:3]:
                    table[(part * bits >> 32) // 8] |= (
                        1 << (part * bits >> 32) % 8)
            body = bytes(table)
        arg += struct.pack("<IB3x", bits or len(states), len(salt))
        arg += salt + bytes(-len(salt) % 4) + body
    return arg


def job_of(wanted, unit_bytes=1, **more):
    return kernels.Job1("dictionary", argument(wanted, **more), unit_bytes)


def result_of(raw):
    """(words, found, [offset])."""
    counts, words, count = struct.unpack_from("<IQQ", raw)
    assert counts == 2 and len(raw) % 4 == 0
    return words, count, [at for at, in struct.iter_unpack("<I", raw[20:])]


def check(raw, load, wanted):
    """The first 1024 offsets of words found are listed."""
    digests = {hashlib.sha256(w).digest() for w in wanted}
    words, hits = found(load, digests)
    assert result_of(raw) == (words, len(hits), [at for at, _ in hits[:1024]])


# ---- on small loads, wherever they are cut ----

WORDS = [b"", b"a", b"ab", b"b\r", b"\r", b"\xff\x00", b"x" * 55, b"x" * 56,
         b"y" * 63, b"y" * 64, b"z" * 119, b"z" * 120, b"q" * 254, b"q" * 255,
         b"q" * 256, b"r" * 700]
LISTS = st.lists(st.sampled_from(WORDS), max_size=12)


@pytest.mark.parts(4)
@settings(max_examples=200, deadline=None)
@given(LISTS, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.data())
def test_cut_and_merged_in_any_order(words, end, ended, data):
    load = end.join(words) + (end if ended else b"")
    wanted = data.draw(st.lists(st.sampled_from(words or [b"a"]), max_size=4))
    wanted += [b"a"]
    raw, _ = kernels.cut_anywhere(data, job_of(wanted), load, len(load))
    check(raw, load, wanted)


@pytest.mark.parametrize("load", [
    b"", b"\n", b"\n\n", b"a", b"a\n", b"\na", b"ab\r\na\r\n\r\n", b"a\r",
    b"\r\n", b"a\n\nb\na", b"ab\rb\n", b"a" * 255 + b"\r\nb\n", b"a" * 256,
    b"a" * 255 + b"\r", b"b\n" + b"a" * 255 + b"\nb"])
def test_every_cut(load):
    wanted = [b"", b"a", b"b", b"ab", b"a\r", b"a" * 255, b"ab\rb"]
    job = job_of(wanted)
    for first in range(len(load) + 1):
        for second in ({first, len(load)} if len(load) > 20
                       else range(first, len(load) + 1)):
            raw, _ = job.scattered(load, len(load), [first, second],
                                   [2, 0, 1])
            check(raw, load, wanted)


def test_words_of_every_length():
    for length in range(WORD_MAX + 1):
        word = bytes(33 + (7 * i + length) % 200 for i in range(length))
        load = (word[:-1] + b"!\n") + word + b"\r\n" + word
        raw, _ = job_of([word]).run(load, 0, len(load))
        check(raw, load, [word])


def test_units_of_several_bytes():
    load, wanted = b"one\ntwo\nthree\r\nabc", [b"two", b"three", b"abc"]
    raw, _ = job_of(wanted, 3).scattered(load, len(load) // 3, [1, 3],
                                         [1, 2, 0])
    check(raw, load[:len(load) // 3 * 3], wanted)


def test_as_many_digests_as_a_job_carries():
    words = [b"%d" % i for i in range(2047)]
    load = b"\n".join(words[::-1])
    raw, _ = job_of(words).scattered(load, len(load), [1000, 7000], [2, 0, 1])
    check(raw, load, words)
    assert result_of(raw)[1] == 2047


def bits_of(places, size):
    out = bytearray(-(-size // 8))
    for at in places:
        out[at // 8] |= 1 << at % 8
    return bytes(out)


@settings(max_examples=100, deadline=None)
@given(LISTS, st.sampled_from(KINDS), st.booleans(), st.data(),
       st.sampled_from([[b""], [b"s"], [b"salt" * 50, b"", b"s"]]),
       st.sampled_from([1, 1, 3, 8]))
def test_hashes_salts_and_the_output(words, kind, front, data, salts, unit):
    """A bit is set where a word found begins, wherever the list is cut."""
    load = b"\n".join(words)
    load += b"\n" * (-len(load) % unit)
    wanted = data.draw(st.lists(st.sampled_from(WORDS), max_size=4)) + [b"no"]
    flags = OUTPUT | FRONT * front
    job = job_of(wanted, unit, kind=kind, flags=flags, salts=salts)
    states = {state_of(kind, salted(word, salt, flags))
              for word in wanted for salt in salts}
    every = [(at, word) for at, word in lines(load) if len(word) <= WORD_MAX]
    hits = [at for at, word in every
            if states & {state_of(kind, salted(word, salt, flags))
                         for salt in salts}]
    raw, output = kernels.cut_anywhere(data, job, load, len(load) // unit)
    assert output == bits_of(hits, len(load))
    assert result_of(raw)[:2] == (len(every), len(hits))
    assert len(raw) <= 256


def test_bits_at_every_cut():
    load = b"a\nb\n\nab\na\nno\nab\nb\n\na\nab"
    job = job_of([b"a", b"ab", b""], flags=OUTPUT)
    hits = [at for at, word in lines(load) if word in (b"a", b"ab", b"")]
    for first in range(len(load) + 1):
        for second in range(first, len(load) + 1):
            raw, output = job.scattered(load, len(load), [first, second])
            assert output == bits_of(hits, len(load))
            assert result_of(raw)[:2] == (len(list(lines(load))), len(hits))


def test_more_digests_than_fit():
    """What is wanted is found, and some others are."""
    words = [b"%d" % i for i in range(3000)]
    load = b"\n".join(words)
    job = job_of(words[:2500], flags=OUTPUT | FILTERS, bits=32 * 2500)
    raw, output = job.scattered(load, len(load), [1001, 7000], [2, 0, 1])
    at = [where for where, _ in lines(load)]
    marks = [bool(output[i // 8] >> i % 8 & 1) for i in at]
    assert all(marks[:2500])
    assert sum(marks[2500:]) < 10
    assert result_of(raw)[1] == sum(marks) == sum(map(int.bit_count, output))


@pytest.mark.parametrize("arg", [
    b"", bytes(8), b"\3" + argument([b"a"])[1:], argument([b"a"])[:-4],
    argument([b"a"]) + bytes(4), argument([b"a"]) + bytes(8),
    argument([b"a"]).replace(b"\1\0\0\0", b"\xff\xff\xff\xff"),
    argument([b"a", b"b"])[:16] + bytes(64),
    argument([b"a"], flags=FILTERS, bits=64)[:-1]])
def test_an_argument_that_is_damaged(arg):
    with pytest.raises(kernels.Refused):
        kernels.Job1("dictionary", arg)


# ---- whole runs ----

def test_files_as_sha256sum_prints_them_and_digests_in_the_argument(tmp_path):
    """Lines with either end; capitals, names, and digests twice."""
    path, digests = tmp_path / "words", tmp_path / "digests"
    wanted = ["mehr", "w" * 70]
    words = ["über", *wanted, *map(str, range(200))]
    sums = [hashlib.sha256(word.encode()).hexdigest()
            for word in (*wanted, wanted[0])]
    for end in ("\n", "\r\n"):
        path.write_bytes(end.join(words).encode())
        digests.write_text(end + "".join(
            f"{one.upper()}  picked/{i}{end}" for i, one in enumerate(sums)),
            newline="")
        for arg in (f"digests={digests}", ",".join(sums)):
            report = mesh.run(path, kernel="dictionary", size="5x5",
                              on="native", arg=arg)
            assert report["result"] == {
                "words": len(words), "count": 2, "offsets_complete": True,
                "found": wanted, "offsets": [
                    path.read_bytes().index(w.encode()) for w in wanted]}


def test_found_words_are_told_without_loss(tmp_path):
    """As hashcat writes bytes that are no text; and the bytes of all."""
    path = tmp_path / "words"
    words = ["plain".encode(), "wört\\er".encode(), b"caf\xe9", b"\x1b[31m",
             b"$HEX[21]", b"a\0b", "\u202eabc".encode()]
    path.write_bytes(b"\n".join(words))
    arg = ",".join(hashlib.sha256(word).hexdigest() for word in words)
    shown = ["plain", "wört\\er", *(f"$HEX[{word.hex()}]"
                                    for word in words[2:])]
    result = mesh.run(path, kernel="dictionary", on="native",
                      arg=arg)["result"]
    assert result["found"] == shown
    assert result["found_hex"] == [word.hex() for word in words]
    said = mesh.command("run", "--mesh", "1x1", "--on", "native", "--kernel",
                        "dictionary", "--arg", arg, path).stdout
    assert "found =\n" + "".join(f"  {one}\n" for one in shown) in said
