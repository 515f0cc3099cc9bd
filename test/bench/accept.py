#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many of the files that people have the kernels take, and rightly: of
each kind those found, those accepted, and the refusals by their cause. The
files are those of the Debian packages of accept_packages.txt that are
installed.

    test/bench/accept.py [KIND ...] [--list FILE] [--under FOLDER] [--most N]
"""
import argparse
import collections
import concurrent.futures
import csv
import decimal
import functools
import hashlib
import importlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "lib"))
sounds = importlib.import_module("sounds")
twins = importlib.import_module("twins")
COMMAND = [HERE.parents[1] / "build" / "quincunx"]
NOT_ONE = "none of its kind"
CONVERT = shutil.which("convert-im6.q16") or "convert"


class Wrong(Exception):
    """What was accepted has another result than it should have."""


class NotOne(Exception):
    """The file has the suffix of a kind and is none of it."""


def run(kernel, arg, path, *more):
    """None, or why the file is refused."""
    done = subprocess.run(
        [*COMMAND, "run", "--mesh", "1x1", "--on", "native", "--quiet",
         "--kernel", kernel, "--arg", arg, *more, path],
        capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return None
    return cause(done.stderr, path)


def cause(said, path):
    """The first line of a message, without names and numbers."""
    line = said.strip().split("\n")[0].replace(str(path), "FILE")
    return re.sub(r"\d+", "N", line.removeprefix("quincunx: "))


# ---- images ----

def read_pam(path):
    """Samples, an array of height, width and channels."""
    data = pathlib.Path(path).read_bytes()
    head, _, rest = data.partition(b"ENDHDR\n")
    words = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" "
                 in line)
    kind = "u1" if int(words[b"MAXVAL"]) < 256 else ">u2"
    return numpy.frombuffer(rest, kind).reshape(
        int(words[b"HEIGHT"]), int(words[b"WIDTH"]), int(words[b"DEPTH"]))


def four(samples):
    """Red, green, blue and alpha of any image, as they are."""
    colours = samples.shape[2] - (samples.shape[2] + 1) % 2
    alpha = samples[:, :, colours:]
    if not alpha.size:
        alpha = numpy.full_like(samples[:, :, :1],
                                numpy.iinfo(samples.dtype).max)
    return numpy.concatenate([samples[:, :, [0] * (4 - colours)
                                      if colours == 1 else [0, 1, 2]][
                                          :, :, :3], alpha], axis=2)


def filtered(samples, name):
    """By the definitions of kernels/conv.c, in whole numbers."""
    wide = numpy.pad(samples[:, :, :3].astype("i8"),
                     ((1, 1), (1, 1), (0, 0)), "edge")
    height, width = samples.shape[:2]

    def total(*square):
        return sum(c * wide[i // 3:i // 3 + height, i % 3:i % 3 + width]
                   for i, c in enumerate(square))

    if name == "sobel":
        colour = (abs(total(-1, 0, 1, -2, 0, 2, -1, 0, 1))
                  + abs(total(-1, -2, -1, 0, 0, 0, 1, 2, 1)))
    else:
        colour = (total(1, 2, 1, 2, 4, 2, 1, 2, 1) + 8) // 16
    colour = numpy.minimum(colour, numpy.iinfo(samples.dtype).max)
    return numpy.concatenate([colour, samples[:, :, 3:]], axis=2)


def image(path, folder):
    """None, or the cause of a refusal; samples are those that ImageMagick
    reads."""
    out, plain = folder / "out.pam", folder / "plain.pam"
    want = None
    for name in ("sobel", "gauss"):
        refused = run("conv", f"filter={name}", path, "-o", out)
        if refused:
            return refused
        got = four(read_pam(out))
        if want is None:
            depth = 8 * got.itemsize
            subprocess.run(
                [CONVERT, f"{path}[0]", "-type", "TrueColorAlpha", "-depth",
                 str(depth), f"pam:{plain}"], check=False, capture_output=True)
            want = four(read_pam(plain))
        if not numpy.array_equal(got, filtered(want, name)):
            raise Wrong(f"filter={name}")
    return None


# ---- matrices ----

def matrix(path, folder):
    """Of arrays of numbers; the product with a vector is off by the bound that
    is told and NumPy's own rounding."""
    array = numpy.load(path, allow_pickle=False)
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise NotOne
    vector = numpy.random.default_rng(4180).normal(size=array.shape[-1])
    numpy.save(folder / "v.npy", vector)
    refused = run("matvec", f"vector={folder}/v.npy", path, "-o",
                  folder / "o.npy", "--report", folder / "o.json")
    if refused:
        return refused
    told = " ".join(json.loads((folder / "o.json").read_text())["remarks"])
    bound = float(re.search(r"max \|error\| <= (\S+)", told)[1])
    wide = array.astype(float)
    own = len(vector) * 2.0 ** -52 * (abs(wide) @ abs(vector))
    if not (abs(numpy.load(folder / "o.npy") - wide @ vector)
            <= bound + own).all():
        raise Wrong("beyond the bound")
    return None


# ---- tables ----

decimal.DefaultContext.prec = 400  # of all threads
csv.field_size_limit(1 << 24)
MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "?",
           "inf", "-inf"}


def number(text):
    """A cell's number; None: there is none, and a text for no number."""
    text = text.strip()
    if text.lower() in MISSING:
        return None
    if re.fullmatch("0[xX][0-9a-fA-F]+", text):
        return decimal.Decimal(int(text, 16))
    try:
        return decimal.Decimal(text.replace(",", ""))
    except decimal.InvalidOperation:
        return text


@functools.lru_cache(maxsize=4)
def read_table(path):
    """(separator, header row, columns of texts); rows with a name before their
    first cell have none of it."""
    text = pathlib.Path(path).read_text(encoding="latin-1")
    lines = [line for line in text.splitlines(True) if line[:1] != "#"]
    separator = max(",\t;|", key=(lines or [""])[0].count)
    rows = [row for row in csv.reader(lines, delimiter=separator,
                                      skipinitialspace=True) if row]
    head, *rows = rows or [[]]
    named = rows and all(len(row) == len(head) + 1 for row in rows) and any(
        row[-1] for row in rows)
    return separator, head, [
        [row[i + named] if i + named < len(row) else "" for row in rows]
        for i in range(len(head))]


def columns(path):
    """PATH:NUMBER of each column that has numbers, and hardly anything else.
    """
    found = []
    for i, texts in enumerate(read_table(path)[2]):
        values = [number(text) for text in texts]
        numbers = sum(isinstance(v, decimal.Decimal) for v in values)
        others = sum(isinstance(v, str) for v in values)
        if numbers > 0 and others < numbers / 10:
            found.append(f"{path}:{i + 1}")
    return found


def table(item, folder):
    """None, or the cause of a refusal: rows from the least number on."""
    path, _, column = item.rpartition(":")
    separator, _, texts = read_table(path)
    values = [number(text) for text in texts[int(column) - 1]]
    values = [v for v in values if isinstance(v, decimal.Decimal)]
    separator = {"\t": "tab", ",": "\\,"}.get(separator, separator)
    report = folder / "report.json"
    refused = run("records", f"name=#{column},op=ge,value={min(values):f},"
                  f"sep={separator}", path, "--report", report)
    if refused:
        return refused
    result = json.loads(report.read_text(encoding="utf-8"))["result"]
    want = [sum(values), min(values), max(values)]
    got = [decimal.Decimal(result[name][0]) for name in ("sum", "min", "max")]
    if result["count"] != len(values) or got != want:
        raise Wrong(f"column {column}")
    return None


# ---- sounds ----

TAPS = "0.25, 0.5, 0.25"


def sound(path, folder):
    """None, or the cause of a refusal, of what libsndfile opens; samples are
    those that it reads, or sox where they are integers."""
    if sounds.read(path)[0] is None:
        raise NotOne
    want, bits = sounds.taken(path)
    encoding = sounds.read(path)[1].format & sounds.SUB
    # sox reads fewer samples than there are of some of these files.
    if encoding in sounds.WHOLE and encoding < 0x10 and (
            not str(path).endswith((".voc", ".8svx"))):
        raw = subprocess.run(
            ["sox", "-D", path, "-t", "raw", "-e", "signed", "-b", "32", "-"],
            check=False, capture_output=True).stdout
        by_sox = numpy.frombuffer(raw, "<i4").astype("i8") >> 32 - bits
        if by_sox.size and not numpy.array_equal(by_sox, want.reshape(-1)):
            raise Wrong("sox reads other samples")
    refused = run("stats", "", path, "--report", folder / "o.json")
    if refused:
        return refused
    result = json.loads((folder / "o.json").read_text())["result"]
    total = int(want.sum()) + (128 * want.size if encoding == 5 else 0)
    if (result["count"], result.get("sum", ["0"])) != (want.size,
                                                       [str(total)]):
        raise Wrong("count or sum")
    (folder / "taps").write_text(TAPS)
    refused = run("fir", f"file={folder}/taps", path, "-o", folder / "o.wav")
    if refused:
        return refused
    got, _ = twins.fir(want, [8192, 16384, 8192], bits)
    made = sounds.taken(folder / "o.wav")[0]
    if encoding == 6:  # the output has 24 bits and an exponent
        made = sounds.read(folder / "o.wav", numpy.float64)[0]
        got = (got / 2.0 ** 31).astype(numpy.float32)
    if not numpy.array_equal(got, made):
        raise Wrong("filtered samples")
    return None


# kind: suffixes, and a function that returns None or the cause of a refusal;
# what of a file is judged, if it is not the whole file
KINDS = {
    "png": ("png", image),
    "jpeg": ("jpg jpeg", image),
    "tiff": ("tif tiff", image),
    "pnm": ("pbm pgm ppm pnm pam", image),
    "sounds": ("wav aiff aif aifc au snd flac ogg oga opus mp3 w64 caf voc "
               "gsm iff 8svx sf", sound),
    "npy": ("npy", matrix),
    "tables": ("csv tsv tab", table, columns),
}


def installed(packages):
    """All files of the packages, and the packages that are not installed."""
    files, missing = [], []
    for package in packages:
        done = subprocess.run(["dpkg", "-L", package], capture_output=True,
                              text=True, check=False)
        files += done.stdout.splitlines()
        if done.returncode != 0:
            missing.append(package)
    return files, missing


def different(files, suffixes):
    """Regular files with one of the suffixes, each content once."""
    seen = {}
    for name in sorted(files):
        if (name.lower().rpartition(".")[2] in suffixes.split()
                and os.path.isfile(name) and not os.path.islink(name)):
            digest = hashlib.sha256(pathlib.Path(name).read_bytes()).digest()
            seen.setdefault(digest, name)
    return list(seen.values())


def judged(check, path):
    """None, or the cause of a refusal, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return check(path, pathlib.Path(folder))
        except Wrong as wrong:
            return f"WRONG: {wrong}"
        except NotOne:
            return NOT_ONE
        except (OSError, KeyError, ValueError) as error:
            return f"not judged: {type(error).__name__}"


def measure(kind, files, workers):
    """Prints a kind's figures."""
    check = KINDS[kind][1]
    causes = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for path, said in zip(files, pool.map(
                lambda path: judged(check, path), files)):
            causes[said].append(path)
    accepted = len(causes.pop(None, []))
    found = len(files) - len(causes.pop(NOT_ONE, []))
    share = f"{100 * accepted / found:.1f} %" if found else "-"
    print(f"{kind:8} {found:6} {accepted:9} {share:>8}", flush=True)
    for said, paths in sorted(causes.items(), key=lambda row: -len(row[1])):
        print(f"{'':8} {len(paths):6}  {said}, as {paths[0]}")
    return any(said.startswith("WRONG") for said in causes)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND",
                        help=" ".join(KINDS))
    parser.add_argument("--list", type=pathlib.Path,
                        default=HERE / "accept_packages.txt")
    parser.add_argument("--under", help="take a folder's files instead")
    parser.add_argument("--most", type=int,
                        help="files of each kind, drawn by chance")
    parser.add_argument("--quincunx", help="another command than the build's")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    COMMAND[0] = options.quincunx or COMMAND[0]
    lines = [line.split("#")[0].split() for line in
             options.list.read_text(encoding="utf-8").splitlines()]
    if options.under:
        files = [os.path.join(folder, name) for folder, _, names in
                 os.walk(options.under) for name in names]
    else:
        files, missing = installed([line[0] for line in lines if line])
        print("not installed:", *missing)
    print(f"{'kind':8} {'found':>6} {'accepted':>9} {'percent':>8}")
    wrong = False
    for kind in options.kinds or [k for k, row in KINDS.items() if row[1]]:
        here = different(files, KINDS[kind][0])
        for parts in KINDS[kind][2:]:
            here = [part for path in here for part in parts(path)]
        if options.most and len(here) > options.most:
            here = random.Random(4180).sample(here, options.most)
        wrong |= measure(kind, here, options.workers)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
