# SPDX-License-Identifier: Apache-2.0
"""The house's rules that sources alone can break: each a function whose result
is a list of complaints. STRUCTURE decides, TIDY is only told."""
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("boot", "hal", "torus", "scatter", "kernels", "linker", "qemu",
           "test")


def listed():
    """Files that are tracked or would be, relative to the root."""
    done = shutil.which("git") and subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], capture_output=True, text=True, check=False)
    if done and done.returncode == 0:
        names = [name for name in done.stdout.split("\0") if name]
    else:
        # No clone, or no git: everything but what .gitignore names.
        ignored = {"build", "__pycache__", ".pytest_cache", ".hypothesis",
                   ".git"}
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = [str(path) for path in paths
                 if not ignored & set(path.parts)]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


FILES = listed()
C_FILES = [name for name in FILES if name.endswith((".c", ".h"))]
HEADERS = [name for name in C_FILES if name.endswith(".h")]
MAKEFILES = [name for name in FILES
             if name == "Makefile" or name.endswith(".mk")]
SCRIPTS = [name for name in FILES if name == ".ci/run"
           or name.endswith(".sh")]
SOURCES = MAKEFILES + [
    name for name in FILES if name == ".ci/run"
    or name.endswith((".c", ".h", ".S", ".s", ".ld", ".py"))]
PAGES = {name: read(name) for name in FILES if name.endswith(".md")}


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


# ---- structure ----

def forbidden(name, target):
    """Why the file may not include the target, besides the order of folders
    (structure.py); None if it may."""
    if target.split("/")[0] not in FOLDERS:
        return "not a path from the root"
    if name.startswith("test/") or target == "kernels/kernel.h":
        return None
    if target.startswith(("test/", "kernels/")):
        return "nobody must know of it"
    if name.startswith("kernels/"):
        return "a kernel must not know of it"
    return None


def arrows():
    return [f"{name} includes {target}: {why}" for name in C_FILES
            for target in includes(read(name))
            if (why := forbidden(name, target))]


def floating_point():
    return [f"{name}: floating point" for name in C_FILES
            if name.startswith(("boot/", "hal/", "torus/", "scatter/"))
            and re.search(r"\b(?:float|double)\b", bare(read(name)))]


def has_license(text):
    lines = text.splitlines()
    tag = "SPDX-License-Identifier: Apache-2.0"
    return lines[lines[0].startswith("#!")] in (f"/* {tag} */", f"# {tag}")


def licenses():
    return [f"{name}: no license in the first line" for name in SOURCES
            if not has_license(read(name))]


def has_guard(name, text):
    guard = re.sub(r"[^A-Z0-9]", "_", name.upper())
    return re.match(rf"\s*#ifndef {guard}\n#define {guard}\n.*\n#endif\s*\Z",
                    bare(text), re.DOTALL)


def guards():
    return [f"{name}: the guard has another name" for name in HEADERS
            if not has_guard(name, read(name))]


def places():
    """What lies where: the top level is the given one, a kernel is a file."""
    return [f"{name}: lies in no folder of the house" for name in FILES
            if "/" in name and name.split("/")[0] not in (*FOLDERS, ".ci")] + [
        f"{name}: a kernel is a single file" for name in FILES
        if name.startswith("kernels/") and not re.fullmatch(
            r"kernels/(kernel\.h|kernels\.mk|[a-z0-9_]+\.c|README\.md"
            r"|skeleton/.*\.in)", name)]


PAST = {
    "qemu/base/quote.c": "the one that guards them",
    "qemu/base/progress.c": "its own line, and messages before it",
    "qemu/base/crash.c": "a signal's handler", "qemu/ranks/ranks.c":
    "likewise", "qemu/job/serial_job.c": "likewise",
    "qemu/job/checkpoint.c": "likewise",
    "qemu/bench/flash_loader.c": "a child, whose output the command reads",
    "qemu/base/process.c": "likewise"}


def goes_past(text):
    """Whether a file writes to a terminal past quote_streams()."""
    return re.search(r"\b(?:write|v?dprintf|fdopen)\s*\(\s*STD(OUT|ERR)_FILENO"
                     r"|\bstd(out|err)\s*=[^=]", bare(text))


def terminals():
    return [f"{name}: writes past qemu/base/quote.h" for name in C_FILES
            if name.startswith("qemu/") and name not in PAST
            and goes_past(read(name))]


def reads_early(text):
    """Whether a file may read of a message what an interrupt yet writes."""
    return re.search(r"\bstate\s*[!=]=\s*SWITCH_DONE", bare(text))


def messages():
    return [f"{name}: asks for SWITCH_DONE, not by switch_is_done()"
            for name in C_FILES if name.startswith(("boot/", "hal/serial/"))
            and reads_early(read(name))]


STRUCTURE = (arrows, floating_point, licenses, guards, places, terminals,
             messages)


# ---- pages ----

def prose(text):
    """Without blocks of code and output."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def slugs(text):
    """The names of a page's headings, as links have them."""
    heads = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
            for head in heads}


def leads(name, link):
    """The file that a page's link leads to, from the root, and the heading;
    None instead of a file outside."""
    target, _, anchor = link.partition("#")
    path = ((ROOT / name).parent / target).resolve() if target else ROOT / name
    return (str(path.relative_to(ROOT)) if path.is_relative_to(ROOT)
            else None), anchor


def links(pages=None):
    """Those that lead nowhere; and guides that no other page leads to."""
    pages = PAGES if pages is None else pages
    wrong, seen = [], {"README.md"}
    for name, text in pages.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:", link):
                continue
            there, anchor = leads(name, link)
            seen |= {there} - {name}
            if there is None or not (ROOT / there).exists() or (
                    anchor and anchor not in slugs(pages.get(there, ""))):
                wrong.append(f"{name}: {link} leads nowhere")
    return wrong + [f"{name}: no page leads there"
                    for name in sorted(set(pages) - seen)]


# ---- what is only told ----

def untidy(name, text):
    """(line, complaint) of lines that are long or end in blanks."""
    shown = prose(text) if name.endswith(".md") else text
    for number, line in enumerate(shown.splitlines(), 1):
        if len(line) > 80 and not (name.endswith(".md")
                                   and line.startswith("|")):
            yield number, f"{len(line)} columns"
        if line != line.rstrip():
            yield number, "a blank at the end"
        if "\t" in line and name.endswith((".c", ".h", ".py")):
            yield number, "a tab"
    if not text.endswith("\n"):
        yield len(text.splitlines()), "no newline at the end"


def lines():
    return [f"{name}:{number}: {what}" for name in [*SOURCES, *PAGES]
            for number, what in untidy(name, read(name))]


INCLUDES = re.compile(r'(?:^#include "[^"\n]+"\n)+', re.MULTILINE)


def order():
    """Includes, line after line, are sorted and there once."""
    return [f"{name}: includes are not sorted" for name in C_FILES
            for run in INCLUDES.findall(read(name))
            if run.splitlines() != sorted(set(run.splitlines()))]


def left():
    marks = "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3))
    return [f"{name}: something is left to do" for name in SOURCES
            if re.search(rf"\b(?:{marks})\b", read(name))]


TIDY = (lines, order, left, links)
