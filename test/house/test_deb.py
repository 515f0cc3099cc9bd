# SPDX-License-Identifier: Apache-2.0
"""`make deb`: what is in the package, what it depends on, and whether the
command in it runs."""
import os
import re
import subprocess

import pytest

from guard import GUARD_S
import core
import mesh
from rules import FILES, read

pytestmark = pytest.mark.boards

RELEASE = re.search(r"^RELEASE := (.*)$", read("Makefile"), re.MULTILINE)[1]
BOARDS = sorted(path.parent.name
                for path in (core.ROOT / "boot").glob("*/board.mk"))
# As they lie in the tree, so that their links hold.
PAGES = [name for name in FILES if re.search(
    r"\.(md|cff)$|^qemu/pictures/.*\.(svg|png)$", name)]

# What builds kernels of one's own.
SOURCES = [name for name in FILES if re.match(
    r"(Makefile|LICENSE)$|(boot|hal|torus|scatter|kernels|linker|qemu|test/lib)/"
    r"|test/[^/]*\.mk$", name) and not re.match(
        r"qemu/(pictures/.*g$|install/debian/)", name)]


def output(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True,
                          timeout=GUARD_S).stdout


@pytest.fixture(scope="module", name="package")
def fixture_package(tmp_path_factory):
    """Made in a folder of its own; its path."""
    folder = tmp_path_factory.mktemp("deb")
    env = {key: value for key, value in os.environ.items()
           if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    env["DEB_CFLAGS_APPEND"] = "-O1"  # a third of the compiler's time less
    done = subprocess.run(
        ["make", "-C", core.ROOT, "deb", f"BUILD={folder}"], env=env, text=True,
        capture_output=True, check=False, timeout=2 * GUARD_S)
    assert done.returncode == 0, done.stdout + done.stderr
    machine = output("dpkg", "--print-architecture").strip()
    path = folder / f"quincunx_{RELEASE}_{machine}.deb"
    assert f"package   {path}" in done.stdout
    return path


@pytest.fixture(scope="module", name="tree")
def fixture_tree(package):
    """Its files, unpacked."""
    folder = package.parent / "tree"
    output("dpkg-deb", "-x", package, folder)
    return folder


@pytest.fixture(scope="module", name="fields")
def fixture_fields(package):
    return dict(re.findall(r"^(\S+): (.*(?:\n .*)*)$",
                           output("dpkg-deb", "-f", package), re.MULTILINE))


def test_what_is_in_it(package):
    """All of root, and nothing that is not listed here."""
    files = {}
    for line in output("dpkg-deb", "-c", package).splitlines():
        mode, owner, _, _, _, name = line.split(maxsplit=5)
        assert owner == "root/root"
        if mode[0] != "d":
            files[name.split(" -> ")[0].removeprefix("./usr/")] = mode
    subcommands = re.findall(r"^  ([a-z-]+) ", mesh.command("--help").stdout,
                             re.MULTILINE)
    images = {f"lib/quincunx/{board}/firmware.elf" for board in BOARDS} | {
        f"lib/quincunx/{board}/firmware_slow.elf" for board in BOARDS
        if "mps2" in board}
    assert len(subcommands) > 15 and len(images) > 4
    assert set(files) == images | {
        "bin/quincunx", "lib/quincunx/quincunx", "lib/quincunx/zygote.so",
        "share/man/man1/quincunx.1.gz", "share/man/man7/quincunx-words.7.gz",
        "share/bash-completion/completions/quincunx",
        "share/fish/vendor_completions.d/quincunx.fish",
        "share/zsh/vendor-completions/_quincunx",
        "share/lintian/overrides/quincunx",
        "lib/udev/rules.d/70-quincunx.rules",
        *(f"share/man/man1/quincunx-{name}.1.gz" for name in subcommands),
        *(f"share/quincunx/{name}" for name in SOURCES),
        *(f"share/doc/quincunx/{name}" for name in (
            "changelog.gz", "copyright", *PAGES))}
    assert files["bin/quincunx"][0] == "l"
    assert files["lib/quincunx/quincunx"] == "-rwxr-xr-x"
    assert {files[name] for name in images} == {"-rw-r--r--"}


def test_it_needs_what_its_files_need(fields, tree):
    """The packages of the libraries that the command is linked with."""
    assert (fields["Package"], fields["Version"]) == ("quincunx", RELEASE)
    depends = {name.split()[0] for name in fields["Depends"].split(", ")}
    assert "qemu-system-arm" in depends
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output(
        "readelf", "-d", tree / "usr/lib/quincunx/quincunx"))
    assert len(needed) > 7
    for name in needed:
        owners = {line.split(":")[0] for line in output(
            "dpkg", "-S", f"*/{name}").splitlines()}
        assert owners & depends, name
    assert "Recommends" not in fields


def test_it_runs(tree, tmp_path):
    """From where it lies, with the images beside it."""
    load = tmp_path / "load"
    load.write_bytes(b"needle " * 1000)
    done = subprocess.run(
        [tree / "usr/bin/quincunx", "run", "--mesh", "5x5", "--kernel",
         "search", "--arg", "needle", load], capture_output=True, text=True,
        timeout=GUARD_S, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1000 matches" in " ".join(done.stdout.split())
    assert f"quincunx {RELEASE} (" in output(tree / "usr/bin/quincunx", "-V")
