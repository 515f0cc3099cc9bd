# SPDX-License-Identifier: Apache-2.0
"""dictionary: SHA-256 of words, beside hashlib; lists cut anywhere."""
import hashlib
import struct

import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import WORD_MAX, found

NONE = 2 ** 32 - 1


def job_of(wanted, unit_bytes=1):
    return kernels.Job1("dictionary", b"".join(sorted(
        {hashlib.sha256(word).digest() for word in wanted})), unit_bytes)


def result_of(raw):
    """(words, found, horizon, [(offset, word)])."""
    words, count, horizon = struct.unpack_from("<QQI", raw)
    at, listed = 20, []
    while at < len(raw):
        offset, length = struct.unpack_from("<IB", raw, at)
        listed.append((offset, raw[at + 5:at + 5 + length]))
        at += 5 + length
    assert at == len(raw)
    return words, count, horizon, listed


def check(raw, load, wanted):
    """Of what is found so much is listed as fits, with 5 bytes a word, in 1024
    and 32 for each digest, less 20."""
    digests = {hashlib.sha256(w).digest() for w in wanted}
    words, hits = found(load, digests)
    listed, horizon = hits, NONE
    room = min(16384, 1024 + 32 * len(digests)) - 20
    for i, (at, word) in enumerate(hits):
        room -= 5 + len(word)
        if room < 0:
            listed, horizon = hits[:i], at
            break
    assert result_of(raw) == (words, len(hits), horizon, listed)


# ---- on small loads, wherever they are cut ----

WORDS = [b"", b"a", b"ab", b"b\r", b"\r", b"\xff\x00", b"x" * 55, b"x" * 56,
         b"y" * 63, b"y" * 64, b"z" * 119, b"z" * 120, b"q" * 254, b"q" * 255,
         b"q" * 256, b"r" * 700]
# Some of any words; or so many that more is found than a result holds.
LISTS = st.lists(st.sampled_from(WORDS), max_size=12) | st.lists(
    st.sampled_from([b"a", b"b" * 90, b"c" * 255, b"no"]), max_size=60)


@pytest.mark.parts(4)
@settings(max_examples=200, deadline=None)
@given(LISTS, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.data())
def test_cut_and_merged_in_any_order(words, end, ended, data):
    load = end.join(words) + (end if ended else b"")
    wanted = data.draw(st.lists(st.sampled_from(words or [b"a"]), max_size=4))
    wanted += [b"a", b"b" * 90, b"c" * 255]
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
    words = [b"%d" % i for i in range(2048)]
    load = b"\n".join(words[::-1])
    raw, _ = job_of(words).scattered(load, len(load), [1000, 7000], [2, 0, 1])
    check(raw, load, words)
    assert result_of(raw)[1:3] < (2049, NONE)


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
