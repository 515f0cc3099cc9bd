#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages, made of what `quincunx --help` says:

    man.py build/quincunx RELEASE FOLDER

writes quincunx.1, a page for each subcommand (quincunx-run.1) and
quincunx-words.7, the glossary of DESIGN.md, into the folder."""
import pathlib
import re
import sys

import words

ROOT = pathlib.Path(__file__).resolve().parents[2]


def escaped(text):
    """Text that roff shows as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def page(name, section, release, summary, parts):
    """parts: (heading, lines of roff)"""
    lines = [f".TH {name.upper()} {section} \"\" \"quincunx {release}\" "
             "\"Quincunx\"", ".SH NAME", f"{name} \\- {escaped(summary)}"]
    for heading, text in parts:
        lines += [f".SH {heading}", *text]
    return "\n".join(lines) + "\n"


def option_lines(options):
    lines = []
    for option in options:
        short = f"\\fB\\-{option.short}\\fR, " if option.short else ""
        value = f"=\\fI{escaped(option.value)}\\fR" if option.value else ""
        value = f"[{value}]" if option.note == "optional" else value
        lines += [".TP", f"{short}\\fB\\-\\-{escaped(option.long)}\\fR{value}",
                  escaped(option.text)]
    return lines


def subcommand_page(command, release, name, summary):
    text = words.said(command, name, "--help")
    usage, rest = text.split("\n", 1)
    description = rest.split("\n\n")[0]
    examples = re.search(r"^Examples?:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    parts = [("SYNOPSIS", [escaped(usage.removeprefix("Usage: "))]),
             ("DESCRIPTION", [escaped(" ".join(description.split()))]),
             ("OPTIONS", option_lines(words.options(command, name)))]
    if examples:
        parts.append(("EXAMPLES", [".nf", escaped(examples[1].rstrip("\n")),
                                   ".fi"]))
    parts.append(("SEE ALSO", ["\\fBquincunx\\fR(1), "
                               "\\fBquincunx\\-words\\fR(7)"]))
    return page(f"quincunx-{name}", 1, release, summary, parts)


def main_page(command, release, commands):
    tail = words.said(command, "--help").strip().split("\n\n")[-1]
    listed = []
    for name, summary in commands.items():
        listed += [".TP", f"\\fBquincunx\\-{escaped(name)}\\fR(1)",
                   escaped(summary)]
    return page("quincunx", 1, release,
                "divisible jobs on a torus of microcontroller boards", [
                    ("SYNOPSIS", ["\\fBquincunx\\fR \\fISUBCOMMAND\\fR "
                                  "[\\fIOPTION\\fR...]"]),
                    ("SUBCOMMANDS", listed),
                    ("ENVIRONMENT", [escaped(" ".join(tail.split()))]),
                    ("EXIT STATUS", ["0 success, 1 a run that failed, 2 bad "
                                     "usage, 130 Ctrl\\-C."]),
                    ("SEE ALSO", ["\\fBquincunx\\-words\\fR(7)"])])


def words_page(release):
    """The table of the glossary."""
    text = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    text = text[text.index("## Glossary") + 1:].split("\n## ")[0]
    lines = []
    for word, meaning in re.findall(r"^\| ([^|]+) \| (.+) \|$", text,
                                    re.MULTILINE):
        if set(word) <= {"-"} or word == "word":
            continue
        meaning = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", meaning)
        lines += [".TP", f"\\fB{escaped(word.strip('*` '))}\\fR",
                  escaped(re.sub(r"[`*]", "", meaning))]
    return page("quincunx-words", 7, release, "the words of quincunx",
                [("WORDS", lines),
                 ("SEE ALSO", ["\\fBquincunx\\fR(1)"])])


def main(command, release, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    commands = words.subcommands(command)
    pages = {"quincunx.1": main_page(command, release, commands),
             "quincunx-words.7": words_page(release)}
    for name, summary in commands.items():
        pages[f"quincunx-{name}.1"] = subcommand_page(command, release, name,
                                                      summary)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
