# SPDX-License-Identifier: Apache-2.0
"""Kernel records: rows of tables whose column satisfies a condition. The twin
splits records by hand, reads fields with Python's csv and numbers as exact
decimals."""
import csv
import fractions
import io
import operator
import struct
import subprocess

import pytest
from hypothesis import given, settings, strategies as st

import mesh
import parts
from kernels import Job1, Refused

USAGE, FAILED = 2, 1
CODES = {"lt": 1, "le": 3, "eq": 2, "ne": 5, "ge": 6, "gt": 4, "begins": 8,
         "contains": 16}
NUMBER, SUM, SUM_FIRST, ROWS = 1, 2, 4, 8


# ---- the twin ----

def records_of(table):
    """The records' bytes; empty lines are none."""
    found, start, quoted = [], 0, False
    for i, byte in enumerate(table):
        if byte == ord('"'):
            quoted = not quoted
        elif byte == ord("\n") and not quoted:
            found.append(table[start:i + 1])
            start = i + 1
    found.append(table[start:])
    return [r for r in found if r.strip(b"\r\n")]


def fields_of(record, separator):
    text = io.StringIO(record.decode("latin-1"), newline="")
    rows = list(csv.reader(text, delimiter=separator, strict=True))
    assert len(rows) == 1
    return [field.encode("latin-1") for field in rows[0]]


def as_number(field):
    return fractions.Fraction(field.decode())


def holds(field, op, value, number):
    if op == "contains":
        return value in field
    if op == "begins":
        return field.startswith(value)
    compare = getattr(operator, op)
    return (compare(as_number(field), as_number(value)) if number
            else compare(field, value))


def decimals_of(field):
    return len(field.partition(b".")[2])


class Twin:
    """What a run must say of a table."""

    def __init__(self, table, column, op, value, number, total=None,
                 separator=","):
        header, *rows = records_of(table)
        names = fields_of(header, separator)
        self.at = names.index(column)
        self.total = names.index(total) if total is not None else None
        rows = [(row, fields_of(row, separator)) for row in rows]
        chosen = [(row, fields) for row, fields in rows
                  if holds(fields[self.at], op, value, number)]
        self.rows = b"".join(row for row, _ in chosen)
        self.output = header + self.rows
        self.count = len(chosen)
        self.decimals = [
            max(decimals_of(f[i]) for _, f in rows) if i is not None else 0
            for i in (self.at, self.total)]
        if number:
            self.decimals[0] = max(self.decimals[0], decimals_of(value))
        if number and self.at == self.total:
            self.decimals[1] = self.decimals[0]
        if total is not None:
            self.values = [as_number(f[self.total]) for _, f in chosen]

    def result(self):
        """As the report has it."""
        said = {"count": self.count}
        if self.total is not None and self.count > 0:
            for name, function in (("sum", sum), ("min", min), ("max", max)):
                scaled = function(self.values) * 10 ** self.decimals[1]
                assert scaled.denominator == 1
                digits = f"{abs(scaled.numerator):0{self.decimals[1] + 1}}"
                cut = len(digits) - self.decimals[1]
                said[name] = [("-" if scaled < 0 else "") + digits[:cut]
                              + ("." + digits[cut:] if digits[cut:] else "")]
        return said


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


def argument(twin, load, stand, op, value, number, rows, separator=","):
    a = twin.at
    b = twin.total if twin.total is not None else a
    flags = (number * NUMBER | (twin.total is not None) * SUM
             | (b < a) * SUM_FIRST | rows * ROWS)
    longest = max(map(len, load.split(b"\n"))) + 1
    tail = (struct.pack("<q", int(as_number(value) * 10 ** twin.decimals[0]))
            if number else value)
    return struct.pack("<9I", ord(separator), stand, CODES[op], flags,
                       min(a, b), abs(a - b), *twin.decimals, longest) + tail


def unpack(result):
    count, low, high, decimals, least, greatest = struct.unpack(
        "<QQiIqq", result)
    return count, (high << 64) + low, decimals, least, greatest


def check(job, twin, load, stand, cuts, order=None):
    """A load cut anywhere and merged in any order, against the twin."""
    result, output = job.scattered(load, len(load), cuts, order)
    count, total, decimals, least, greatest = unpack(result)
    assert count == twin.count
    if twin.total is not None:
        scale = 10 ** twin.decimals[1]
        assert decimals == twin.decimals[1]
        assert total == sum(twin.values) * scale
        if count > 0:
            assert least == min(twin.values) * scale
            assert greatest == max(twin.values) * scale
    else:
        assert decimals == 255
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
    cuts = data.draw(st.lists(st.integers(0, len(load)), max_size=6))
    order = data.draw(st.permutations(range(len(cuts) + 1)))
    check(job, twin, load, stand, cuts, order)


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
                    check(job, twin, load, stand, [first, second])


def test_sums_beyond_64_bits():
    table = b"n\n" + b"999999999999999999\n" * 40 + b"-5\n"
    twin = Twin(table, b"n", "gt", b"0", True, b"n")
    load, stand = flatten(table)
    job = Job1("records", argument(twin, load, stand, "gt", b"0", True, False))
    check(job, twin, load, stand, [100, 333, 600], [3, 1, 0, 2])
    table = b"n\n" + b"-999999999999999999\n" * 40 + b"5\n"
    assert sum(Twin(table, b"n", "lt", b"0", True, b"n").values) < -2 ** 64
    twin = Twin(table, b"n", "lt", b"0", True, b"n")
    load, stand = flatten(table)
    job = Job1("records", argument(twin, load, stand, "lt", b"0", True, False))
    check(job, twin, load, stand, [101, 350], [2, 0, 1])


# ---- begin() and merge() ----

GOOD = struct.pack("<9I", 44, 10, 2, 0, 0, 0, 0, 0, 10) + b"x"


@pytest.mark.parametrize("arg, unit", [
    (b"", 1), (GOOD[:35], 1), (GOOD, 0), (GOOD, 65536),
    (struct.pack("<9I", 44, 256, 2, 0, 0, 0, 0, 0, 10) + b"x", 1),
    (struct.pack("<9I", 44, 10, 2, 0, 0, 0, 19, 0, 10) + b"x", 1),
    (struct.pack("<9I", 44, 10, 2, 0, 0, 0, 0, 19, 10) + b"x", 1),
    (struct.pack("<9I", 44, 10, 2, 0, 0, 0, 0, 0, 2 ** 20 + 1) + b"x", 1),
    (struct.pack("<9I", 44, 10, 2, 1, 0, 0, 0, 0, 10) + bytes(7), 1),
    (struct.pack("<9I", 44, 10, 16, 1, 0, 0, 0, 0, 10) + bytes(8), 1),
    (struct.pack("<9I", 44, 10, 16, 0, 0, 0, 0, 0, 10), 1),
    (GOOD + bytes(255), 1)])
def test_begin_refuses(arg, unit):
    Job1("records", GOOD)
    with pytest.raises(Refused):
        Job1("records", arg, unit)


@given(st.binary(max_size=60), st.binary(min_size=36, max_size=36))
@settings(max_examples=200, deadline=None)
def test_whatever_begin_accepts_is_safe(load, head):
    """Any argument, any load: nothing is read or written outside."""
    words = [w % m for w, m in zip(struct.unpack("<9I", head),
                                   (256, 256, 32, 16, 5, 5, 19, 19, 99))]
    try:
        job = Job1("records", struct.pack("<9I", *words) + b'"a,b\n\0\1\2')
    except Refused:
        return
    job.scattered(load, len(load), [len(load) // 3, len(load) // 2])


def test_merge_refuses_what_is_no_result():
    job = Job1("records", GOOD)
    result, _ = job.run(b"x\ny\n", 0, 4)
    assert unpack(job.merge(result, result))[0] == 2
    for bad in (b"", result[:-1], result + b"\0", result[:20] + b"\1"
                + result[21:]):
        with pytest.raises(Refused):
            job.merge(result, bad)


# ---- whole runs ----

TOWNS = ['Berlin', 'Rome, "Roma"', "New\nYork", "Poznan", ""]


def people(rows, chance):
    """A table as tools write it, and as csv writes it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["id", "name", "town", "price", "n"])
    for i in range(rows):
        writer.writerow([i, f"{chance.choice('ABC')}. {chance.random():.5f}",
                         chance.choice(TOWNS),
                         f"{chance.randrange(-9999, 99999) / 100:.2f}",
                         chance.randrange(10 ** chance.randrange(1, 12))])
    return out.getvalue().encode()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "people.csv"
    path.write_bytes(people(3000, mesh.seeded("records")))
    return path


QUESTIONS = [
    ("name=price,op=lt,value=100", b"price", "lt", b"100", True, b"price"),
    ("name=price,op=ge,value=500.125,sum=n", b"price", "ge", b"500.125", True,
     b"n"),
    ('name=town,op=contains,value=\\, "R,sum=id', b"town", "contains",
     b', "R', False, b"id"),
    ("name=town,op=eq,value=New\nYork", b"town", "eq", b"New\nYork", False,
     None),
    ("name=name,op=begins,value=B.,sum=price", b"name", "begins", b"B.",
     False, b"price"),
    ("name=n,op=lt,value=5,type=text", b"n", "lt", b"5", False, None)]
SHAPES = [("1x1", "native", 1), ("5x5", "native", "auto"),
          ("25x25", "native", 3), ("7x4", "native", 1), ("1x1", "qemu", 1),
          ("5x5", "qemu", "auto"), ("5x5", "qemu", 3)]


# Boards answer one question in every way.
@pytest.mark.parametrize("number, size, on, rounds", parts.cases(
    [(number, *shape) for number in range(len(QUESTIONS)) for shape in SHAPES
     if shape[1] != "qemu" or number == 1 or shape == ("5x5", "qemu", "auto")],
    lambda case: case[2] != "qemu" or case[0] == 1 and case[3] != 3))
def test_runs_say_what_the_twin_says(table, tmp_path, number, size, on,
                                     rounds):
    arg, *rest = QUESTIONS[number]
    twin = Twin(table.read_bytes(), *rest)
    out = tmp_path / "rows.csv"
    corner = size.replace("x", ",") if on == "native" else "5,5"
    x, y = (int(n) - 1 for n in corner.split(","))
    where = ["--originator", f"{x},{y}"] if size != "1x1" else []
    report = mesh.run(table, *where, "-o", out, size=size, on=on,
                      kernel="records", arg=arg, rounds=rounds)
    said = report["result"]
    said.pop("output_bytes", None)
    assert said == twin.result()
    assert out.read_bytes() == twin.output
    plain = mesh.run(table, size=size, on=on, kernel="records", arg=arg,
                     rounds=rounds)
    assert plain["result"] == twin.result()


@pytest.mark.parametrize("ends, tail", [("\n", ""), ("\r\n", "\r\n"),
                                        ("\n", "\n\n")])
@pytest.mark.parametrize("last", ["7", "8"])
def test_rows_are_the_files_to_the_last_byte(tmp_path, ends, tail, last):
    """With and without a newline at the end, with a byte order mark."""
    rows = ["\ufeffa\tb", "7\tx", '"17"\t7', f"{last}\tx"]
    path = tmp_path / "t.tsv"
    path.write_bytes((ends.join(rows) + tail).encode())
    twin = Twin(path.read_bytes().replace(b"\xef\xbb\xbf", b""), b"a", "eq",
                b"7", True, b"a", "\t")
    mesh.run(path, "-o", tmp_path / "out", size="5x5", on="native",
             kernel="records", arg="name=a,op=eq,value=7.0")
    assert (tmp_path / "out").read_bytes() == b"\xef\xbb\xbf" + twin.output


def test_separators(tmp_path):
    path = tmp_path / "t.csv"
    for name, sep in (("tab", "\t"), (";", ";"), ("|", "|")):
        path.write_text(f"a{sep}b\n1{sep}x,y\n")
        got = mesh.run(path, size="1x1", on="native", kernel="records",
                       arg=f"name=b,op=eq,value=x\\,y,sum=a,sep={name}")
        assert got["result"]["sum"] == ["1"]


def test_as_awk_says(tmp_path):
    """A table without quotes, which awk can read too."""
    chance = mesh.seeded("records awk")
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(
        f"{chance.randrange(100)},{chance.random():.4f},w{i % 7}\n"
        for i in range(5000)))
    for arg, program in (("name=b,op=lt,value=.25", "$2 < 0.25"),
                         ("name=c,op=contains,value=3", "$3 ~ /3/"),
                         ("name=a,op=ne,value=7", "$1 != 7")):
        mesh.run(path, "-o", tmp_path / "out", size="5x5", kernel="records",
                 arg=arg, rounds="auto")
        awk = subprocess.run(["awk", "-F,", f"NR == 1 || {program}", path],
                             capture_output=True, check=True)
        assert (tmp_path / "out").read_bytes() == awk.stdout


def test_damaged_tables_are_refused_or_right(tmp_path):
    """Bytes changed at random: an error of the file's, or what csv reads."""
    chance = mesh.seeded("records damaged")
    good = (b'a,b\r\n1,"x\n""y"\r\n22.5,"y,"\r\n-3,\r\n4,"x\r\ny"\r\n')
    path = tmp_path / "t.csv"
    accepted = 0
    for _ in range(300):
        table = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            table[chance.randrange(4, len(table))] = chance.choice(
                b'",\r\n\0xy17\xff')
        path.write_bytes(table)
        done = mesh.command("run", "--mesh", "5x5", "--on", "native",
                            "--kernel", "records", "--arg",
                            "name=b,op=ge,value=x", "-o", tmp_path / "out",
                            path)
        assert done.returncode in (0, FAILED), done.stderr
        if done.returncode == 0:
            accepted += 1
            twin = Twin(bytes(table), b"b", "ge", b"x", False)
            assert (tmp_path / "out").read_bytes() == twin.output
        else:
            assert f"quincunx: {path}: line " in done.stderr
    assert 30 < accepted < 270


# ---- what is refused ----

BAD = [
    (b"", "", "has no header row"),
    (b"\n\r\n", "", "has no header row"),
    (b"a,b\n", "", "has no record behind its header row"),
    (b"a,c\n1,2\n", "line 1", "no column 'b' (of 2)"),
    (b"b,b\n1,2\n", "line 1", "column 'b' is there twice"),
    (b"a,b\n1,2\n3\n", "line 3", "has 1 fields, the header row 2"),
    (b"a,b\n1,2\n3,4,5\n", "line 3", "has 3 fields, the header row 2"),
    (b'a,b\n1,2\n3,"4\n5,6\n', "line 3", "is not closed"),
    (b'a,b\n"1\n2",3\n4,x"y\n', "line 4", "a quote in a field"),
    (b'a,b\n1,"2"3\n', "line 2", "behind the closing quote"),
    (b"a,b\n1,2\r3,4\n", "line 2", "a carriage return"),
    (b"a,b\n1,2\n3,\n", "line 3", "column 'b': '' is no decimal number"),
    (b'a,b\n"1\n",2\n3,1e5\n', "line 4", "'1e5' is no decimal number"),
    (b"a,b\n1, 2\n", "line 2", "' 2' is no decimal number"),
    (b"a,b\n1,1234567890123456789\n", "line 2", "at most 18"),
    (b"a,b\n1,1234567890123\n1,.123456\n", "line 3", "at most 18"),
    (b"a,b\n1,2\n" + b"x" * 1_100_000 + b",3\n", "line 3", "1048576 bytes"),
    (b"a,b\n" + bytes(c for c in range(256) if c not in b'\n\r",')
     + b',1\n"\n",2\n', "line 3", "no byte that is not in the file")]


@pytest.mark.parametrize("content, place, reason", BAD,
                         ids=map(str, range(len(BAD))))
def test_a_bad_table_is_refused(tmp_path, content, place, reason):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "records",
                        "--on", "native", "--arg",
                        "name=b,op=ge,value=1", path)
    assert done.returncode == FAILED, done.stderr
    assert str(path) in done.stderr
    assert place in done.stderr
    assert reason in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arg, reason", [
    ("name=a,op=lt", "are required"),
    ("name=a,op=xx,value=1", "op 'xx'"), ("name=a,op=lt,value=1,x=2", "'x'"),
    ("name=a,name=b,op=lt,value=1", "twice"),
    ("name=a,op=contains,value=", "empty"),
    ("name=a,op=lt,value=1.5e3", "type=text"),
    ("name=a,op=lt,value=x,type=number", "type=number"),
    ("name=a,op=eq,value=1,type=int", "type 'int'"),
    ("name=a,op=eq,value=1,sep=ab", "sep 'ab'"),
    ("name=a,op=eq,value=1,rows=maybe", "rows 'maybe'"),
    ("name=a,op=eq,value=1234567890.123456789", "18 digits"),
    ("name=a,op=eq,value=" + "x" * 256, "255 bytes")])
def test_a_bad_argument_is_refused(table, arg, reason):
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "records",
                        "--on", "native", "--arg", arg, table)
    assert done.returncode == USAGE
    assert reason in done.stderr


def test_a_file_that_is_not_there():
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "records", "--on",
                        "native", "--arg", "name=a,op=eq,value=1",
                        "/nowhere.csv")
    assert done.returncode == FAILED and "/nowhere.csv" in done.stderr


def test_instructions_a_byte(tmp_path):
    """At most 12 on a board, the condition in the middle of the record."""
    chance = mesh.seeded("records cost")
    path = tmp_path / "people.csv"
    path.write_bytes(people(2000, chance))
    for arg in ("name=price,op=lt,value=100", "name=town,op=eq,value=Poznan",
                "name=name,op=contains,value=. 0.5,sum=n"):
        report = mesh.run(path, size="1x1", kernel="records", arg=arg)
        cost = (report["measured"]["makespan_ps"] / 32000
                / report["load"]["units"])
        print(f"{arg}: {cost:.2f} instructions a byte")
        assert cost <= 12
