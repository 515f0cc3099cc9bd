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


ONE = """#define CHECK_FILE {name}
static void f{number}(int fails)
{{
#line {line} "anything.c"
    ASSERT(!fails);
}}
#undef CHECK_FILE
"""


def program(places):
    """A program whose n-th function asserts in this file and line; without a
    number it calls all of them, and nothing fails."""
    functions = [ONE.format(name=name, line=line, number=n)
                 for n, (name, line) in enumerate(places)]
    calls = "".join(f"    f{n}(which == {n});\n" for n in range(len(places)))
    return ('#include "hal/check.h"\n#include <stdlib.h>\n'
            + "".join(functions) + "int main(int argc, char **argv)\n{\n"
            "    int which = argc == 2 ? atoi(argv[1]) : -1;\n"
            + calls + "    return 7;\n}\n")


def compiled(folder, text, *more):
    (folder / "a.c").write_text(text)
    return subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         f"-I{ROOT}", folder / "a.c", *more, "-o", folder / "a"],
        capture_output=True, text=True, check=False)


def test_a_program_that_is_no_node_aborts(tmp_path):
    places = [(name, line) for name in sorted(checks.files())
              for line in (1, 1234, 2047)]
    done = compiled(tmp_path, program(places), ROOT / "hal" / "check.c")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 7
    for number, (name, line) in enumerate(places):
        done = subprocess.run([tmp_path / "a", str(number)], text=True,
                              capture_output=True, check=False)
        assert done.returncode == -signal.SIGABRT
        assert done.stderr == (f"{checks.files()[name]}:{line}: "
                               "assertion failed\n")


def test_a_line_that_has_no_bits_does_not_compile(tmp_path):
    done = compiled(tmp_path, program([("CHECK_WINDOW", 2048)]), "-c")
    assert done.returncode != 0 and "the line's bits" in done.stderr


def test_what_is_no_file_has_no_path(tmp_path):
    done = compiled(
        tmp_path, '#include "hal/check.h"\n#include <stdio.h>\n'
        "int main(void) { return puts(check_path(5)) < 0 || "
        "puts(check_path(0xffff)) < 0 || puts(check_path(0xffffffff)) < 0; }\n",
        ROOT / "hal" / "check.c")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "a"], capture_output=True, text=True,
                          check=True).stdout == "?\n?\n?\n"


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
