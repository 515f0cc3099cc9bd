# SPDX-License-Identifier: Apache-2.0
"""Kernel records: rows of tables whose column satisfies a condition."""
import itertools
import struct

import pytest
from hypothesis import given, settings, strategies as st

import mesh
import twin_records
from kernels import Job1, Refused, cut_anywhere
from twin_records import CODES, Twin, as_number, fields_of, records_of

FAILED = 1
SUM, ROWS, NO_SUM = 2, 8, 255


# ---- by hand ----

def flatten(table):
    """The load of a table: no header, no newline inside quotes; and the byte
    that stands for one."""
    header, *rows = records_of(table)
    rows = [r if r.endswith(b"\n") else r + b"\n" for r in rows]
    stand = next(b for b in range(256) if bytes([b]) not in table
                 and bytes([b]) not in b'",\t\r\n')
    load = b""
    for row in rows:
        body = row[:-1].replace(b"\n", bytes([stand]))
        load += body + b"\n"
    return load, stand


def condition(column, op, value, decimals=None):
    """A condition of the kernel's argument; `decimals`: of a number."""
    tail = value if decimals is None else struct.pack(
        "<q", int(as_number(value) * 10 ** decimals))
    return (struct.pack("<H6B", column, CODES[op], decimals is not None,
                        decimals or 0, len(tail), 0, 0)
            + tail + bytes(-len(tail) % 4))


def head(load, separator, stand, flags, total, decimals, words=0, groups=0):
    longest = max(map(len, load.split(b"\n"))) + 1
    return struct.pack("<4B2H2I", ord(separator), stand, flags, words, total,
                       groups, longest, decimals | (words or 2) << 8)


def argument(twin, load, stand, op, value, number, rows, separator=","):
    total = twin.total if twin.total is not None else twin.at
    label = twin.decimals[1] if twin.total is not None else NO_SUM
    return (head(load, separator, stand,
                 (twin.total is not None) * SUM | rows * ROWS, total, label)
            + condition(twin.at, op, value,
                        twin.decimals[0] if number else None))


def groups_of(result, words=2):
    """[(rows, values, decimals, sum, least, greatest)] of a result."""
    found, entry = [], 16 + 12 * words
    for at in range(0, len(result), entry):
        part = result[at:at + entry]
        ends = [12 + 4 * n for n in (0, words + 1, 2 * words + 1,
                                     3 * words + 1)]
        count, values, label = struct.unpack("<3I", part[:12])
        assert label >> 8 & 255 == words
        found.append((count, values, label & 255, *(
            int.from_bytes(part[a:b], "little", signed=True)
            for a, b in zip(ends, ends[1:]))))
    return found


def check(job, twin, stand, told):
    """(result, output) of a load cut anywhere and merged in any order, against
    the twin."""
    result, output = told
    count, _, decimals, total, least, greatest = groups_of(result)[0]
    assert count == twin.count
    if twin.total is not None:
        scale = 10 ** twin.decimals[1]
        assert decimals == twin.decimals[1]
        assert total == sum(twin.values) * scale
        if count > 0:
            assert least == min(twin.values) * scale
            assert greatest == max(twin.values) * scale
    else:
        assert decimals == NO_SUM
    if job.terms.output_denominator:
        assert output.replace(bytes([stand]), b"\n") == (
            twin.rows if twin.rows.endswith(b"\n") or not twin.rows
            else twin.rows + b"\n")


def quote(field, always):
    if always or any(c in field for c in b',"\r\n\t'):
        return b'"' + field.replace(b'"', b'""') + b'"'
    return field


TEXTS = st.binary(max_size=8).map(
    lambda b: bytes(b'ab,"\r\n\t '[c % 8] for c in b))
NUMBERS = st.builds(
    lambda sign, whole, part: (sign + str(whole) + part).encode(),
    st.sampled_from(["", "-", "+"]),
    st.one_of(st.integers(0, 30), st.integers(0, 10 ** 12 - 1)),
    st.one_of(st.just(""), st.just("."), st.integers(0, 10 ** 6 - 1).map(
        lambda n: f".{n:06}"[:n % 7 + 1])))


@st.composite
def tables(draw):
    """A table with text, a number and whatever else around it."""
    ends = draw(st.sampled_from([b"\n", b"\r\n"]))
    shape = draw(st.permutations(["text", "number", "more", "other"]))
    rows = [[name.encode() for name in shape]]
    for _ in range(draw(st.integers(1, 7))):
        rows.append([draw(NUMBERS if name in ("number", "more") else TEXTS)
                     for name in shape])
    always = draw(st.lists(st.booleans(), min_size=4, max_size=4))
    lines = [b",".join(quote(f, a) for f, a in zip(row, always)) + ends
             for row in rows]
    for at in draw(st.lists(st.integers(1, len(lines)), max_size=2)):
        lines.insert(at, ends)
    return b"".join(lines)


@pytest.mark.parts(4)
@given(st.data())
@settings(max_examples=75, deadline=None)
def test_any_table_any_cut_any_order(data):
    table = data.draw(tables())
    number = data.draw(st.booleans())
    op = data.draw(st.sampled_from(list(CODES)[:6] if number
                                   else list(CODES)))
    seen = [fields_of(r, ",") for r in records_of(table)]
    column = "number" if number else data.draw(
        st.sampled_from(["text", "other", "number"]))
    at = seen[0].index(column.encode())
    own = data.draw(st.sampled_from([row[at] for row in seen[1:]]))
    value = data.draw(st.one_of(st.just(own), NUMBERS if number else TEXTS))
    if op in ("contains", "begins"):
        value = value[:3] or b"a"
    total = data.draw(st.sampled_from([None, b"more", b"number"]))
    twin = Twin(table, column.encode(), op, value, number, total)
    load, stand = flatten(table)
    rows = data.draw(st.booleans())
    job = Job1("records", argument(twin, load, stand, op, value, number, rows))
    check(job, twin, stand, cut_anywhere(data, job, load, len(load)))


def test_every_cut_of_a_small_table():
    table = (b'a,b\r\n1,"x\n""y"\r\n\r\n22.5,"y,"\n-3,\n4,"x\ny"\n'
             b"123456789012.25,y")
    for rows in (False, True):
        for op, value in (("contains", b'"y'), ("ne", b"y,"), ("lt", b"x\ny")):
            twin = Twin(table, b"b", op, value, False, b"a")
            load, stand = flatten(table)
            job = Job1("records", argument(twin, load, stand, op, value,
                                           False, rows))
            for first in range(len(load) + 1):
                for second in range(first, len(load) + 1):
                    check(job, twin, stand, job.scattered(
                        load, len(load), [first, second]))


def test_sums_beyond_64_bits():
    for sign, op in ((b"", "gt"), (b"-", "lt")):
        table = b"n\n" + (sign + b"999999999999999999\n") * 40 + b"0\n"
        twin = Twin(table, b"n", op, b"0", True, b"n")
        load, stand = flatten(table)
        job = Job1("records", argument(twin, load, stand, op, b"0", True,
                                       False))
        check(job, twin, stand, job.scattered(load, len(load),
                                              [100, 333, 600], [3, 1, 0, 2]))


# ---- several conditions, groups, numbers in letters ----

def cells(number, words):
    """A summed cell, which may be empty, as the host writes it."""
    if number is None or not words:
        return b"" if number is None else str(number).encode()
    digits = (number + (1 << 32 * words - 1)).to_bytes(4 * words, "big").hex()
    return "".join(chr(ord("a") + int(d, 16)) for d in digits).encode()


@pytest.mark.parts(2)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_groups_and_letters_on_any_cut(data):
    words = data.draw(st.sampled_from([0, 0, 1, 2, 4]))
    groups = data.draw(st.integers(0, 4))
    most = 2 ** (32 * words - 1) - 1 if words else 10 ** 18 - 1
    rows = data.draw(st.lists(st.tuples(
        st.integers(0, max(groups, 1) - 1), st.integers(-9, 9),
        st.sampled_from([b"x", b"xy", b'"x,"', b""]),
        st.none() | st.integers(-most, most)), min_size=1, max_size=8))
    load = b"".join(b"%d,%d,%s,%s\n" % (g, a, text, cells(n, words))
                    for g, a, text, n in rows)
    bound, op = data.draw(st.integers(-9, 9)), data.draw(st.sampled_from(
        list(CODES)[:6]))
    begins = data.draw(st.sampled_from([b"", b"x", b"xy"]))
    asked = [condition(1, op, str(bound).encode(), 0),
             condition(2, "begins", begins)]
    arg = head(load, ",", 0, SUM, 3, 0, words, groups) + b"".join(
        asked[::data.draw(st.sampled_from([1, -1]))])
    chosen = [(g, n) for g, a, text, n in rows
              if text.strip(b'"').startswith(begins) and twin_records.holds(
                  str(a).encode(), op, str(bound).encode(), True)]
    job = Job1("records", arg)
    result, _ = cut_anywhere(data, job, load, len(load))
    found = groups_of(result, words or 2)
    assert len(found) == max(groups, 1)
    for group, got in enumerate(found):
        mine = [n for g, n in chosen if g == group or not groups]
        values = [n for n in mine if n is not None]
        assert got[:4] == (len(mine), len(values), 0, sum(values))
        if values:
            assert got[4:] == (min(values), max(values))


@given(st.binary(min_size=1, max_size=60).map(
    lambda b: bytes(b'12ap,"\n\r-'[c % 9] for c in b)), st.data())
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_inside_their_bounds(load, data):
    """Guards around each piece differ; a result does not depend on them."""
    words = data.draw(st.sampled_from([0, 2]))
    arg = head(load, ",", 0, SUM, 2, 0, words, 3) + condition(
        1, "ne", b"1", 0) + condition(3, "contains", b"a")
    job = Job1("records", arg)
    cut_anywhere(data, job, load, len(load))
    assert job.run(load, 0, len(load), 0x41) == job.run(load, 0, len(load), 9)


def test_arguments_that_are_refused():
    load = b"1,2\n"
    good = head(load, ",", 0, SUM, 0, 0) + condition(0, "eq", b"1", 0)
    Job1("records", good)
    for bad in (good[:-1], good[:16], good + b"\0",
                good[:16] + 9 * condition(0, "eq", b"1", 0),
                head(load, ",", 0, SUM, 0, 19) + good[16:],
                head(load, ",", 0, SUM, 0, 0, 20) + good[16:],
                head(load, ",", 0, SUM, 0, 0, 0, 500) + good[16:],
                good[:16] + condition(0, "contains", b"")):
        with pytest.raises(Refused):
            Job1("records", bad)


# ---- whole runs ----

PEOPLE = b"id,name,town,price,n\r\n" + b"".join(
    b'%d,%s. Q,%s,%d.%02d,%d\r\n' % (
        i, b"ABC"[i % 3:i % 3 + 1],
        (b"Berlin", b'"Rome, ""Roma"""', b'"New\nYork"', b"")[i % 4],
        i * 37 % 1100 - 99, i % 100, i ** 4 % 10 ** (i % 12))
    for i in range(300))
QUESTIONS = [
    ("name=price,op=ge,value=500.125,sum=n", b"price", "ge", b"500.125", True,
     b"n"),
    ('name=town,op=contains,value=\\, "R,sum=id', b"town", "contains",
     b', "R', False, b"id"),
    ("name=town,op=eq,value=New\nYork", b"town", "eq", b"New\nYork", False,
     None),
    ("name=name,op=begins,value=B.,sum=price", b"name", "begins", b"B.",
     False, b"price"),
    ("name=n,op=lt,value=5,type=text", b"n", "lt", b"5", False, None)]


def test_arguments_say_what_the_twin_is_told(tmp_path):
    table, out = tmp_path / "people.csv", tmp_path / "rows.csv"
    table.write_bytes(PEOPLE)
    for arg, *rest in QUESTIONS:
        twin = Twin(PEOPLE, *rest)
        said = mesh.run(table, "-o", out, on="native", kernel="records",
                        size="5x5", arg=arg)["result"]
        said.pop("output_bytes", None)
        assert 0 < twin.count < 300 and said == twin.result(), arg
        assert out.read_bytes() == twin.output, arg


def test_rows_are_the_files_to_the_last_byte(tmp_path):
    """With and without a newline at the end, with a byte order mark."""
    path, mark = tmp_path / "t.tsv", "\ufeff".encode()
    for (ends, tail), last in itertools.product(
            [("\n", ""), ("\r\n", "\r\n"), ("\n", "\n\n")], "78"):
        table = (ends.join(["a\tb", "7\tx", '"17"\t7', f"{last}\tx"])
                 + tail).encode()
        path.write_bytes(mark + table)
        twin = Twin(table, b"a", "eq", b"7", True, b"a", "\t")
        mesh.run(path, "-o", tmp_path / "out", size="5x5", on="native",
                 kernel="records", arg="name=a,op=eq,value=7.0")
        assert (tmp_path / "out").read_bytes() == mark + twin.output


def test_separators(tmp_path):
    path = tmp_path / "t.csv"
    for name, sep in (("tab", "\t"), (";", ";"), ("|", "|")):
        path.write_text(f"a{sep}b\n1{sep}x,y\n")
        got = mesh.run(path, size="1x1", on="native", kernel="records",
                       arg=f"name=b,op=eq,value=x\\,y,sum=a,sep={name}")
        assert got["result"]["sum"] == ["1"]
    path = path.rename(tmp_path / "t.psv")
    got = mesh.run(path, size="1x1", on="native", kernel="records",
                   arg="name=b,op=eq,value=x\\,y,sum=a")
    assert got["result"]["sum"] == ["1"]


def test_damaged_tables_are_refused_or_right(tmp_path):
    """Bytes changed at random: an error of the file's, or what csv reads."""
    chance = mesh.seeded("records damaged")
    good = (b'a,b\r\n1,"x\n""y"\r\n22.5,"y,"\r\n-3,\r\n4,"x\r\ny"\r\n')
    path = tmp_path / "t.csv"
    accepted = 0
    for _ in range(120):
        table = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            table[chance.randrange(4, len(table))] = chance.choice(
                b'",\r\n\0xy17\xff')
        path.write_bytes(table)
        done = mesh.command("run", "--mesh", "5x5", "--on", "native",
                            "--kernel", "records", "--arg",
                            "name=b,op=ge,value=x,type=text", "-o",
                            tmp_path / "out", path)
        assert done.returncode in (0, FAILED), done.stderr
        if done.returncode == 0:
            accepted += 1
            twin = Twin(bytes(table), b"b", "ge", b"x", False)
            assert (tmp_path / "out").read_bytes() == twin.output, table
        else:
            assert f"quincunx: {path}: line " in done.stderr
    assert 12 < accepted < 118
