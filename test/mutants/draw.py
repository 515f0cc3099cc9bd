# SPDX-License-Identifier: Apache-2.0
"""Mutants: what they are, all of a file, some by a seed, and the same ones
again after code has moved."""
import collections
import csv
import pathlib
import random
from typing import NamedTuple

import c_text
import operators

PLACES = ("boot", "hal", "torus", "scatter", "kernels", "qemu")
TEXT_PLACES = ("boot/shell", "qemu")


class Mutant(NamedTuple):
    """What says which mutant it is, in a tree that may have changed."""
    file: str
    function: str
    operator: str
    ordinal: int  # of those in this function that are equal in all the rest
    old: str      # the lines that change, blanks between words made one
    new: str


class Place(NamedTuple):
    """A mutant of a tree as it is."""
    mutant: Mutant
    line: int    # of the file, from 1
    begin: int   # what is replaced in the file's text
    end: int
    instead: str

    def change(self, text):
        return text[:self.begin] + self.instead + text[self.end:]


def one_line(text):
    return " ".join(text.split())


def edits_of(text, table):
    """(function, operator, begin, end, instead), in the order of the file."""
    for function in c_text.functions_of(text):
        for name, operator in table.items():
            if function.is_object and table is operators.CODE:
                continue
            for begin, end, instead in operator(function, text):
                if text[begin:end] != instead:
                    yield function.name, name, begin, end, instead


def mutants_of(path, text, table):
    """All places of a file."""
    count = collections.Counter()
    for function, operator, begin, end, instead in edits_of(text, table):
        first = text.rfind("\n", 0, begin) + 1
        last = text.find("\n", end)
        # Later lines keep their numbers, which assertions print.
        instead += "\n" * (text[begin:end].count("\n") - instead.count("\n"))
        key = (path, function, operator, one_line(text[first:last]),
               one_line(text[first:begin] + instead + text[end:last]))
        mutant = Mutant(*key[:3], count[key], *key[3:])
        count[key] += 1
        yield Place(mutant, text.count("\n", 0, begin) + 1, begin, end,
                    instead)


def sources(tree, kind, place=""):
    roots = TEXT_PLACES if kind == "text" else PLACES
    return sorted(str(path.relative_to(tree)) for root in roots
                  for path in (pathlib.Path(tree) / root).rglob("*.c")
                  if str(path.relative_to(tree)).startswith(place))


def read(tree, path):
    return (pathlib.Path(tree) / path).read_text(encoding="utf-8")


def places_by_line(path, text, kind):
    """{line: {operator: [places]}}"""
    table = operators.TEXT if kind == "text" else operators.CODE
    lines = collections.defaultdict(lambda: collections.defaultdict(list))
    for place in mutants_of(path, text, table):
        lines[place.line][place.mutant.operator].append(place)
    return lines


def draw(tree, kind, seed, number, place=""):
    """So many mutants of files that weigh as many lines as they have that can
    be changed: a file, one of these lines, an operator, a change."""
    chance = random.Random(f"{kind} {seed} {place}")
    lines = {path: places_by_line(path, read(tree, path), kind)
             for path in sources(tree, kind, place)}
    paths = [path for path in lines if lines[path]]
    weights = [len(lines[path]) for path in paths]
    there_are = sum(len(found) for by_line in lines.values()
                    for by_operator in by_line.values()
                    for found in by_operator.values())
    drawn = {}
    while paths and len(drawn) < min(number, there_are):
        by_line = lines[chance.choices(paths, weights)[0]]
        by_operator = by_line[chance.choice(sorted(by_line))]
        found = chance.choice(by_operator[chance.choice(sorted(by_operator))])
        drawn[found.mutant] = found
    return list(drawn.values())


def rows_of(path):
    """The rows of a listing: a mutant, its verdict, and by what."""
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t"):
            if row and not row[0].startswith("#"):
                yield (Mutant(*row[:3], int(row[3]), *row[4:6]),
                       *(row[6:] + ["", ""])[:2])


def again(tree, kind, listed):
    """(places of the mutants that are still there, those that are not). A
    function that went to another file is found there, if it is in one only."""
    table = operators.TEXT if kind == "text" else operators.CODE
    home = collections.defaultdict(dict)
    for path in sources(tree, kind):
        for place in mutants_of(path, read(tree, path), table):
            home[place.mutant[1:]][path] = place
    found, gone = [], []
    for mutant in listed:
        at = home[mutant[1:]]
        if mutant.file in at or len(at) == 1:
            found.append(at.get(mutant.file) or next(iter(at.values())))
        else:
            gone.append(mutant)
    return found, gone
