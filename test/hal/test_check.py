# SPDX-License-Identifier: Apache-2.0
"""Assertions of the firmware, hal/check.h: their files' names, and what they do
in a program that is no node. What nodes do: test_launcher.py (windows, native),
test_chip.py (serial lines), test_nodes.py (what the host prints). And that no
header lets a failure be ignored, hal/nodiscard.h."""
import re
import signal
import subprocess

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


FAILS = """#define CHECK_FILE {name}
static void f{number}(int fails)
{{
#line {line} "anything.c"
    ASSERT(!fails);
}}
#undef CHECK_FILE
"""


def test_a_program_that_is_no_node_aborts(tmp_path):
    """Its n-th function asserts in this file and line; without a number
    nothing fails, and it says what is no file."""
    places = [(name, line) for name in sorted(checks.files())
              for line in (1, 1234, 2047)]
    calls = "".join(f"    f{n}(which == {n});\n" for n in range(len(places)))
    source = tmp_path / "a.c"
    source.write_text(
        '#include "hal/check.h"\n#include <stdio.h>\n#include <stdlib.h>\n'
        + "".join(FAILS.format(name=name, line=line, number=n)
                  for n, (name, line) in enumerate(places))
        + "int main(int argc, char **argv)\n{\n"
        "    int which = argc == 2 ? atoi(argv[1]) : -1;\n" + calls
        + "    puts(check_path(0xffff));\n    return 7;\n}\n")
    subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         f"-I{ROOT}", source, ROOT / "hal" / "check.c", "-o",
         tmp_path / "a"], check=True)
    done = subprocess.run([tmp_path / "a"], stdout=subprocess.PIPE,
                          check=False)
    assert (done.returncode, done.stdout) == (7, b"?\n")
    for number, (name, line) in enumerate(places):
        done = subprocess.run([tmp_path / "a", str(number)], text=True,
                              capture_output=True, check=False)
        assert done.returncode == -signal.SIGABRT
        assert done.stderr == (f"{checks.files()[name]}:{line}: "
                               "assertion failed\n")


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
