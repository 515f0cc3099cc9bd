# SPDX-License-Identifier: Apache-2.0
"""The house's rules that a compiler sees; and the scripts of pages."""
import re
import subprocess

from core import BUILD
from guard import GUARD_S
from rules import C_FILES, FILES, HEADERS, ROOT, read

STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
          "-Werror", f"-I{ROOT}", "-fsyntax-only"]


def comes_first(header):
    """Whether its own .c file includes it before all else, so that the build
    tells whether it stands alone."""
    own = header[:-1] + "c"
    first = own in C_FILES and re.search(r'^\s*#\s*include\s*["<]([^">]+)',
                                         read(own), re.MULTILINE)
    return bool(first) and first[1] == header


def stand_alone(folder, names, compiler):
    """What the compiler says of headers that are included with nothing before
    them; twice, so that their guards work."""
    source, said = folder / "checked.c", []
    for name in names:
        source.write_text(f'#include "{name}"\n#include "{name}"\n'
                          "extern int not_empty;\n", encoding="utf-8")
        said.append(subprocess.run(
            [*compiler, *STRICT, f"-I{folder}", source], capture_output=True,
            text=True, check=False, timeout=GUARD_S).stderr)
    return "".join(said)


def test_headers_stand_alone(tmp_path):
    names = [name for name in HEADERS if not comes_first(name)]
    boards = [name for name in names
              if re.match(r"hal/(mps2|stm32)|boot/", name)]
    assert boards and len(names) > 30
    assert not stand_alone(tmp_path, sorted(set(names) - set(boards)),
                           ["gcc", "-D_GNU_SOURCE"])
    assert not stand_alone(tmp_path, boards, [
        "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"])
    (tmp_path / "bad.h").write_text("uint8_t x(void);\n", encoding="utf-8")
    assert "uint8_t" in stand_alone(tmp_path, ["bad.h"], ["gcc"])


def symbols(*objects):
    """Of each object (name, kind, section) of the global and static symbols."""
    listing = subprocess.run(["nm", "--format=sysv", *objects], check=True,
                             capture_output=True, text=True).stdout
    every = [[(row[0].strip(), row[2].strip(), row[6].strip())
              for row in (line.split("|") for line in part.splitlines())
              if len(row) == 7 and row[0].strip() != "Name"]
             for part in re.split(r"^.*ymbols from .*:$", listing,
                                  flags=re.M)[1:]]
    assert len(every) == len(objects)
    return every


def mutable(found):
    """Pointers that never change are data only until the program is loaded."""
    return [name for name, _, section in found if re.match(
        r"\.t?(data(?!\.rel\.ro)|bss)|\*COM\*", section)]


def test_no_mutable_data_and_one_symbol_of_a_kernel():
    """Of torus, scatter and kernels, whose code serves many nodes at once: in
    the objects of the host command."""
    names = [name for name in C_FILES
             if re.match(r"(torus|scatter|kernels)/.*\.c$", name)]
    assert len(names) > 40
    every = symbols(*(BUILD / "host" / (name[:-1] + "o") for name in names))
    for name, found in zip(names, every):
        assert not mutable(found), name
        stem = re.match(r"kernels/(.*)\.c$", name)
        if stem:
            assert [one for one, kind, _ in found if kind.isupper()
                    and kind != "U"] == [f"kernel_{stem[1]}"], name
            assert f'.name = "{stem[1]}"' in read(name), name


def test_the_check_of_mutable_data(tmp_path):
    source = tmp_path / "checked.c"
    for line, good in (
            ("int here = 1;", False), ("int here;", False),
            ("_Thread_local int here;", False),
            ("int f(void) { static int here; return ++here; }", False),
            ('const int a = 1; static const char *const b[] = {"c"};'
             "const char *f(int i) { return b[i]; }", True)):
        source.write_text(line + "\n", encoding="utf-8")
        out = tmp_path / "checked.o"
        subprocess.run(["gcc", "-std=c11", "-O2", "-fPIE", "-c", "-o", out,
                        source], check=True, timeout=GUARD_S)
        assert (mutable(symbols(out)[0]) == []) is good, line


def test_scripts_of_pages_can_be_read(tmp_path):
    """A page with a syntax error shows nothing at all."""
    scripts = [name for name in FILES if re.match(r"qemu/report/.*\.js$", name)]
    bad = tmp_path / "bad.js"
    bad.write_text("let a = (;\n")
    assert len(scripts) > 5
    for path, status in [*((ROOT / name, 0) for name in scripts), (bad, 1)]:
        done = subprocess.run(["node", "--check", path], capture_output=True,
                              text=True, check=False, timeout=GUARD_S)
        assert done.returncode == status, done.stderr
