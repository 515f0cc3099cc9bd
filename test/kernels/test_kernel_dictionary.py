# SPDX-License-Identifier: Apache-2.0
"""dictionary: SHA-256 of words, beside hashlib and sha256sum; lists cut
anywhere."""
import hashlib
import struct
import subprocess

import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import WORD_MAX, found

NONE = 2 ** 32 - 1


# ---- what a result holds ----

def argument(words):
    return b"".join(sorted({hashlib.sha256(w).digest() for w in words}))


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


def expected(load, wanted):
    """As result_of(): what is listed fits, with 5 bytes a word, in 1024 and 32
    for each digest, less 20."""
    digests = {hashlib.sha256(w).digest() for w in wanted}
    words, hits = found(load, digests)
    room = min(16384, 1024 + 32 * len(digests)) - 20
    for i, (at, word) in enumerate(hits):
        room -= 5 + len(word)
        if room < 0:
            return words, len(hits), at, hits[:i]
    return words, len(hits), NONE, hits


def check(raw, load, wanted):
    assert result_of(raw) == expected(load, wanted)


# ---- on small loads, wherever they are cut ----

LISTS = st.lists(st.sampled_from(
    [b"", b"a", b"ab", b"b\r", b"\r", b"\xff\x00", b"x" * 55, b"x" * 56,
     b"y" * 63, b"y" * 64, b"z" * 119, b"z" * 120, b"q" * 254, b"q" * 255,
     b"q" * 256, b"r" * 700]), max_size=12)
ENDS = st.sampled_from([b"\n", b"\r\n"])


@pytest.mark.parts(4)
@settings(max_examples=125, deadline=None)
@given(LISTS, ENDS, st.booleans(), st.data())
def test_cut_and_merged_in_any_order(words, end, ended, data):
    load = end.join(words) + (end if ended else b"")
    wanted = data.draw(st.lists(st.sampled_from(words or [b"a"]), max_size=4))
    wanted.append(b"a")
    job = kernels.Job1("dictionary", argument(wanted))
    raw, _ = kernels.cut_anywhere(data, job, load, len(load))
    check(raw, load, wanted)


@pytest.mark.parametrize("load", [
    b"", b"\n", b"\n\n", b"a", b"a\n", b"\na", b"ab\r\na\r\n\r\n", b"a\r",
    b"\r\n", b"a\n\nb\na", b"ab\rb\n", b"a" * 255 + b"\r\nb\n", b"a" * 256,
    b"a" * 255 + b"\r", b"b\n" + b"a" * 255 + b"\nb"])
def test_every_cut(load):
    wanted = [b"", b"a", b"b", b"ab", b"a\r", b"a" * 255, b"ab\rb"]
    job = kernels.Job1("dictionary", argument(wanted))
    for first in range(len(load) + 1):
        for second in ({first, len(load)} if len(load) > 20
                       else range(first, len(load) + 1)):
            raw, _ = job.scattered(load, len(load), [first, second],
                                   [2, 0, 1])
            check(raw, load, wanted)


def test_words_of_every_length():
    for length in range(WORD_MAX + 1):
        word = bytes(33 + (7 * i + length) % 200 for i in range(length))
        other = word[:-1] + b"!" if word else b"!"
        load = other + b"\n" + word + b"\r\n" + word
        job = kernels.Job1("dictionary", argument([word]))
        raw, _ = job.run(load, 0, len(load))
        check(raw, load, [word])


def test_units_of_several_bytes():
    load = b"one\ntwo\nthree\r\nab"
    job = kernels.Job1("dictionary", argument([b"two", b"three", b"ab"]),
                       unit_bytes=3)
    assert len(load) % 3 == 2
    load += b"c"
    job_of_bytes = kernels.Job1("dictionary", argument([b"two", b"three"]))
    raw, _ = job.scattered(load, len(load) // 3, [1, 3], [1, 2, 0])
    assert raw == job_of_bytes.run(load, 0, len(load))[0]


# ---- more found than a result holds ----

@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([b"a", b"b" * 90, b"c" * 255, b"no"]),
                max_size=60), st.data())
def test_what_is_listed_depends_on_no_order(words, data):
    load = b"\n".join(words)
    wanted = [b"a", b"b" * 90, b"c" * 255]
    job = kernels.Job1("dictionary", argument(wanted))
    cuts = data.draw(st.lists(st.integers(0, len(load)), max_size=6))
    order = data.draw(st.permutations(range(len(cuts) + 1)))
    raw, _ = job.scattered(load, len(load), cuts, order)
    check(raw, load, wanted)
    half = len(order) // 2 + 1
    pieces = [job.run(load, a, b - a)[0] for a, b in zip(
        [0, *sorted(cuts)], [*sorted(cuts), len(load)])]
    left, right = pieces[order[0]], pieces[order[-1]]
    for i in order[1:half]:
        left = job.merge(left, pieces[i])
    if len(order) > half:
        for i in order[half:-1]:
            right = job.merge(right, pieces[i])
        left = job.merge(right, left)
    if len(order) > 1:
        assert result_of(left) == result_of(raw)


def test_as_many_digests_as_a_job_carries():
    words = [b"%d" % i for i in range(2048)]
    load = b"\n".join(words[::-1])
    job = kernels.Job1("dictionary", argument(words))
    raw, _ = job.scattered(load, len(load), [1000, 7000], [2, 0, 1])
    check(raw, load, words)
    assert result_of(raw)[1] == 2048
    assert result_of(raw)[2] < NONE


# ---- whole runs ----

@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A list of words, and digests as sha256sum prints them."""
    folder = tmp_path_factory.mktemp("dictionary")
    chance = mesh.seeded("dictionary")
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789äé",
                                    k=chance.randint(3, 70)))
             for _ in range(1500)]
    (folder / "words").write_text("\n".join(words) + "\n", encoding="utf-8")
    picked = chance.sample(range(1500), 40)
    (folder / "picked").mkdir()
    for i in picked:
        (folder / "picked" / str(i)).write_text(words[i], encoding="utf-8")
    done = subprocess.run(
        ["sha256sum", *sorted((folder / "picked").iterdir())],
        capture_output=True, check=True)
    (folder / "digests").write_bytes(done.stdout)
    load = (folder / "words").read_bytes()
    at, want = 0, []
    for i, word in enumerate(words):
        if i in picked:
            want.append((at, word))
        at += len(word.encode()) + 1
    assert at == len(load)
    return folder, {"words": 1500, "count": 40,
                    "found": [word for _, word in want],
                    "offsets": [at for at, _ in want],
                    "offsets_complete": True}


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_runs_find_the_words(files, on):
    folder, want = files
    report = mesh.run(folder / "words", kernel="dictionary", on=on,
                      arg=f"digests={folder}/digests", rounds="auto")
    assert report["result"] == want


def test_lines_end_with_either_end(files, tmp_path):
    folder, want = files
    words = (folder / "words").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "words").write_bytes(words[:-2])
    digests = (folder / "digests").read_bytes().upper().replace(b"\n", b"\r\n")
    (tmp_path / "digests").write_bytes(b"\r\n" + digests + digests)
    report = mesh.run(tmp_path / "words", kernel="dictionary", size="5x5",
                      arg=f"digests={tmp_path}/digests", on="native")
    assert report["result"]["found"] == want["found"]
    assert report["result"]["offsets"] == [
        words.index(b"\n" + w.encode() + b"\r") + 1 if at else 0
        for at, w in zip(want["offsets"], want["found"])]


def test_digests_in_the_argument(files):
    folder, want = files
    arg = ",".join(hashlib.sha256(want["found"][i].encode()).hexdigest()
                   for i in (7, 3, 7))
    report = mesh.run(folder / "words", kernel="dictionary", size="1x1",
                      arg=arg, on="native")
    assert report["result"]["found"] == [want["found"][3], want["found"][7]]
