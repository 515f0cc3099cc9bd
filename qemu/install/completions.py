#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Completions for bash, zsh and fish, made of the rows of its options:

    completions.py build/quincunx bash|zsh|fish"""
import sys

import words

FILES = ("FILE", "FILE.svg", "OUTPUT", "PAGE.html", "TTY", "DIR", "CSV")


def bash(commands):
    lines = ["# bash completion of quincunx", "_quincunx() {",
             "    local word=${COMP_WORDS[COMP_CWORD]}",
             "    local before=${COMP_WORDS[COMP_CWORD-1]} options=",
             "    if [ \"$COMP_CWORD\" = 1 ]; then",
             "        COMPREPLY=($(compgen -W \""
             + " ".join([*commands, "help"]) + "\" -- \"$word\"))",
             "        return", "    fi",
             "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}",
             "    [ \"$word\" = = ] && word=",
             "    case ${COMP_WORDS[1]}$before in"]
    for name, (_, options) in commands.items():
        for option in options:
            if option.choices:
                lines.append(
                    f"    {name}--{option.long}) COMPREPLY=($(compgen -W "
                    f"\"{option.choices}\" -- \"$word\")); return;;")
    lines += ["    esac", "    case ${COMP_WORDS[1]} in"]
    for name, (_, options) in commands.items():
        lines.append(f"    {name}) options=\""
                     + " ".join(f"--{o.long}" for o in options) + "\";;")
    lines += ["    help) options=\"" + " ".join(commands) + "\";;", "    esac",
              "    case $word in",
              "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"));;",
              "    *) [ \"${COMP_WORDS[1]}\" = help ] && COMPREPLY=($(compgen "
              "-W \"$options\" -- \"$word\")) ||",
              "        COMPREPLY=($(compgen -f -- \"$word\"));;",
              "    esac", "}",
              "complete -o filenames -F _quincunx quincunx"]
    return lines


def plain(text):
    """A text inside single quotes and zsh's brackets."""
    return text.replace("'", "").replace("[", "(").replace("]", ")").replace(
        ":", " ").replace("`", "")


def zsh(commands):
    lines = ["#compdef quincunx", "local -a commands", "commands=("]
    lines += [f"  '{name}:{plain(summary)}'"
              for name, (summary, _) in commands.items()]
    lines += [")", "if (( CURRENT == 2 )); then",
              "  _describe subcommand commands", "  return", "fi",
              "case $words[2] in",
              "help) _describe subcommand commands;;"]
    for name, (_, options) in commands.items():
        lines.append(f"{name}) shift words; (( CURRENT-- )); _arguments \\")
        for option in options:
            action = (f":value:({option.choices})" if option.choices else
                      ":file:_files" if option.value in FILES else
                      f":{plain(option.value)}: " if option.value else "")
            equals = "=" if option.value else ""
            lines.append(f"  '--{option.long}{equals}[{plain(option.text)}]"
                         f"{action}' \\")
        lines.append("  '*:file:_files';;")
    return lines + ["esac"]


def fish(commands):
    none = "__fish_use_subcommand"
    lines = ["# fish completion of quincunx"]
    for name, (summary, options) in commands.items():
        lines.append(f"complete -c quincunx -f -n {none} -a {name} -d "
                     f"'{plain(summary)}'")
        for option in options:
            takes = (f" -x -a '{option.choices}'" if option.choices else
                     " -r" if option.value else "")
            short = f" -s {option.short}" if option.short else ""
            lines.append(
                f"complete -c quincunx -n '__fish_seen_subcommand_from {name}' "
                f"-l {option.long}{short}{takes} -d '{plain(option.text)}'")
    return lines


def main(command, shell):
    commands = {name: (summary, words.options(command, name))
                for name, summary in words.subcommands(command).items()}
    print("\n".join({"bash": bash, "zsh": zsh, "fish": fish}[shell](commands)))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("bash", "zsh", "fish"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
