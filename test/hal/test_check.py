# SPDX-License-Identifier: Apache-2.0
"""Assertions of the firmware, hal/check.h: their files' names, and what they do
in a program that is no node. What nodes do: test_launcher.py (windows, native),
test_chip.py (serial lines), test_nodes.py (what the host prints). And that no
header lets a failure be ignored, hal/nodiscard.h."""
import re
import signal
import subprocess

import pytest

import checks
from core import ROOT

FOLDERS = ("boot", "hal", "torus", "scatter", "kernels", "qemu")


def asserting():
    """{path: (the names of its CHECK_FILE, its assertions)}"""
    found = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8")
            names = re.findall(r"^#define CHECK_FILE (\w+)$", text, re.M)
            uses = len(re.findall(r"^ +ASSERT\(", text, re.M))
            if names or uses:
                found[str(path.relative_to(ROOT))] = (names, uses)
    return found


def test_every_file_that_asserts_has_its_name():
    names = {name: path for path, (found, _) in asserting().items()
             for name in found}
    assert names == checks.files()
    for path, (found, uses) in asserting().items():
        assert len(found) == 1 and uses > 0, path


PROGRAM = """#include "hal/check.h"
#define CHECK_FILE {name}
int main(int argc, char **argv)
{{
    (void)argv;
#line {line} "anything.c"
    ASSERT(argc != 2);
    return 7;
}}
"""


@pytest.mark.parametrize("name, path", sorted(checks.files().items()))
@pytest.mark.parametrize("line", [1, 1234, 2047])
def test_a_program_that_is_no_node_aborts(tmp_path, name, path, line):
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.format(name=name, line=line))
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic",
                    "-Werror", f"-I{ROOT}", source, ROOT / "hal" / "check.c",
                    "-o", tmp_path / "a"], check=True, timeout=60)
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 7
    done = subprocess.run([tmp_path / "a", "x"], capture_output=True,
                          text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGABRT
    assert done.stderr == f"{path}:{line}: assertion failed\n"


def test_a_line_that_has_no_bits_does_not_compile(tmp_path):
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.format(name="CHECK_WINDOW", line=2048))
    done = subprocess.run(["gcc", "-std=c11", f"-I{ROOT}", "-c", source, "-o",
                           tmp_path / "a.o"], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode != 0 and "the line's bits" in done.stderr


def test_what_is_no_file_has_no_path(tmp_path):
    source = tmp_path / "a.c"
    source.write_text('#include "hal/check.h"\n#include <stdio.h>\n'
                      "int main(void) { return puts(check_path(5)) < 0 || "
                      "puts(check_path(0xffff)) < 0 || "
                      "puts(check_path(0xffffffff)) < 0; }\n")
    subprocess.run(["gcc", "-std=c11", f"-I{ROOT}", source,
                    ROOT / "hal" / "check.c", "-o", tmp_path / "a"],
                   check=True, timeout=60)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True,
                          check=True, timeout=60)
    assert done.stdout == "?\n?\n?\n"


# ---- results that are not ignored ----

# Their result is the failure that they told; or all that it says is counted.
ALWAYS_FAIL = {"parse_report", "parse_report_outside", "file_error",
               "board_options_fail", "ps_count"}


def without_nodiscard(text):
    """The functions of a header that return an int, and do not insist on it."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [name for name in re.findall(
        r"^(?:static inline )?int (\w+)\(", text, re.M)
        if name not in ALWAYS_FAIL]


def test_no_header_lets_a_failure_be_ignored():
    """An int is an error, an exit status or -1; torus/ and kernels/ include
    nothing."""
    found = {str(path.relative_to(ROOT)): without_nodiscard(
        path.read_text(encoding="utf-8"))
        for folder in FOLDERS if folder not in ("torus", "kernels")
        for path in (ROOT / folder).rglob("*.h")}
    assert len(found) > 100
    assert {path: names for path, names in found.items() if names} == {}


def test_the_check_of_results_finds():
    assert without_nodiscard(
        "/* int no(void); */\nNODISCARD int fine(void);\nvoid v(void);\n"
        "static inline int b(void)\n{\nint c(int d);\n") == ["b", "c"]
