# SPDX-License-Identifier: Apache-2.0
"""What `quincunx --help` and the help of each subcommand say, as lists: man
pages and completions are made of these, so that nothing is written twice."""
import collections
import re
import subprocess

Option = collections.namedtuple("Option", "short long value text optional",
                                defaults=[False])
Option.__doc__ = ("short: a letter or ''; value: what it takes, or ''; "
                  "optional: whether the value may be left out.")


def said(command, *words):
    return subprocess.run([command, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def subcommands(command):
    """{name: summary}"""
    return dict(re.findall(r"^  ([a-z-]+) +(.*)$", said(command, "--help"),
                           re.MULTILINE))


def options(text):
    """The options of a help text, in its order. Of those below the heading
    "Required:" the text ends so, too."""
    found, required, heading = [], set(), ""
    for line in text.splitlines():
        heading = line.strip() if re.match(r" \S.*:$", line) else heading
        begin = re.match(
            r"  (?:-(\w), |    )--([a-z0-9-]+)(?:\[=(.+?)\]|=(\S+))?"
            r"(?:  +(.*))?$", line)
        short = re.match(r"  -(\w)(?:, -\w)*(?:, --([a-z0-9-]+))?(?: (\S+))?"
                         r"(?:  +(.*))?$", line)
        if begin:
            found.append(Option(begin[1] or "", begin[2],
                                begin[3] or begin[4] or "", begin[5] or "",
                                begin[3] is not None))
        elif short and short[2]:
            found.append(Option(short[1], short[2], short[3] or "",
                                short[4] or ""))
        elif found and re.match(r" {29}\S", line):
            last = found[-1]
            found[-1] = last._replace(
                text=f"{last.text} {line.strip()}".strip())
        if heading == "Required:" and (begin or short):
            required.add(len(found) - 1)
    return [option._replace(text=f"{option.text} (required)")
            if at in required else option for at, option in enumerate(found)]
