# SPDX-License-Identifier: Apache-2.0
"""`make install` and `make uninstall`: what lies where, whether the installed
command works by itself, and whether manual pages and completions say what the
help says."""
import os
import re
import shutil
import subprocess

import pytest

import core
import mesh
from guard import GUARD_S

PREFIX = "/usr"


def make(target, folder):
    """Without the flags of a make that runs this test."""
    env = mesh.with_path("/usr/bin", "/bin", "/usr/local/bin")
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    return subprocess.run(
        ["make", "-s", target, f"DESTDIR={folder}", f"PREFIX={PREFIX}",
         "BOARD=mps2_an385"],
        cwd=core.ROOT, env=env, text=True, capture_output=True, check=False,
        timeout=GUARD_S)


@pytest.fixture(scope="module", name="root")
def root_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a root of files")
    done = make("install", folder)
    assert done.returncode == 0, done.stderr
    assert f"installed {folder}{PREFIX}/bin/quincunx" in done.stdout
    assert f"{folder}{PREFIX}/share/man" in done.stdout
    return folder


def command(root, *args):
    return subprocess.run([f"{root}{PREFIX}/bin/quincunx", *args], text=True,
                          capture_output=True, check=False, timeout=GUARD_S,
                          cwd=root)


def test_it_finds_its_images(root, tmp_path):
    load = tmp_path / "load"
    load.write_bytes(b"needle " * 1000)
    done = command(root, "run", "--mesh", "2x2", "--kernel", "search", "--arg",
                   "needle", str(load))
    assert (done.returncode, done.stderr) == (0, "")
    assert "1000 matches" in " ".join(done.stdout.split())


def test_kernels_of_ones_own(root, tmp_path):
    """What is installed builds them: of the command's objects only those that
    know which kernels there are."""
    build, own = tmp_path / "build", tmp_path / "own"
    own.mkdir()
    shutil.copytree(core.BUILD / "host", build / "host")
    for path in [*core.BUILD.glob("*.flags"), *core.BUILD.glob("*.so*")]:
        shutil.copy2(path, build)

    def there(*words):
        done = subprocess.run(
            ["make", "-C", f"{root}{PREFIX}/share/quincunx", *words,
             f"KERNEL_PATH={own}", f"BUILD={build}"], text=True, check=False,
            capture_output=True, timeout=GUARD_S,
            env={name: value for name, value in os.environ.items()
                 if not name.startswith("MAKE")})
        assert done.returncode == 0, done.stderr
        return done.stdout
    there("new-kernel", "NAME=odd")
    made = re.findall(r"^  CC +(.*)", there(f"{build}/quincunx"), re.M)
    assert len(made) == 3 and f"{own}/odd.c" in made, made
    (tmp_path / "load").write_bytes(b"banana")
    done = subprocess.run(
        [build / "quincunx", "run", "--on", "native", "--mesh", "2x2",
         "--kernel", "odd", "--arg", "a", tmp_path / "load"], text=True,
        check=False, capture_output=True, timeout=GUARD_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3" in done.stdout


def subcommands(root):
    return re.findall(r"^  ([a-z-]+) ", command(root, "--help").stdout, re.M)


def options_of(root, name):
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)",
                          command(root, name, "--help").stdout, re.M))


def test_every_subcommand_has_a_page_with_what_its_help_says(root):
    """All options and examples; and which values may be left out."""
    folder = root / f"{PREFIX[1:]}/share/man/man1"
    names = subcommands(root)
    pages = {path.name: re.sub(r"\\-", "-", path.read_text("utf-8"))
             for path in folder.iterdir()}
    assert set(pages) == {"quincunx.1",
                          *(f"quincunx-{name}.1" for name in names)}
    for name in names:
        text = pages[f"quincunx-{name}.1"]
        there = set(re.findall(r"\\fB--([a-z0-9-]+)\\fR", text))
        assert options_of(root, name) - {"help", "usage"} <= there, name
        assert f"quincunx-{name}(1)" in pages["quincunx.1"].replace("\\fR", "")
        _, found, examples = command(root, name, "--help").stdout.rpartition(
            "Example")
        assert found or name == "kernels"
        for line in examples.splitlines()[1:] if found else []:
            assert line in text.replace("\\e", "\\"), (name, line)
    assert r"\fB--serve\fR[=\fIPORT\fR]" in pages["quincunx-run.1"]


def test_the_words_have_a_page(root):
    text = (root / f"{PREFIX[1:]}/share/man/man7/quincunx-words.7").read_text(
        "utf-8")
    words = re.findall(r"^\| ([^|]+) \| ", (
        core.ROOT / "DESIGN.md").read_text("utf-8").split(
            "## Glossary")[1].split("\n## ")[0], re.M)[1:]
    assert len(words) > 20
    assert text.count(".TP") == len(words)
    assert "](" not in text and "`" not in text


def test_rules_of_udev_for_all_probes(root):
    """Those that `flash-map` lists."""
    rules = (root / f"{PREFIX[1:]}/lib/udev/rules.d/70-quincunx.rules"
             ).read_text("ascii")
    code = (core.ROOT / "qemu/bench/flash_list.c").read_text("ascii")
    numbers = set(re.findall('"([0-9a-f]{4})"', code))
    assert len(numbers) > 13
    assert numbers <= set(re.findall("[0-9a-f]{4}", rules))


def completed(root, *words):
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    done = subprocess.run(
        ["bash", "--norc", "-c",
         f". {root}{PREFIX}/share/bash-completion/completions/quincunx;"
         f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _quincunx;"
         "printf '%s\\n' \"${COMPREPLY[@]}\"".replace(
             str(root), f"'{root}'", 1)],
        text=True, capture_output=True, check=True, timeout=GUARD_S)
    return set(done.stdout.split())


def test_completions_of_bash(root):
    names = set(subcommands(root))
    assert completed(root, "quincunx", "") == names | {"help"}
    assert completed(root, "quincunx", "help", "c") == {
        name for name in names if name.startswith("c")}
    for name in names:
        assert options_of(root, name) <= completed_options(root, name)
    assert completed(root, "quincunx", "run", "--on", "n") == {"native"}
    assert completed(root, "quincunx", "run", "--profile", "=", "t") == {"t3d"}
    # What one subcommand takes another may refuse.
    assert completed(root, "quincunx", "flash", "--board", "") == {"stm32f405"}
    assert "mps2-an385" in completed(root, "quincunx", "run", "--board", "")


def completed_options(root, name):
    return {word.removeprefix("--")
            for word in completed(root, "quincunx", name, "--")}


def test_completions_of_other_shells_name_all_options(root):
    share = root / f"{PREFIX[1:]}/share"
    zsh = (share / "zsh/site-functions/_quincunx").read_text("utf-8")
    fish = (share / "fish/vendor_completions.d/quincunx.fish").read_text(
        "utf-8")
    for name in subcommands(root):
        assert f"'{name}:" in zsh and f"-a {name} " in fish
        of_zsh = re.search(rf"^{name}\) (.*?);;", zsh, re.M | re.S)
        for option in options_of(root, name):
            assert re.search(rf"'--{option}[=\[]", of_zsh[1]), (name, option)
            assert re.search(rf"_from {name}' -l {option} ", fish), option


def test_uninstall_leaves_what_others_put_there_and_nothing_else(root):
    """The last test: of what the others looked at."""
    other = root / f"{PREFIX[1:]}/share/fish/vendor_completions.d/other"
    other.touch()
    done = make("uninstall", root)
    assert done.returncode == 0, done.stderr
    assert [p for p in root.rglob("*") if not p.is_dir()] == [other]
    assert {p.name for p in root.rglob("*") if p.is_dir()} == {
        PREFIX[1:], "share", "fish", "vendor_completions.d"}
