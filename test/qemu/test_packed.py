# SPDX-License-Identifier: Apache-2.0
"""Files that are compressed, or as long as reading gives: the result is that
of the same bytes in a plain file. What is refused: test/refused."""
import bz2
import gzip
import hashlib
import io
import lzma
import os
import tarfile
import wave
import zipfile

import numpy
import pytest

import mesh


def saved(array):
    out = io.BytesIO()
    numpy.save(out, array.astype("<i4"))
    return out.getvalue()


def sound():
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((2, 2, 8000, 0, "NONE", None))
        file.writeframes(bytes(range(200)) * 4)
    return out.getvalue()


# Kernel, argument, its file, INPUT.
JOBS = {
    "search": ("(?f){}", b"word7\nword19\n", b"word7 word77 word19\n" * 9),
    "dictionary": ("digests={}", hashlib.sha256(b"dog").hexdigest().encode(),
                   b"cat\ndog\n" * 99),
    "records": ("name=price,op=ge,value=7", b"",
                b"id,price\n" + b"".join(b"x,%d\n" % i for i in range(99))),
    "stats": ("", b"", sound()), "fir": ("file={}", b"0.5 0.25", sound()),
    "conv": ("filter=gauss", b"", b"P5 20 30 255\n" + bytes(range(200)) * 3),
    "matvec": ("vector={}", saved(numpy.arange(9)),
               saved(numpy.ones((40, 9)))),
    "spin": ("8", b"", bytes(999))}


def zipped(data):
    """As the Finder of a Mac makes it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (("folder/", b""), ("folder/one", data),
                              ("__MACOSX/folder/._one", b"Mac")):
            file.writestr(name, content)
    return out.getvalue()


def tarred(data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as file:
        entry = tarfile.TarInfo("one")
        entry.size = len(data)
        file.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def framed(data):
    """By zstd: a frame of one block that is not compressed."""
    return (b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little")
            + (len(data) << 3 | 1).to_bytes(3, "little") + data)


PACKERS = {
    "gzip": lambda data: (gzip.compress(data[:5])
                          + gzip.compress(data[5:]) + bytes(9)),
    "bzip2": lambda data: bz2.compress(data) + bytes(9),
    "xz": lzma.compress, "zip": zipped,
    "zstd": framed, "xz, tar": tarred,
    "gzip, bzip2": lambda data: gzip.compress(bz2.compress(data))}


def run(kernel, arg, load, *more):
    report = mesh.run(load, *more, kernel=kernel, arg=arg, size="2x1",
                      on="native")
    return report["result"], [text for text in report["remarks"]
                              if "decompressed" in text]


@pytest.mark.parametrize("kernel, kinds", zip(JOBS, [*PACKERS, "xz"]))
def test_compressed_files(tmp_path, kernel, kinds):
    """INPUT and the argument's file, with a remark on each."""
    arg, *contents = JOBS[kernel]
    results = []
    for pack in (bytes, PACKERS[kinds]):
        paths = [tmp_path / f"{name}-{pack.__name__}" for name in "al"]
        for path, data in zip(paths, contents):
            path.write_bytes(pack(data))
        results.append(run(kernel, arg.format(paths[0]), paths[1]))
    (plain, said), (got, told) = results
    assert got == plain and said == []
    assert sorted(told) == [
        f"{path} was decompressed ({kinds}): {path.stat().st_size} bytes "
        f"became {len(data)}." for path, data in zip(paths, contents)
        if str(path) in arg.format(paths[0]) or path == paths[1]]
    if kernel == "search":
        assert run(kernel, "word", paths[1], "--as-is")[1] == []


def test_files_that_have_no_length(tmp_path):
    """Those of /proc and /sys, and pipes: of an originator, too."""
    for path in ("/proc/version", "/sys/devices/system/cpu/online"):
        with open(path, "rb") as file:
            data = file.read()
        assert run("search", "0", path)[0]["count"] == data.count(b"0")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    kept = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    pipe.write_bytes(gzip.compress(b"word word"))
    done = mesh.command(
        "run", "--mesh=2x1", "--on=native", "--kernel=search", "--arg=word",
        f"--originator=0,0={pipe}", "--originator=1,0=/proc/version")
    os.close(kept)
    assert (done.returncode, done.stderr) == (0, "")
    assert "count = 2\n" in done.stdout


def test_what_only_its_name_calls_compressed(tmp_path):
    for suffix in ("br", "GZ", "lzma"):
        path = tmp_path / f"x.{suffix}"
        path.write_bytes(b"word")
        report = mesh.run(path, kernel="search", arg="word", on="native")
        assert report["result"]["count"] == 1
        assert f"{path}: its name says" in str(report["remarks"])


def test_the_name_of_a_compressed_table(tmp_path):
    table = tmp_path / "x.tsv.gz"
    table.write_bytes(gzip.compress(b"id\tprice\n1\t7\n2\t8\n"))
    assert run("records", "name=price,op=ge,value=8", table)[0]["count"] == 1
