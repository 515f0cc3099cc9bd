# SPDX-License-Identifier: Apache-2.0
"""What is refused: a row's exit status and words, nothing on standard output,
and no file that is new or another. refused_table.py tells what rows are.
"""
import pathlib

import pytest

import parts
import refused_table

TABLES = sorted(pathlib.Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_all_rows_are_refused_as_they_say(tmp_path, table):
    wrong = refused_table.judge(refused_table.rows_of(table), tmp_path)
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("step", parts.cases([10, 2], 1))
def test_nothing_is_leaked_or_overrun_meanwhile(tmp_path, step):
    """By the command with sanitizers, one line of a table in ten; in `make
    test-boards` one in two."""
    rows = [row for table in TABLES for row in refused_table.sanitized(
        refused_table.rows_of(table))][::step]
    wrong = refused_table.judge(rows, tmp_path, "test")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("script, told", [
    ("echo told: why >&2; exit 2", None),
    ("echo told: why >&2; exit 1", "status 1, not 2"),
    ("echo told: no >&2; exit 2", "standard error lacks 'why'"),
    ("echo it is why >&2; exit 2", "does not begin with the program's name"),
    ("yes told: why | head -9 >&2; exit 2", "9 lines of standard error"),
    ("echo told: why >&2; echo told: no >&2; exit 2", "two messages"),
    ("echo more; echo told: why >&2; exit 2", "standard output: 'more"),
    ("touch new; echo told: why >&2; exit 2", "left behind or changed: new"),
    ("echo >>load; echo told: why >&2; exit 2", "changed: load"),
    ("rm empty; echo told: why >&2; exit 2", "changed: empty"),
    ("echo 'told: why: runtime error' >&2; exit 2", "a sanitizer speaks")])
def test_a_row_that_does_not_hold_is_told(tmp_path, script, told):
    program = tmp_path / "told"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    table = tmp_path / "table.txt"
    table.write_text(f"program: {program}\nbase: any\n2 | | why\n")
    wrong = refused_table.judge(refused_table.rows_of(table), tmp_path)
    assert [told in one for one in wrong] == [True] * (told is not None)


def test_values_files_and_changes_of_a_row(tmp_path):
    table = tmp_path / "table.txt"
    table.write_text("base: run --a=1 --b=2 load\n"
                     "2 | --b={} without load X=1 < in | '{}' | always\n"
                     "    {} 3 '' | small\n    {} '(x*3)\\n'\n"
                     "    in: \\0{}\n")
    line = ["run", "--a=1"]
    assert [row[2:] for row in refused_table.rows_of(table)] == [
        (2, [*line, f"--b={value}", "X=1", "<", "in"],
         [f"'{value}'", "always", *words], {"in": b"\0" + value.encode()})
        for value, words in (("3", ["small"]), ("", ["small"]),
                             ("xxx\n", []))]
