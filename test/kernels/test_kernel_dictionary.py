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

WORD_MAX = 255
NONE = 2 ** 32 - 1


# ---- the naive twin ----

def lines(load):
    """(offset, word) of every line."""
    at = 0
    while at < len(load):
        end = load.find(b"\n", at)
        word = load[at:] if end < 0 else load[at:end]
        yield at, word[:-1] if end >= 0 and word[-1:] == b"\r" else word
        at = len(load) if end < 0 else end + 1


def found(load, digests):
    words = [(at, word) for at, word in lines(load) if len(word) <= WORD_MAX]
    return len(words), [(at, word) for at, word in words
                        if hashlib.sha256(word).digest() in digests]


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
    cuts = data.draw(st.lists(st.integers(0, len(load)), max_size=5))
    order = data.draw(st.permutations(range(len(cuts) + 1)))
    raw, _ = job.scattered(load, len(load), cuts, order)
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


@pytest.mark.parametrize("length", range(WORD_MAX + 1))
def test_words_of_every_length(length):
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


# ---- arguments and results that are malformed ----

@pytest.mark.parametrize("bad", [
    b"", b"x" * 31, b"x" * 33, b"b" * 32 + b"a" * 32, b"a" * 64])
def test_bad_arguments(bad):
    with pytest.raises(kernels.Refused):
        kernels.Job1("dictionary", bad)


def test_as_many_digests_as_a_job_carries():
    words = [b"%d" % i for i in range(2048)]
    load = b"\n".join(words[::-1])
    job = kernels.Job1("dictionary", argument(words))
    raw, _ = job.scattered(load, len(load), [1000, 7000], [2, 0, 1])
    check(raw, load, words)
    assert result_of(raw)[1] == 2048
    assert result_of(raw)[2] < NONE


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_result_or_refused(raw):
    job = kernels.Job1("dictionary", argument([b"a"]))
    mine, _ = job.run(b"a\nb\na\n", 0, 6)
    for given_ in (raw, bytes(16) + b"\xff" * 4 + raw):
        try:
            merged = job.merge(mine, given_)
        except kernels.Refused:
            continue
        result_of(merged)


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


@pytest.mark.parametrize("size,on,rounds,originator", [
    ("1x1", "native", 1, "0,0"), ("5x5", "native", 3, "4,1"),
    ("25x25", "native", "auto", "0,0"), ("7x4", "native", "auto", "3,2"),
    ("1x1", "qemu", 1, "0,0"), ("5x5", "qemu", 3, "2,3"),
    ("5x5", "qemu", "auto", "0,0")])
def test_runs_find_the_words(files, size, on, rounds, originator):
    folder, want = files
    report = mesh.run(folder / "words", "--originator", originator,
                      kernel="dictionary", arg=f"digests={folder}/digests",
                      size=size, on=on, rounds=rounds)
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


def instructions_of_one_board(path, word, count):
    path.write_bytes((word + b"\n") * count)
    report = mesh.run(path, kernel="dictionary", size="1x1", on="qemu",
                      arg="00" * 32)
    return report["measured"]["makespan_ps"] // 32000


def test_a_block_takes_no_more_instructions_than_it_may(tmp_path):
    """Words of one and of two blocks; with all that belongs to a word."""
    some, more = (instructions_of_one_board(tmp_path / "words", b"password", n)
                  for n in (1000, 3000))
    assert (more - some) / 2000 <= 3200
    two, twice = (instructions_of_one_board(tmp_path / "words", b"x" * 60, n)
                  for n in (1000, 3000))
    assert (twice - two) / 2000 <= 2 * 3200
    assert (twice - two) / 2000 - (more - some) / 2000 <= 3200


# ---- bad input ----

GOOD = hashlib.sha256(b"a").hexdigest()


def refused(status, words, load, arg):
    done = mesh.command("run", "--mesh", "1x1", "--on", "native", "--kernel",
                        "dictionary", "--arg", arg, load)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


@pytest.mark.parametrize("arg,words", [
    ("", ["needs --arg", "digests="]), (GOOD[:-1], ["digest 1", "64"]),
    (GOOD + "0", ["digest 1", "64"]), (GOOD + ",", ["digest 2"]),
    (GOOD + ",," + GOOD, ["digest 2"]), (GOOD + " ", ["digest 1"]),
    (GOOD + "," + "g" * 64, ["digest 2"]), ("-" + GOOD[1:], ["digest 1"]),
    ("digest=x", ["digest 1"])])
def test_bad_arguments_of_runs(files, arg, words):
    refused(2, words, files[0] / "words", arg)


@pytest.mark.parametrize("content,words", [
    (b"", ["has no digest"]), (b"\n\n", ["has no digest"]),
    (b"%s\n%s\n" % (GOOD.encode(), GOOD.encode()[1:]),
     ["line 2", "64 hexadecimal"]),
    (b"\n" + GOOD.encode() + b"0\n", ["line 2"]),
    (b"a" * 63 + b"\n", ["line 1"]), (b"\x00" * 64, ["line 1"])])
def test_bad_files_of_digests(files, tmp_path, content, words):
    (tmp_path / "digests").write_bytes(content)
    refused(1, [tmp_path / "digests", *words], files[0] / "words",
            f"digests={tmp_path}/digests")


def test_more_digests_than_a_job_carries(files, tmp_path):
    path = tmp_path / "digests"
    path.write_bytes(b"".join(b"%064x\n" % i for i in range(2048)) * 2)
    report = mesh.run(files[0] / "words", kernel="dictionary", size="1x1",
                      arg=f"digests={path}", on="native")
    assert report["result"]["count"] == 0
    path.write_bytes(b"".join(b"%064x\n" % i for i in range(2049)))
    refused(1, [path, "2049", "2048"], files[0] / "words", f"digests={path}")


@pytest.mark.parametrize("content,words", [
    (b"", ["is empty"]), (b"a\n" + b"x" * 256, ["line 2", "256", "255"]),
    (b"a\r\nb\r\n" + b"x" * 300 + b"\r\nc", ["line 3", "300", "255"])])
def test_bad_lists_of_words(tmp_path, content, words):
    (tmp_path / "words").write_bytes(content)
    refused(1, [tmp_path / "words", *words], tmp_path / "words", GOOD)


def test_no_file_of_digests(files, tmp_path):
    refused(1, [tmp_path / "none", "No such file"], files[0] / "words",
            f"digests={tmp_path}/none")
