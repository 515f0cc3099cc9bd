# SPDX-License-Identifier: Apache-2.0
"""The house's rules: who includes whom, what a source looks like."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("boot", "hal", "torus", "scatter", "kernels", "linker", "qemu",
           "test")
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
          "-Werror", f"-I{ROOT}"]

BOARDS = ("host", "mps2", "stm32f405")  # folders of hal/ that are one's

# What a folder's files may include of ours, as patterns; None: everything.
ARROWS = {
    "boot": None,
    "test": None,
    "torus": [r"torus/"],
    "hal": [r"hal/", r"torus/"],
    "kernels": [r"kernels/kernel\.h$"],
    "scatter": [r"scatter/", r"torus/", r"kernels/kernel\.h$",
                r"hal/(?!host|mps2|stm32)"],
    "qemu": [r"qemu/", r"torus/", r"scatter/", r"hal/",
             r"kernels/kernel\.h$"],
}


def listed():
    """Files that are tracked or would be, relative to the root."""
    done = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        names = [name for name in done.stdout.split("\0") if name]
    else:
        # Not a clone: everything but what .gitignore names.
        ignored = {"build", "__pycache__", ".pytest_cache", ".hypothesis"}
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [str(path) for path in paths
                 if not ignored & set(path.parts)]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


FILES = listed()
C_FILES = [name for name in FILES if name.endswith((".c", ".h"))]
HEADERS = [name for name in C_FILES if name.endswith(".h")]
MAKEFILES = [name for name in FILES
             if name == "Makefile" or name.endswith(".mk")]
SOURCES = MAKEFILES + [
    name for name in FILES if name == ".ci/run"
    or name.endswith((".c", ".h", ".S", ".s", ".ld", ".py"))]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def bare(text):
    """C without comments and without what is in quotes."""
    return re.sub(
        r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
        lambda found: " " + "\n" * found[0].count("\n"), text,
        flags=re.DOTALL)


def includes(text):
    """The quoted includes outside comments."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)


def forbidden(name, target):
    """Why the file may not include the target; None if it may."""
    folder = name.split("/")[0]
    allowed = ARROWS[folder]
    if target.split("/")[0] not in FOLDERS:
        return "not a path from the root"
    if allowed is not None and not any(
            re.match(pattern, target) for pattern in allowed):
        return f"{folder} must not know of it"
    if folder == "hal" and target.startswith("hal/"):
        # What is not a board's serves every board; a board knows only itself.
        own, other = name.split("/")[1], target.split("/")[1]
        if other in BOARDS and own != other:
            return "one board's"
    return None


def test_there_is_something_to_check():
    assert C_FILES and HEADERS
    assert {name.split("/")[0] for name in C_FILES} >= {
        "hal", "torus", "scatter", "kernels", "test"}


def test_includes_follow_the_arrows():
    assert not [f"{name} includes {target}: {why}" for name in C_FILES
                for target in includes(read(name))
                if (why := forbidden(name, target))]


@pytest.mark.parametrize("name, target", [
    ("torus/torus.c", "hal/err.h"), ("torus/torus.c", "scatter/plan/split.h"),
    ("hal/window/window.c", "scatter/wire/wire.h"),
    ("hal/window/window.c", "kernels/kernel.h"),
    ("hal/window/window.c", "hal/mps2/registers.h"),
    ("hal/host/clock.c", "hal/mps2/registers.h"),
    ("kernels/spin.c", "hal/bytes.h"), ("kernels/spin.c", "kernels/spin.h"),
    ("kernels/spin.c", "torus/torus.h"), ("scatter/wire/wire.c", "boot/node.h"),
    ("scatter/wire/wire.c", "hal/host/clock.h"),
    ("scatter/wire/wire.c", "qemu/job/job.h"),
    ("scatter/wire/wire.c", "kernels/search.c"),
    ("qemu/job/job.c", "boot/node.h"),
    ("qemu/job/job.c", "kernels/search.c"),
    ("qemu/job/job.c", "test/unit/unit.h"), ("scatter/wire/wire.c", "wire.h")])
def test_the_check_of_arrows_finds(name, target):
    assert forbidden(name, target)


def test_the_check_of_arrows_reads_quoted_includes_only():
    assert includes('#include <a.h>\n  # include "b/c.h"\n'
                    '/* #include "d.h" */\n#include "e.h" /* "f.h" */\n'
                    ) == ["b/c.h", "e.h"]


def unsorted(text):
    """Runs of quoted includes, line after line, that are not in order."""
    runs = re.findall(r'(?:^#include "[^"\n]+"\n)+', text, re.MULTILINE)
    return [run for run in map(str.splitlines, runs)
            if run != sorted(set(run))]


def test_includes_are_sorted_and_there_once():
    assert not [name for name in C_FILES if unsorted(read(name))]
    assert unsorted('#include "b.h"\n#include "a.h"\n')
    assert unsorted('#include "a.h"\n#include "a.h"\n')
    assert not unsorted('#include "b.h"\n\n#include "a.h"\n')


def test_no_floating_point():
    assert not [name for name in C_FILES
                if name.startswith(("boot/", "hal/", "torus/", "scatter/"))
                and re.search(r"\b(?:float|double)\b", bare(read(name)))]


def has_license(name):
    lines = read(name).splitlines()
    first = lines[1] if lines[0].startswith("#!") else lines[0]
    tag = "SPDX-License-Identifier: Apache-2.0"
    return first in (f"/* {tag} */", f"# {tag}")


def test_license_comes_first():
    assert not [name for name in SOURCES if not has_license(name)]


def has_guard(name):
    guard = re.sub(r"[^A-Z0-9]", "_", name.upper())
    return re.match(
        rf"\s*#ifndef {guard}\n#define {guard}\n.*\n#endif\s*\Z",
        bare(read(name)), re.DOTALL)


def test_guards_are_named_after_the_path():
    assert not [name for name in HEADERS if not has_guard(name)]


def alone(folder, names, compiler):
    """What the compiler says of headers that are included with nothing before
    them; twice, so that their guards work."""
    said = []
    for name in names:
        source = folder / f"{name.replace('/', '.')}.c"
        source.write_text(f'#include "{name}"\n#include "{name}"\n'
                          "extern int not_empty;\n", encoding="utf-8")
        done = subprocess.run([*compiler, *STRICT, "-fsyntax-only", source],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said.append(done.stderr)
    return said


BOARDS_HEADERS = [name for name in HEADERS
                  if re.match(r"hal/(mps2|stm32)|boot/", name)]


@pytest.mark.parametrize("compiler, names", [
    (["gcc", "-D_GNU_SOURCE"], sorted(set(HEADERS) - set(BOARDS_HEADERS))),
    (["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"], BOARDS_HEADERS)],
    ids=["host", "boards"])
def test_headers_stand_alone(compiler, names, tmp_path):
    assert names
    said = alone(tmp_path, names, compiler)
    assert not said, "\n".join(said)


def mutable_symbols(source, folder, include=ROOT):
    """Names of what the object of a C file could change."""
    out = folder / "checked.o"
    subprocess.run(["gcc", "-std=c11", "-O1", "-fno-pic", "-fno-common",
                    f"-I{include}", "-c", "-o", out, source], check=True)
    listing = subprocess.run(["nm", out], capture_output=True, text=True,
                             check=True).stdout
    return [line.split()[-1] for line in listing.splitlines()
            if line.split()[-2] in "bBdDCsSgG"]


def test_no_mutable_data(tmp_path):
    assert not [f"{name}: {found}" for name in C_FILES
                if name.startswith(("torus/", "scatter/", "kernels/"))
                and name.endswith(".c")
                and (found := mutable_symbols(ROOT / name, tmp_path))]


@pytest.mark.parametrize("line", [
    "int here = 1;", "static int here; int *f(void) { return &here; }",
    "int here;", "_Thread_local int here;",
    "int f(void) { static int here; return ++here; }"])
def test_the_check_of_mutable_data_finds(line, tmp_path):
    source = tmp_path / "bad.c"
    source.write_text(line + "\n", encoding="utf-8")
    assert mutable_symbols(source, tmp_path)


def test_the_check_of_mutable_data_lets_constants_pass(tmp_path):
    source = tmp_path / "good.c"
    source.write_text("const int a = 1; static const char *const b[] = {\"c\"};"
                      "const char *f(int i) { return b[i]; }\n",
                      encoding="utf-8")
    assert not mutable_symbols(source, tmp_path)


def test_kernels_define_their_own_name_and_nothing_else(tmp_path):
    out = tmp_path / "kernel.o"
    for name in C_FILES:
        if not name.startswith("kernels/") or not name.endswith(".c"):
            continue
        subprocess.run(["gcc", "-std=c11", "-O1", "-fno-pic", f"-I{ROOT}",
                        "-c", "-o", out, ROOT / name], check=True)
        listing = subprocess.run(["nm", "-g", "--defined-only", out],
                                 text=True, capture_output=True,
                                 check=True).stdout
        stem = pathlib.Path(name).stem
        assert [line.split()[-1] for line in listing.splitlines()] == [
            f"kernel_{stem}"], name
        assert re.search(rf'\.name = "{stem}"', read(name)), name


def test_kernels_are_single_files():
    others = [name for name in FILES if name.startswith("kernels/")
              and not re.fullmatch(
                  r"kernels/(kernel\.h|kernels\.mk|[a-z0-9_]+\.c|"
                  r"README\.md|skeleton/.*\.in)", name)]
    assert not others


def test_top_level_is_the_given_one():
    folders = {name.split("/")[0] for name in FILES if "/" in name}
    assert folders <= set(FOLDERS) | {".ci"}
    assert "Makefile" in FILES


def test_nothing_is_left_to_do():
    marks = "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3))
    assert not [name for name in SOURCES
                if re.search(rf"\b(?:{marks})\b", read(name))]


def test_lines_are_short_and_clean():
    assert not [f"{name}:{number}: {line}" for name in SOURCES
                for number, line in enumerate(read(name).splitlines(), 1)
                if len(line) > 80 or line != line.rstrip()
                or "\t" in line and name.endswith((".c", ".h", ".py"))]
    assert not [name for name in SOURCES if not read(name).endswith("\n")]


def test_ci_runs_the_tests():
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    lines = read(".ci/run").splitlines()
    for target in ("make test ", "make test-boards "):
        assert any(line.startswith(target) for line in lines)
    assert lines[-1] == 'exit "$status"'
