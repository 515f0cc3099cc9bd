# SPDX-License-Identifier: Apache-2.0
"""search: one or several patterns, either case; cut anywhere, beside a naive
search in Python and grep."""
import itertools
import pathlib
import subprocess

import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import counts_and_offsets

LICENSES = sorted(p for p in pathlib.Path("/usr/share/common-licenses").glob(
    "*") if p.is_file() and not p.is_symlink())


def argument(patterns, folds=False, separator=None):
    if separator is None and not folds and len(patterns) == 1:
        return b"(?)" + patterns[0]
    sep = b"" if len(patterns) == 1 else separator or b"|"
    return b"(?" + b"i" * folds + sep + b")" + sep.join(patterns)


def result_of(raw):
    patterns = int.from_bytes(raw[:4], "little")
    at = 4 + 8 * patterns
    return ([int.from_bytes(raw[i:i + 8], "little")
             for i in range(4, at, 8)],
            [int.from_bytes(raw[i:i + 4], "little")
             for i in range(at, len(raw), 4)])


# ---- on small loads, wherever they are cut ----

LETTERS = st.binary(max_size=60).map(
    lambda text: bytes(b"abABkK[{ \xe1\xc1"[b % 11] for b in text))
PATTERNS = st.lists(LETTERS.filter(len).map(lambda text: text[:16]),
                    min_size=1, max_size=6)


@pytest.mark.parts(4)
@settings(max_examples=150, deadline=None)
@given(LETTERS, PATTERNS, st.booleans(), st.data())
def test_cut_and_merged_in_any_order(load, patterns, folds, data):
    job = kernels.Job1("search", argument(patterns, folds))
    raw, _ = kernels.cut_anywhere(data, job, load, len(load))
    assert result_of(raw) == counts_and_offsets(load, patterns, folds)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(1, 40), st.integers(0, 300),
       st.booleans(), st.data())
def test_patterns_of_the_load_itself(load, length, at, folds, data):
    """Long patterns, any bytes, and so that they occur."""
    pattern = (load + b"xy")[min(at, len(load)):][:length]
    other = load[:length] or b"q"
    patterns = [pattern] if data.draw(st.booleans()) else [pattern, other]
    if b"\x00" in b"".join(patterns):
        patterns = patterns[:1]
    job = kernels.Job1("search", argument(patterns, folds, b"\x00"))
    raw, _ = kernels.cut_anywhere(data, job, load, len(load))
    assert result_of(raw) == counts_and_offsets(load, patterns, folds)


def test_every_tail_and_split():
    load = (b"aabAbaabaabba" * 3)[:37]
    for length, folds in itertools.product(range(1, 17), (False, True)):
        pattern = load[3:3 + length]
        job = kernels.Job1("search", argument([pattern], folds))
        for size in range(len(load) + 1):
            want = counts_and_offsets(load[:size], [pattern], folds)
            for cut in range(size + 1):
                raw, _ = job.scattered(load[:size], size, [cut], [1, 0])
                assert result_of(raw) == want


def test_any_separator():
    for separator in (b"|", b",", b"\n", b"(", b"?", b"\0"):
        job = kernels.Job1("search", b"(?" + separator + b")"
                           + separator.join([b"ab", b"b", b"ab"]))
        assert result_of(job.run(b"abb", 0, 3)[0]) == ([1, 2, 1],
                                                       [0, 0, 1, 2])


def test_what_looks_like_options_but_is_a_pattern():
    likely = [b"(?:a)", b"(?P<x>)", b"(?s)a", b"(?ia)b", b"(?,", b"(?i", b"(?",
              b"(", b"\\i", b"a|b", b"i)", b" (?i)a", b"(?0)x", b"(?,,)a"]
    for arg, pattern in [*((one, one) for one in likely),
                         (b"(?)(?i)a", b"(?i)a")]:
        load = b"x" + pattern + b"y"
        job = kernels.Job1("search", arg)
        assert result_of(job.run(load, 0, len(load))[0]) == ([1], [1]), arg


def test_as_many_and_as_long_patterns_as_there_may_be():
    patterns = [bytes([1 + i % 250, 1 + i // 250]) * 127 + b"z"
                for i in range(255)]
    job = kernels.Job1("search", b"(?\0)" + b"\0".join(patterns))
    load = b"".join(patterns[::-1])
    raw, _ = job.scattered(load, len(load), [5000, 20000], [2, 0, 1])
    counts, offsets = result_of(raw)
    assert counts == [1] * 255
    assert offsets == [255 * i for i in range(255)]


def test_the_smallest_offsets_of_several_are_kept():
    load = b"ab" * 1500
    job = kernels.Job1("search", b"(?,)a,b,ab")
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        raw, _ = job.scattered(load, len(load), [700, 1900], order)
        counts, offsets = result_of(raw)
        assert counts == [1500] * 3
        assert offsets == counts_and_offsets(load[:1400], [
            b"a", b"b", b"ab"])[1][:1024]


def raw_of(offsets):
    """The result of one pattern that was found there."""
    return b"".join(number.to_bytes(size, "little") for number, size in [
        (1, 4), (len(offsets), 8), *((offset, 4) for offset in offsets)])


def test_lists_come_in_blocks():
    """Two nodes' offsets: by turns up to `longest` of either, which are kept
    up to the 1024th."""
    chance = mesh.seeded("blocks")
    job = kernels.Job1("search", b"x")
    for longest in 150 * [1, 3, 9, 40, 600]:
        size = chance.choice([3, 30, 300, 1500])
        every = sorted(chance.sample(range(2 ** 32), chance.randint(0, size)))
        lists = [], []
        at = turn = 0
        while at < len(every):
            block = every[at:at + chance.randint(1, longest)]
            lists[turn].extend(block)
            at += len(block)
            turn = 1 - turn
        own, other = (offsets[:mesh.OFFSETS_MAX] for offsets in lists)
        merged = job.merge(raw_of(own), raw_of(other))
        assert result_of(merged) == (
            [len(own) + len(other)],
            sorted(own + other)[:mesh.OFFSETS_MAX])


# ---- whole runs ----

@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "text"
    path.write_bytes(b"".join(p.read_bytes() for p in LICENSES)[:200_000]
                     .replace(b"\r", b""))
    return path


WORDS = [b"free software", b"Copyright", b"the ", b"distribute",
         b"WARRANTY", b"an"]


def grep(path, words, folds):
    """Offsets, as grep sees them; it does not see overlapping ones."""
    found = []
    for word in words:
        done = subprocess.run(
            ["grep", "-Fabo" + "i" * folds, "-e", word, path],
            capture_output=True, check=False, env={"LC_ALL": "C"})
        found.append([int(line.split(b":")[0])
                      for line in done.stdout.splitlines()])
    return found


@pytest.mark.parametrize("on, folds", [
    ("native", False), ("native", True), ("qemu", True)])
def test_runs_find_what_grep_finds(text, on, folds):
    found = grep(text, WORDS, folds)
    report = mesh.run(text, kernel="search", on=on, rounds="auto",
                      arg=argument(WORDS, folds).decode())
    offsets = sorted(at for one in found for at in one)
    assert report["result"] == {
        "count": len(offsets), "counts": [len(one) for one in found],
        "offsets": offsets[:mesh.OFFSETS_MAX],
        "offsets_complete": len(offsets) <= mesh.OFFSETS_MAX}


def test_patterns_of_a_file(text, tmp_path):
    path = tmp_path / "words"
    for end, last, folds in ((b"\n", b"", False), (b"\n", b"\n", True),
                             (b"\r\n", b"", True), (b"\r\n", b"\r\n", False)):
        path.write_bytes(end.join(WORDS) + last)
        report = mesh.run(text, kernel="search", size="5x5", on="native",
                          arg=f"(?{'i' * folds}f){path}")
        assert report["result"]["counts"] == [
            len(one) for one in grep(text, WORDS, folds)]
