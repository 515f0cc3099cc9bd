# SPDX-License-Identifier: Apache-2.0
"""What help promises is what the program does: its examples, its defaults."""
import re
import shlex
import subprocess

import pytest

import golden
import golden_cases


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """With every file that an example names."""
    golden_cases.files(tmp_path)
    for name, data in {
            "FILE": golden_cases.text(30_000),
            "FILE.png": golden_cases.FILES["image.pgm"],
            "star.txt": golden_cases.FILES["star"],
            "sums.txt": golden_cases.DIGESTS.replace(",", "\n").encode(),
            "mesh.csv": b"x,y,probe\n0,0,1\n"}.items():
        (tmp_path / name).write_bytes(data)
    done = golden.start(shlex.split(golden_cases.spin("--report report.json")),
                        tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def examples(name):
    """The words of each example in a subcommand's help."""
    told = subprocess.run([golden.QUINCUNX, "help", name], check=True,
                          capture_output=True, text=True).stdout
    lines = re.split(r"\nExamples?:\n", told)[1:]
    return [shlex.split(line) for line in "".join(lines).replace(
        "\\\n", " ").splitlines()]


# What makes an example cheap: options in front of its own, other words.
IN_FRONT = {name: ["--on", "native"] for name in ("run", "compare")}
IN_FRONT["boards"] = ["--firmware", "none.elf"]
INSTEAD = {"3125": "125", "4G": "1M", "/dev/ttyUSB0": "none"}
# Where boards are missing, all that is left to be said once the words are
# understood; nothing, if there may be some.
NO_BOARDS = {name: "none: there is no such port" for name in (
    "console", "ps", "mesh", "nodes", "links", "identify", "reset")}
NO_BOARDS |= {"boards": "none.elf: no firmware image", "flash": "firmware.elf",
              "flash-map": ""}


@pytest.mark.parametrize("name", golden_cases.SUBCOMMANDS)
def test_examples_work(name, folder):
    every = examples(name) if name != "kernels" else []
    assert every or name == "kernels"
    for words in every:
        assert words[:2] == ["quincunx", name]
        line = [*words[:2], *IN_FRONT.get(name, []),
                *(INSTEAD.get(word, word) for word in words[2:])]
        done = golden.start(line, folder)
        missing = NO_BOARDS["ps" if "--port" in words else name] if (
            "--port" in words or name in NO_BOARDS) else None
        assert (done.returncode == 0 if missing is None else
                done.returncode in ((1,) if missing else (0, 1))), (
                    line, done.stderr)
        assert (missing or "") in done.stderr.decode(), line


INPUTS = {"conv": "image.pgm", "dictionary": "words", "fir": "sound.wav",
          "matvec": "m.npy", "records": "table.csv", "search": "text"}


@pytest.mark.parametrize("words", [["run", "-h"], ["console", "--usage"],
                                   ["compare", "--mesh", "3x3", "-qh"]])
def test_short_help_has_a_line_for_every_option(words):
    done, whole = (subprocess.run([golden.QUINCUNX, *line], check=True,
                                  capture_output=True, text=True).stdout
                   for line in (words, [words[0], "--help"]))
    option = "^(?:  -., |      )--[a-z-]+"
    assert re.findall(option, whole, re.M) == re.findall(option, done, re.M)
    assert done.startswith(f"Usage: quincunx {words[0]} ")
    assert max(map(len, done.splitlines())) < 80


def test_examples_of_kernels_work(folder):
    told = subprocess.run([golden.QUINCUNX, "kernels"], check=True,
                          capture_output=True, text=True).stdout
    found = re.findall(r"^(\w+) (?:.*\n +)+?such as --arg (\S+)$", told, re.M)
    assert {name for name, _ in found} == {*INPUTS, "channels"}
    for name, argument in found:
        done = golden.start(["quincunx", "run", "--mesh", "2x2", "--on",
                             "native", "--kernel", name, "--arg", argument,
                             *filter(None, [INPUTS.get(name)])], folder)
        assert done.returncode == 0, (name, done.stderr)


def test_defaults_are_those_that_help_names(tmp_path):
    """By `told defaults`: what a job is without options."""
    done = golden.start(["told", "defaults"], tmp_path)
    are = dict(line.split() for line in done.stdout.decode().splitlines())
    told = " ".join(subprocess.run(
        [golden.QUINCUNX, "help", "run"], check=True, capture_output=True,
        text=True).stdout.split())
    named = {option: re.search(pattern, re.search(
        rf" --{option}=.*?(?= --[a-z]+=| --json)", told)[0])[1]
        for option, pattern in {
            "watchdog": r"\(default (\d+)\)", "seed": r"\(default (\d+)\)",
            "originator": r"\(default (\d,\d)", "ports": r"(\d) \(default\)",
            "board": r"(\S+) \(default\)", "profile": r"(\w+) \(default\)",
            "schedule": r"([\w-]+) \(default\)"}.items()}
    assert named == are
