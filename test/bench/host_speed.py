# SPDX-License-Identifier: Apache-2.0
"""How long the host command takes for large jobs, beside `grep -o` that finds
the same text in the same file. One after the other in turns: a ratio is that of
two neighbours, so a machine that is busy for a while slows both.

usage: host_speed.py [RUNS]"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import mesh  # noqa: E402

LOAD_BYTES = 256 * 10 ** 6
PATTERN = "free software"
RUNS = 7
ON = (("native, 5x5 nodes", "native", 3), ("25 boards", "qemu", 7))


def english(path):
    """The licenses that every Debian machine has, as often as it takes."""
    part = b"".join(p.read_bytes() for p in
                    sorted(pathlib.Path("/usr/share/common-licenses").iterdir())
                    if not p.is_symlink())
    with path.open("wb") as file:
        for _ in range(LOAD_BYTES // len(part)):
            file.write(part)
        file.write(part[:LOAD_BYTES % len(part)])


def grep(path):
    """The wall time, and how often the text is there."""
    start = time.monotonic()
    done = subprocess.run(["grep", "-o", PATTERN, path], check=True,
                          capture_output=True, timeout=300,
                          env={**os.environ, "LC_ALL": "C"})
    return time.monotonic() - start, done.stdout.count(b"\n")


def search(path, on, size="5x5"):
    """The same of a search on a mesh."""
    start = time.monotonic()
    done = mesh.command("run", "--json", "--mesh", size, "--on", on,
                        "--profile", "t3d", "--kernel", "search", "--arg",
                        PATTERN, path)
    wall_s = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"bench: a search failed:\n{done.stderr}")
    return wall_s, json.loads(done.stdout)["result"]["count"]


def spread(values, unit=""):
    """Least, median and greatest."""
    return " ".join(f"{value:.2f}" for value in
                    (min(values), statistics.median(values),
                     max(values))) + unit


def lines(table, folder, runs=RUNS):
    path = pathlib.Path(folder) / "english"
    english(path)
    grep(path)  # from now on the file is in memory
    walls = {"grep": []}
    for _ in range(runs):
        wall_s, found = grep(path)
        walls["grep"].append(wall_s)
        for name, on, _ in ON:
            wall_s, count = search(path, on)
            walls.setdefault(name, []).append(wall_s)
            if count != found:
                sys.exit(f"bench: {name}: {count} found, grep: {found}")
    table.line("search of 256 MB, wall: grep -o", None,
               spread(walls["grep"], " s"))
    for name, _, most in ON:
        ratios = [wall / own for wall, own in zip(walls[name], walls["grep"])]
        table.line(f"search of 256 MB, {name}: wall over grep's",
                   f"{most} at most", spread(ratios),
                   statistics.median(ratios) <= most)
    load = mesh.zeros(pathlib.Path(folder) / "zeros", 10 ** 6)
    large = []
    for _ in range(runs):
        start = time.monotonic()
        mesh.run(load, "--profile", "t3d", size="125x125", on="native",
                 arg="32")
        large.append(time.monotonic() - start)
    table.line("spin of 1 MB, 125x125 native nodes, wall", None,
               spread(large, " s"))


class Plain:
    """A table of lines that are read here and now."""

    def line(self, what, must, measured, met=True):
        print(f"{what:55} {must or '':16} {measured:>19}"
              f"  {'' if must is None else 'yes' if met else 'NO'}".rstrip(),
              flush=True)


def main(runs=RUNS):
    table = Plain()
    with tempfile.TemporaryDirectory() as folder:
        lines(table, folder, int(runs))


if __name__ == "__main__":
    main(*sys.argv[1:])
