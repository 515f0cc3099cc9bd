# SPDX-License-Identifier: Apache-2.0
"""Whole messages: each line of refusals.txt is what some row of the tables of
test/refused still brings, word for word. `make golden` takes a message of each
kind anew: two are of a kind that differ in options, quoted words, names of
files and numbers only."""
import os
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import golden
from core import BUILD, ROOT

REFUSED = ROOT / "test" / "refused"
sys.path.append(str(REFUSED))

import refused_files  # noqa: E402
import refused_table  # noqa: E402

WORKERS = 2
TABLES = sorted(REFUSED.glob("*.txt"))


def message(row, folder):
    for name, content in row.files.items():
        (folder / name).write_bytes(content)
    done = refused_table.started(row, BUILD / row.program, folder)
    for name in row.files:
        (folder / name).unlink()
    text = golden.marked(done.stderr.replace(str(folder), "."))
    return re.sub(r"(\S\S??)\1{30,}", r"\1..", text)


def messages(tmp_path):
    """Of all rows that are refused, in their order."""
    rows = [row for table in TABLES for row in refused_table.rows_of(table)
            if row.status != 0]

    def share(number):
        folder = pathlib.Path(tmp_path / str(number))
        folder.mkdir()
        refused_files.make(folder)
        return [message(row, folder) for row in rows[number::WORKERS]]

    with ThreadPoolExecutor(WORKERS) as pool:
        shares = list(pool.map(share, range(WORKERS)))
    return [shares[i % WORKERS][i // WORKERS] for i in range(len(rows))]


def kind(text):
    return re.sub(r"\d+|'[^']*'|is [^;]*; must|--?\w[\w-]*|\w+: |\w+\.\w+",
                  "", text)


def test_whole_messages(tmp_path):
    said = messages(tmp_path)
    path = golden.HERE / "refusals.txt"
    if os.environ.get("QUINCUNX_GOLDEN") == "write":
        first = {}
        for text in said:
            first.setdefault(kind(text), text)
        lines = dict.fromkeys("".join(first.values()).splitlines())
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = {line for text in said for line in text.splitlines()}
    lost = [line for line in path.read_text(encoding="utf-8").splitlines()
            if line not in lines]
    assert not lost, "no row brings\n" + "\n".join(lost)
