# SPDX-License-Identifier: Apache-2.0
"""Kernel records on tables as people have them: the field's files with what is
right, and tables drawn by chance against Python's csv and Decimal."""
import csv
import decimal
import io
import json
import operator
import pathlib

import pytest

import mesh

FIELD = pathlib.Path(__file__).with_name("field")
decimal.getcontext().prec = 200


def run(*words, arg, size="2x2", files=(), hexed=False):
    return mesh.command("run", "--json", "--mesh", size, "--on", "native",
                        "--kernel", "records",
                        "--arg-hex" if hexed else "--arg",
                        arg.hex() if hexed else arg, *words, *files)


def told(*words, arg, files, **options):
    """(result, notes) of a run; numbers as decimals."""
    done = run(*words, arg=arg, files=files, **options)
    assert done.returncode == 0, (arg, files, done.stderr)
    result = json.loads(done.stdout)["result"]
    for name in ("sum", "min", "max"):
        if name in result:
            result[name] = decimal.Decimal(result[name][0])
    return result, json.loads(done.stdout).get("remarks", "")


# files, --arg, count, sum or None
ROWS = [
    ("csv_bom_quoted.csv", "name=price,op=ge,value=1", 2, 3),
    ("csv_bom_quoted_comma.csv", "name=price\\, EUR,op=ge,value=15", 1, 20),
    ("csv_utf16.csv", "name=id,op=ge,value=1,sum=x", 2, 7),
    ("csv_cr_only.csv", "name=id,op=ge,value=1,sum=x", 2, 7),
    ("csv_bom_plain.csv csv_nobom2.csv", "name=price,op=ge,value=15", 2, 50),
    ("csv_nobom2.csv csv_quotedhdr2.csv", "name=price,op=ge,value=15", 2, 60),
    ("csv_thousands.csv", "name=people,op=ge,value=1000", 2, 12001234),
    ("csv_thousands.csv", "name=people,op=ge,value=1000,thousands=,", 2,
     12001234),
    ("csv_decimal_comma.csv", "name=t,op=ge,value=2,sep=;", 1, "2.25"),
    ("csv_decimal_comma.csv", "name=t,op=ge,value=1\\,6,sep=;,decimal=,", 1,
     "2.25"),
    ("csv_spaces.csv", "name=price,op=ge,value=2", 2, 32),
    ("csv_spaces_right.csv", "name=price,op=ge,value=2", 2, 32),
    ("csv_double17.csv", "name=x,op=gt,value=0", 2, "123.75678901234567004"),
    ("csv_exponent.csv", "name=x,op=gt,value=1", 2, 100007),
    ("csv_exponent.csv", "name=x,op=gt,value=1e1", 1, 100000),
    ("csv_inf.csv", "name=x,op=gt,value=1,sum=y", 1, 2),
    ("csv_hex.csv", "name=x,op=gt,value=1,sum=y", 2, 3),
    ("csv_empty_cell.csv", "name=a,op=ge,value=1", 2, 4),
    ("csv_sumcol_empty.csv", "name=a,op=eq,value=x,sum=b", 2, 2),
    ("csv_ragged_short.csv", "name=a,op=ge,value=1", 2, 4),
    ("csv_ragged_short.csv", "name=a,op=ge,value=1,sum=c", 2, 5),
    ("csv_fallback.csv", "name=x,op=ge,value= 10", 1, 30),
    ("csv_fallback.csv", "name=x,op=lt,value= -10", 0, None),
    ("csv_sep_hint.csv", "name=price,op=ge,value=1,sep=;", 2, 3),
    ("csv_sep_hint.csv", "name=price,op=ge,value=1", 2, 3),
    ("csv_backslash_escape.csv", "name=x,op=ge,value=1", 2, 6),
    ("csv_backslash_escape.csv",
     'name=id,op=eq,value=a "q" b,sum=x,escape=\\\\', 1, 2),
    ("csv_single_quote.csv", "name=x,op=ge,value=1", 2, 6),
    ("csv_single_quote.csv", "name=id,op=eq,value=a\\,b,sum=x,quote='", 1, 2),
    ("csv_tab.tsv", "name=x,op=ge,value=1", 2, 6),
    ("csv_case.TSV", "name=x,op=ge,value=1", 2, 6),
    ("csv_case.Tsv", "name=x,op=ge,value=1", 2, 6),
    ("csv_case.tsv", "name=#2,op=ge,value=1", 2, 6),
    ("csv_case.txt", "name=x,op=ge,value=1,sep=tab", 2, 6),
    ("csv_header_only.csv", "name=x,op=ge,value=1", 0, None),
    ("csv_blank_lines.csv", "name=id,op=ge,value=1,sum=x", 2, 7),
    ("csv_bom_plain.csv csv_bom_plain2.csv", "name=price,op=ge,value=15", 2,
     50),
    ("csv_bool.csv", "name=ok,op=eq,value=True,sum=x", 1, 2),
    ("csv_date.csv", "name=d,op=lt,value=2024-02-01,sum=x,type=text", 1, 2),
    ("csv_dup_header_other.csv", "name=id,op=ge,value=2", 1, 4),
    ("csv_embedded_nl.csv", "name=x,op=ge,value=1", 2, 6),
    ("csv_latin1.csv", b"name=stadt,op=eq,value=K\xf6ln,sum=x", 1, 2),
    ("csv_latin1_col.csv", b"name=stra\xdfe,op=eq,value=A,sum=x", 1, 2),
    ("csv_no_final_nl.csv", "name=x,op=ge,value=1", 2, 6),
    ("csv_nul.csv", "name=x,op=ge,value=1", 3, 14),
    ("csv_numforms.csv", "name=v,op=ge,value=0", 5, "22.5"),
    ("csv_one_col_blank.csv", "name=x,op=ge,value=1", 2, 4),
    ("csv_one_col_quoted_empty.csv", "name=x,op=eq,value=,type=text", 1, None),
    ("csv_pipe.csv", "sep=|,name=x,op=ge,value=1", 2, 6),
    ("csv_plain.csv.gz", "name=x,op=ge,value=1", 2, 6),
    ("csv_trailing_delim.csv", "name=b,op=ge,value=2", 2, 6),
    ("csv_upper.csv", "name=X,op=ge,value=1", 2, 6)]


def test_every_table_of_the_field_has_a_row():
    assert {p.name for p in FIELD.glob("csv_*")} == {
        name for names, *_ in ROWS for name in names.split()}


@pytest.mark.parametrize("part", range(2))
def test_tables_of_the_field(part):
    for names, arg, count, total in ROWS[part::2]:
        result, _ = told(arg=arg, files=[FIELD / n for n in names.split()],
                         hexed=isinstance(arg, bytes))
        assert result["count"] == count, (names, arg)
        assert result.get("sum") == (
            None if total is None else decimal.Decimal(total)), (names, arg)


# ---- what else there is ----

# Bytes, --arg, count, sum, words of the notes.
FORMS = [
    (b"", "name=x,op=ge,value=1", 0, None, ""),
    (b"\n\r\n", "sum=x", 0, None, ""),
    (b"x\n-\nNA\nNaN\nNULL\n\n5\nn/a\n-inf\n7\n", "name=x,op=ne,value=6", 2,
     12,
     "6 cells without a number, the first on line 2 ('-')"),
    (b"x,y\n1,2\n3,4\n", "sum=2", 2, 6, ""),
    (b"x,2\n1,2\n3,5\n", "sum=2", 2, 7, ""),
    (b"1,2\n3,4\n", "sum=#2,header=no", 2, 6, ""),
    (b"made by\nme\nx,y\n1,2\n", "sum=y,skip=2", 1, 2, ""),
    (b"# made\n# by me\nx,y\n1,2\n# end\n3,4\n", "sum=y", 2, 6,
     "3 lines of comment"),
    (b";a\nx,y\n1,2\n;b,c\n3,4\n", "sum=y,comment=;", 2, 6,
     "2 lines of comment"),
    (b"x y\na 1 2\nb 3 4\n", "sum=y,sep= ", 2, 6,
     "the first of each is the row's name"),
    (b"a,b\n1,2,3\n4,5\n", "sum=b", 2, 7, "1 rows have more or fewer cells"),
    (b'"a", "b"\n"x,y", "2"\n"z", "4"\n', "sum=b", 2, 6, "blanks around"),
    (b"a,b\n'x','2'\n'y','4'\n", "sum=b", 2, 6, "' encloses"),
    (b'a,b\n"x \\"y\\", z",2\n', 'name=a,op=eq,value=x "y"\\, z,sum=b', 1, 2,
     "a backslash escapes"),
    (b"a|b\nx\\|y|2\n", "name=a,op=eq,value=x|y,sep=|,escape=\\\\,sum=b", 1, 2,
     ""),
    (b'a\tb\n"x\t2\n', "sum=b,sep=tab,quote=none", 1, 2, ""),
    (b"a;b\n1.234,5;1\n2,25;2\n", "name=a,op=gt,value=3,sep=;", 1, "1234.50",
     "a comma is the decimal mark"),
    (b"a;b\n1.234.567;1\n89;2\n", "sum=a,sep=;", 2, 1234656,
     "points are marks of thousands"),
    (b"a\n1 234\n5\n", "sum=a,thousands= ", 2, 1239, ""),
    (b"a\n12345678901234567890123456789012345678\n1\n", "sum=a", 2,
     "12345678901234567890123456789012345679", ""),
    (b"a\n99999999999999999999999999999999999999\n-1e-3\n", "sum=a", 2,
     "99999999999999999999999999999999999998.999", ""),
    (b"a\n-5\n-123456789012345678901\n3\n",
     "name=a,op=le,value=-5", 2, "-123456789012345678906", ""),
    (b"a\n0x10\n0XfF\n", "sum=a", 2, 271, ""),
    (b"a,b\n1,x\n2,y\n3,x\n", "name=a,op=ge,value=1,and,name=b,op=eq,value=x,"
     "and,name=a,op=lt,value=3,sum=a", 1, 1, ""),
    (b"a,b\n\0,1\nx\0y,2\n", "by=a,sum=b", 2, None, 'x y\\",1,2,2.000000,2,2'),
    (b"\xef\xbb\xbfa,b\r1,2\r", "sum=b", 1, 2, "carriage returns"),
    ("a,b\n1,2\n".encode("utf-16"), "sum=b", 1, 2, "UTF-16"),
    (b'a,b\nx ,1\n x,2\n"x ",3\n', "name=a,op=eq,value=x,sum=b", 2, 3, ""),
    (b'a,b\n "x, y" ,1\n "x" y,2\n', 'name=a,op=eq,value="x" y,sum=b', 1, 2,
     "blanks around"),
    (b"a;b\n0,123;1\n0,877;2\n", "sum=a,sep=;", 2, 1,
     "a comma is the decimal mark"),
    ("a\n1\u202f234\n5\xa0678\n1'000\n2\u2019000,5\n".encode(),
     "sum=a,sep=;", 4, "9912.5", ""),
    (b"a,b\nK\xf6ln,1\n", "name=a,op=eq,value=K\xf6ln,sum=b", 0, None,
     "was compared as UTF-8"),
    (b"a,b\nNA,1\nx,2\n", "name=a,op=eq,value=NA,sum=b", 1, 1, "")]


def test_other_forms(tmp_path):
    path = tmp_path / "t.csv"
    for table, arg, count, total, note in FORMS:
        path.write_bytes(table)
        done = run(arg=arg, files=[path])
        assert done.returncode == 0, (table, arg, done.stderr)
        result = json.loads(done.stdout)["result"]
        assert result["count"] == count, (table, arg)
        if total is not None:
            assert decimal.Decimal(result["sum"][0]) == decimal.Decimal(total)
        else:
            assert "sum" not in result
        assert note in done.stdout, (table, arg, done.stdout)


# ---- tables by chance ----

WORDS = ["x", "y, z", 'q"q', "", "two\nlines", "-"]
OPERATORS = {"lt": operator.lt, "le": operator.le, "eq": operator.eq,
             "ne": operator.ne, "ge": operator.ge, "gt": operator.gt}
MISSING = ["", "NA", "nan", "-"]


def number(chance, digits):
    """A number's text, of any form, and its value; or of a missing one."""
    if chance.random() < .1:
        return chance.choice(MISSING), None
    value = decimal.Decimal(chance.randrange(-10 ** digits, 10 ** digits))
    value = value.scaleb(-chance.randrange(0, 9))
    text = chance.choice(["{:f}", "{:E}", " {:f}", "{:f}  "]).format(value)
    return text, value


def drawn(chance):
    """(rows of texts, rows of values) of a table: word, two numbers, more."""
    digits = chance.choice([2, 9, 17, 30])
    texts, values = [], []
    for _ in range(chance.randrange(0, 60)):
        word = chance.choice(WORDS)
        (a, first), (b, second) = (number(chance, digits) for _ in range(2))
        texts.append([word, a, b, "more"][:chance.choice([4, 4, 4, 4, 2])])
        values.append((word, first, second if len(texts[-1]) > 2 else None))
    return texts, values


def written(texts):
    """The table's rows as bytes, the header row first."""
    lines = []
    for row in [["w", "a", "b", "c"], *texts]:
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerow(row)
        lines.append(out.getvalue().encode())
    return lines


def some_conditions(chance):
    found = []
    for _ in range(chance.randrange(0, 4)):
        column = chance.randrange(0, 3)
        if column == 0:
            found.append((0, chance.choice(["eq", "ne"]),
                          chance.choice(WORDS)))
        else:
            value = decimal.Decimal(chance.randrange(-99, 99))
            found.append((column, chance.choice(list(OPERATORS)),
                          value.scaleb(chance.choice([-3, 0, 12]))))
    return found


def condition(column, op, value):
    text = value if column == 0 else f"{value:f}"
    text = text.replace("\\", "\\\\").replace(",", "\\,")
    return (f"name={'wab'[column]},op={op},value={text},"
            f"type={'text' if column == 0 else 'number'}")


def test_tables_by_chance(tmp_path):
    chance = mesh.seeded("tables")
    path, out = tmp_path / "t.csv", tmp_path / "rows.csv"
    for _ in range(60):
        texts, values = drawn(chance)
        lines = written(texts)
        path.write_bytes(b"".join(lines))
        conditions = some_conditions(chance)
        arg = ",and,".join(condition(*c) for c in conditions)
        chosen = [all(row[c] is not None and OPERATORS[op](row[c], value)
                      for c, op, value in conditions) for row in values]
        summed = [row[2] for row, good in zip(values, chosen)
                  if good and row[2] is not None]
        result, _ = told("-o", out, size="3x3", files=[path],
                         arg=",".join(filter(None, [arg, "sum=b"])))
        assert result["count"] == sum(chosen), (arg, lines)
        if summed:
            assert result["sum"] == sum(summed), (arg, lines)
            assert result["min"] == min(summed)
            assert result["max"] == max(summed)
        rows = [line for line, good in zip(lines[1:], chosen) if good]
        assert out.read_bytes() == b"".join([lines[0], *rows]), (arg, lines)


def places(value):
    """The decimals of a number as it is written."""
    return max(0, -value.as_tuple().exponent)


def fixed(value, decimals):
    """The text of a number with so many decimals; half to even."""
    value = value.quantize(decimal.Decimal(1).scaleb(-decimals),
                           decimal.ROUND_HALF_EVEN)
    return f"{abs(value) if value == 0 else value:f}"


def mean(values, decimals):
    """The mean, with six decimals more than the values."""
    return fixed(sum(values) / len(values), decimals + 6)


def test_groups_by_chance(tmp_path):
    chance = mesh.seeded("groups")
    path = tmp_path / "t.csv"
    for i in range(25):
        texts, values = drawn(chance)
        path.write_bytes(b"".join(written(texts)))
        bound = decimal.Decimal(chance.randrange(-9, 9))
        chosen = [row for row in values
                  if row[1] is not None and row[1] > bound]
        result, _ = told(arg=f"by=w,name=a,op=gt,value={bound},sum=b",
                         size="3x3", files=[path])
        head, *lines = result["groups"]
        assert head == "group,count,sum,mean,min,max"
        names = sorted({row[0] for row in values}, key=str.encode)
        got = list(csv.reader(lines))
        assert [g[0] for g in got] == [n.replace("\n", " ") for n in names], i
        decimals = max((places(row[2]) for row in values
                        if row[2] is not None), default=0)
        for name, (_, count, *numbers) in zip(names, got):
            rows = [row for row in chosen if row[0] == name]
            summed = [row[2] for row in rows if row[2] is not None]
            assert int(count) == len(rows)
            assert numbers == ([""] * 4 if not summed else [
                fixed(sum(summed), decimals), mean(summed, decimals),
                fixed(min(summed), decimals), fixed(max(summed), decimals)])
        assert result["count"] == len(chosen)


def test_many_groups(tmp_path):
    """As many as a result holds; one more is refused with both limits."""
    path = tmp_path / "t.csv"
    for groups, status in ((585, 0), (586, 1)):
        path.write_text("g,v\n" + "".join(
            f"{i},{i}\n" for i in range(groups)))
        done = run(arg="by=g,sum=v", files=[path], size="3x3")
        assert done.returncode == status, done.stderr
    assert "over 585 values" in done.stderr and "219 groups" in done.stderr
    assert "16384 bytes" in done.stderr and "6144" in done.stderr


# ---- bad input ----

def test_tables_cut_short(tmp_path):
    """Each is refused by file and line, or right for the records that are
    left; no output is left behind by a refusal."""
    chance = mesh.seeded("cut")
    lines = written([[chance.choice(WORDS), f"{i}.5", "NA", "1"]
                     for i in range(120)])
    whole = b"".join(lines)
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        done = run("-o", out, arg="name=#2,op=ge,value=0", files=[path])
        if done.returncode == 0:
            rows = list(csv.reader(io.StringIO(whole[:size].decode(),
                                               newline="")))[1:]
            count = sum(len(r) > 1 and r[1] != "" for r in rows)
            assert json.loads(done.stdout)["result"]["count"] == count
        else:
            assert done.returncode == 1 and not out.exists()
            assert f"quincunx: {path}: line " in done.stderr
        out.unlink(missing_ok=True)


def test_hostile_tables(tmp_path):
    """Endless quotes, exponents beyond all memory, wide rows, deep nonsense:
    refused within seconds, with a limit that is named."""
    path = tmp_path / "t.csv"
    for table, words in [
            (b'a\n"' + b"x\n" * 2 ** 20, "over 1048576 bytes"),
            (b"a\n1e999999999999\n", "together at most 180"),
            (b"a\n1e-99999\n", "together at most 180"),
            (b"a\n" + b"9" * 1000 + b"\n", "together at most 180"),
            (b"#\n" * 20_000, "no column 'a'"),
            (b"b," * 70_000 + b"a\n1\n", "over 65535 columns"),
            (b"a\n" + bytes(range(128, 256)) + b"\n", "not ASCII"),
            (b"a\nx\n", "line 2: column 'a': 'x' is no decimal number")]:
        path.write_bytes(table)
        done = run(arg="sum=a", files=[path])
        assert done.returncode == 1, (table[:20], done.stderr)
        assert f"quincunx: {path}: " in done.stderr
        assert words in done.stderr, (table[:20], done.stderr)


def test_the_header_is_that_of_the_first_table_that_is_not_empty(tmp_path):
    (tmp_path / "empty.csv").touch()
    (tmp_path / "table.csv").write_bytes(b"a,b\n1,10\n")
    files = [tmp_path / name for name in
             ("empty.csv", "table.csv", "empty.csv", "table.csv")]
    done = run("-o", tmp_path / "out.csv", arg="name=a,op=ge,value=1",
               files=files)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_bytes() == b"a,b\n1,10\n1,10\n"


# Tables, --arg, the output of both, words of the notes.
SEVERAL = [
    (b"a\r\n1", b"a\r\n2\r\n", "name=a,op=ge,value=1",
     b"a\r\n1\r\n2\r\n", ""),
    (b"a b\nr 1 2\ns 3 4\n", b"a b\n5 6\n", "name=b,op=ge,value=4,sep= ",
     b"a b\ns 3 4\n5 6\n", "1.csv: its rows have one cell more"),
    (b"a;b\n5;1\n", b"a;b\n1,5;1\n", "name=a,op=ge,value=1,sep=;",
     b"a;b\n5;1\n1,5;1\n", "2.csv: column 'a': a comma is the decimal mark")]


@pytest.mark.parametrize("one, other, arg, rows, note", SEVERAL)
def test_tables_of_two_kinds_are_joined(tmp_path, one, other, arg, rows, note):
    (tmp_path / "1.csv").write_bytes(one)
    (tmp_path / "2.csv").write_bytes(other)
    _, notes = told("-o", tmp_path / "out.csv", arg=arg,
                    files=[tmp_path / "1.csv", tmp_path / "2.csv"])
    assert (tmp_path / "out.csv").read_bytes() == rows
    assert note in " ".join(notes)


@pytest.mark.parametrize("value, kind, count", [
    ("1e2", "", 1), ("1e2", ",type=number", 3), ("0x64", "", 0),
    ("100", "", 3)])
def test_a_value_that_may_be_a_number_or_a_code(tmp_path, value, kind, count):
    """100 is one, whatever a cell looks like; of a code a remark tells."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"v\n100\n100.0\n1e2\n5\n")
    result, remarks = told(arg=f"name=v,op=eq,value={value}{kind}",
                           files=[path])
    assert result["count"] == count
    assert any("as it may be a code" in remark for remark in remarks) == (
        value != "100" and not kind)
