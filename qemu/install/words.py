# SPDX-License-Identifier: Apache-2.0
"""What `quincunx --help` and the rows of each subcommand's options say, as
lists: man pages and completions are made of these, so that nothing is written
twice."""
import collections
import re
import subprocess

Option = collections.namedtuple("Option",
                                "long short value note choices text")
Option.__doc__ = ("short: a letter or ''; value: what it takes, or ''; note: "
                  "'optional' if the value may be left out, 'required' if the "
                  "option may not; choices: values, with blanks between.")


def said(command, *words):
    return subprocess.run([command, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def subcommands(command):
    """{name: summary}"""
    return dict(re.findall(r"^  ([a-z-]+) +(.*)$", said(command, "--help"),
                           re.MULTILINE))


def options(command, name):
    """The options of a subcommand, in the order of its help. The text of those
    that are required ends so."""
    rows = [Option(*line.split("\t"))
            for line in said(command, name, "--help=rows").splitlines()]
    return [row if row.note != "required" or "(required)" in row.text
            else row._replace(text=f"{row.text} (required)") for row in rows]
