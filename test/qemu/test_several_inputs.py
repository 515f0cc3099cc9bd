# SPDX-License-Identifier: Apache-2.0
"""Several INPUTs are one load; nothing is found that lies in two of them.

The oracles are a naive search in each file, and Python's csv."""
import csv
import io

import pytest

import mesh
import twins

ALPHABET = b"aab\nAB "
ALL = bytes(range(256))
# An argument, its patterns, and whether case does not count.
ARGUMENTS = [
    *((one, [one], False) for one in (b"aa", b"ab\na", b"\n", b"\n\n")),
    (b"(?i)\nAa", [b"\nAa"], True),
    (b"(?|)aa|b\n|a", [b"aa", b"b\n", b"a"], False),
    (b"(?i|)aB|ba a|\nb", [b"aB", b"ba a", b"\nb"], True),
    # A pattern with all bytes but one: that is between the files.
    *((ALL.replace(bytes([gap]), b""), [ALL.replace(bytes([gap]), b"")], False)
      for gap in (0, 10, 97, 255))]


def write(folder, contents):
    paths = [folder / f"{i}.txt" for i in range(len(contents))]
    for path, data in zip(paths, contents):
        path.write_bytes(data)
    return paths


def check(folder, contents, arg, patterns, folds, *more, on="native"):
    """The result is what was found in each file alone."""
    paths = write(folder, contents)
    report = mesh.run(paths[-1], *more, *paths[:-1], kernel="search", arg=arg,
                      on=on, rounds="auto")
    want = [(i, at) for i, data in enumerate(contents)
            for at in twins.counts_and_offsets(data, patterns, folds)[1]]
    result, files = report["result"], report["load"]["files"]
    assert result["count"] == len(want)
    found = [(place["file"], place["offset"]) for place in result["places"]]
    assert sorted(found) == want[:mesh.OFFSETS_MAX]
    assert [file["file"] for file in files] == [str(path) for path in paths]
    assert [file["bytes"] for file in files] == list(map(len, contents))
    assert [files[i]["at"] + at for i, at in found] == result["offsets"]
    for early, late in zip(files, files[1:]):
        assert early["at"] + early["bytes"] < late["at"]


def test_search_finds_what_is_in_each_file(tmp_path):
    chance = mesh.seeded("inputs")
    for arg, *wanted in ARGUMENTS:
        for count, more in ((2, []), (17, []), (17, ["--batch", "23"])):
            if len(arg) > 23:
                count, more = 2, []
            contents = [bytes(chance.choices(ALPHABET, k=chance.choice(
                [0, 1, 2, 5, 40, 300]))) for _ in range(count)]
            check(tmp_path, [*contents, arg[:99], arg[99:], arg], arg, *wanted,
                  *more)
    check(tmp_path, [b"needle" * 300, b"", b"need", b"le needle", b"nee" * 50],
          b"needle", [b"needle"], False, on="qemu")


@pytest.mark.parametrize("separator", [b"|", b"\n"])
def test_patterns_that_a_border_could_make(tmp_path, separator):
    """Whatever byte lies between the files, but the one between patterns."""
    others = ALL.replace(separator, b"")
    patterns = separator.join(b"a" + bytes([byte]) + b"b" for byte in others)
    first, second = write(tmp_path, [b"xa", b"by"])
    report = mesh.run(second, first, kernel="search", on="native",
                      arg=b"(?" + separator + b")" + patterns)
    assert report["result"]["count"] == 0
    assert report["load"]["bytes"] == 5


def test_a_pattern_with_all_bytes_is_refused(tmp_path):
    paths = write(tmp_path, [b"xa", b"by"])
    arg = b"(?i)" + ALL.replace(b"a", b"")
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        "search", "--arg-hex", arg.hex(), *paths)
    assert (done.returncode, done.stdout) == (2, "")
    assert "all 256 bytes" in done.stderr


# ---- tables ----

def table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("name", "n"), *rows])
    return text.getvalue()


def test_records_of_several_tables(tmp_path):
    chance = mesh.seeded("tables")
    tables = [[(chance.choice(['a', 'b"c', "d\ne", ""]),
                str(chance.randint(-50, 50)))
               for _ in range(chance.choice([0, 1, 30]))] for _ in range(8)]
    tables[3] = tables[3] or [("a", "7")]
    paths = write(tmp_path, [table(rows).encode() for rows in tables])
    paths[-1].write_text(table(tables[-1]).rstrip("\n"))
    rows = [row for rows in tables for row in rows if int(row[1]) > 0]
    out = tmp_path / "out.csv"
    result = mesh.run(paths[-1], "-o", out, *paths[:-1], kernel="records",
                      arg="name=n,op=gt,value=0", on="native")["result"]
    assert result["count"] == len(rows)
    assert result["sum"] == [str(sum(int(row[1]) for row in rows))]
    assert list(csv.reader(io.StringIO(out.read_text()))) == [
        ["name", "n"], *map(list, rows)]
