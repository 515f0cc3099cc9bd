# SPDX-License-Identifier: Apache-2.0
"""Writes what the first run prints into README.md, in place of what it printed
before, and beside the pictures of which release they are.

usage: first_run.py OUTPUT RELEASE
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# From the line that `make run` prints first to the files that it names last.
BLOCK = re.compile(r"(?<=^    \$ make run\n)(    running .*\n)(?:.*\n)*?"
                   r"(?=    report    build/report.json$)", re.MULTILINE)
# Times of the host, which differ each time.
HOST = re.compile(r"^    host .*\n", re.MULTILINE)


def renewed(readme, output):
    """The page with this output, up to the files that the run wrote; as it is,
    if only times of the host differ."""
    lines = re.split(r"^(?:report|page|gantt|trace) ", output,
                     flags=re.MULTILINE)[0].rstrip("\n").splitlines()
    block = "".join(f"    {line}".rstrip() + "\n" for line in [*lines, ""])
    text, count = BLOCK.subn(lambda found: found[1] + block, readme)
    if count != 1:
        sys.exit("README.md has no block of `make run'")
    return readme if HOST.sub("", text) == HOST.sub("", readme) else text


def main():
    output, release = sys.argv[1:]
    page = ROOT / "README.md"
    page.write_text(renewed(
        page.read_text(encoding="utf-8"),
        pathlib.Path(output).read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "qemu/pictures/release.txt").write_text(f"{release}\n")


if __name__ == "__main__":
    main()
