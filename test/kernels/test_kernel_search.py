# SPDX-License-Identifier: Apache-2.0
"""search: one or several patterns, either case; cut anywhere, beside a naive
search in Python."""
import itertools

import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import counts_and_offsets


def argument(patterns, folds=False, output=False):
    return (bytes([folds + 2 * output])
            + b"".join(bytes([len(one)]) + one for one in patterns) + bytes(3))


def result_of(raw):
    """Counts and offsets."""
    end = 4 + 8 * int.from_bytes(raw[:4], "little")
    return ([int.from_bytes(raw[i:i + 8], "little") for i in range(4, end, 8)],
            [int.from_bytes(raw[i:i + 4], "little")
             for i in range(end, len(raw), 4)])


# ---- on small loads, wherever they are cut ----

LETTERS = st.binary(max_size=60).map(
    lambda text: bytes(b"abABkK[{ \xe1\xc1"[b % 11] for b in text))


@st.composite
def searches(draw):
    """A load, and patterns: of few letters, or pieces of the load, which are
    long, of any bytes, and occur."""
    if draw(st.booleans()):
        return draw(LETTERS), draw(st.lists(
            LETTERS.filter(len).map(lambda text: text[:16]), min_size=1,
            max_size=6))
    load = draw(st.binary(max_size=300))
    at, length = draw(st.integers(0, 300)), draw(st.integers(1, 40))
    patterns = [(load + b"xy")[min(at, len(load)):][:length],
                load[:length] or b"q"]
    return load, patterns[:1 + draw(st.booleans())]


@pytest.mark.parts(4)
@settings(max_examples=200, deadline=None)
@given(searches(), st.booleans(), st.data())
def test_cut_and_merged_in_any_order(search, folds, data):
    load, patterns = search
    job = kernels.Job1("search", argument(patterns, folds))
    raw, _ = kernels.cut_anywhere(data, job, load, len(load))
    assert result_of(raw) == counts_and_offsets(load, patterns, folds)


def bits_of(offsets, size):
    out = bytearray(-(-size // 8))
    for at in offsets:
        out[at // 8] |= 1 << at % 8
    return bytes(out)


@pytest.mark.parts(2)
@settings(max_examples=200, deadline=None)
@given(searches(), st.booleans(), st.sampled_from([1, 1, 1, 3, 8, 12]),
       st.data())
def test_the_output_has_a_bit_for_each_byte(search, folds, unit, data):
    """.. set where a pattern begins. The result beside it is shorter."""
    load, patterns = search
    load += b"\xfe" * (-len(load) % unit)
    job = kernels.Job1("search", argument(patterns, folds, True), unit)
    raw, output = kernels.cut_anywhere(data, job, load, len(load) // unit)
    counts, offsets = counts_and_offsets(load, patterns, folds)
    assert output == bits_of(offsets, len(load))
    assert result_of(raw) == (
        counts, offsets[:(256 - 4 - 8 * len(counts)) // 4])


# Bytes of few letters, of which as many patterns as there may be are made; the
# shortest of them may have 1 to 5 bytes.
MANY = st.tuples(st.integers(1, 5), st.integers(20, 255), st.integers(0, 999))


@pytest.mark.parts(2)
@settings(max_examples=100, deadline=None)
@given(MANY, st.binary(max_size=400), st.booleans(), st.booleans(), st.data())
def test_many_patterns(many, noise, folds, output, data):
    shortest, count, seed = many
    chance = mesh.seeded(f"many {seed}")
    letters = bytes(b"abAB[{ \xe1"[byte % 8] for byte in noise)
    load = letters + noise
    patterns = sorted({
        bytes(chance.choices(b"abAB[{ \xe1z", k=chance.randint(
            shortest, shortest + chance.choice([1, 4, 40]))))
        for _ in range(count)})
    chance.shuffle(patterns)
    job = kernels.Job1("search", argument(patterns, folds, output))
    raw, bits = kernels.cut_anywhere(data, job, load, len(load))
    counts, offsets = counts_and_offsets(load, patterns, folds)
    if not output:
        assert result_of(raw) == (counts, offsets[:mesh.OFFSETS_MAX])
    else:
        assert bits == bits_of(offsets, len(load))
        assert sum(result_of(raw)[0]) == len(offsets)
        assert len(result_of(raw)[0]) == (len(counts) if len(counts) <= 31
                                          else 1)


def test_every_tail_and_split():
    load = (b"aabAbaabaabba" * 3)[:37]
    for length, folds in itertools.product((1, 2, 4, 5, 8, 16), (False, True)):
        pattern = load[3:3 + length]
        job = kernels.Job1("search", argument([pattern], folds))
        for size in range(len(load) + 1):
            want = counts_and_offsets(load[:size], [pattern], folds)
            for cut in range(size + 1):
                raw, _ = job.scattered(load[:size], size, [cut], [1, 0])
                assert result_of(raw) == want


@pytest.mark.parametrize("arg", [
    b"", b"\0", bytes(4), b"\0\1a", b"\0\1a\0\0", b"\0\2a\0\0\0",
    b"\0\1a" + bytes(4), argument([b"a"] * 256)])
def test_an_argument_that_is_damaged(arg):
    with pytest.raises(kernels.Refused):
        kernels.Job1("search", arg)


def test_as_many_and_as_long_patterns_as_there_may_be():
    patterns = [bytes([1 + i % 250, 1 + i // 250]) * 127 + b"z"
                for i in range(255)]
    job = kernels.Job1("search", argument(patterns))
    load = b"".join(patterns[::-1])
    raw, _ = job.scattered(load, len(load), [5000, 20000], [2, 0, 1])
    assert result_of(raw) == ([1] * 255, [255 * i for i in range(255)])


def test_the_smallest_1024_offsets_are_kept():
    load, patterns = b"ab" * 1500, [b"a", b"b", b"ab"]
    job = kernels.Job1("search", argument(patterns))
    counts, offsets = counts_and_offsets(load, patterns)
    for cuts, order in (([], [0]), ([700, 1900], [2, 1, 0])):
        raw, _ = job.scattered(load, len(load), cuts, order)
        assert result_of(raw) == (counts, offsets[:mesh.OFFSETS_MAX])


def raw_of(offsets):
    """The result of one pattern that was found there."""
    return b"".join(number.to_bytes(size, "little") for number, size in [
        (1, 4), (len(offsets), 8), *((offset, 4) for offset in offsets)])


def test_lists_come_in_blocks():
    """Two nodes' offsets: by turns up to `longest` of either, of which the
    1024 smallest are kept."""
    chance = mesh.seeded("blocks")
    job = kernels.Job1("search", argument([b"x"]))
    for longest in 50 * [1, 3, 9, 40, 600]:
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

def test_patterns_of_a_file(tmp_path):
    path, text = tmp_path / "patterns", tmp_path / "text"
    words = [b"free software", b"Copyright", b"the ", b"an"]
    load = mesh.text(20_000, mesh.seeded("search")) + b" The FREE software"
    text.write_bytes(load)
    for end, last, folds in ((b"\n", b"", False), (b"\n", b"\n", True),
                             (b"\r\n", b"", True), (b"\r\n", b"\r\n", False)):
        path.write_bytes(end.join(words) + last)
        report = mesh.run(text, kernel="search", size="5x5", on="native",
                          arg=f"(?{'i' * folds}f){path}")
        counts, _ = counts_and_offsets(load, words, folds)
        assert report["result"]["counts"] == counts
