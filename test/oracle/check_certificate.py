#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verifies a conflict certificate, knowing nothing of how it was made.

Reads the output of `quincunx certificate --torus SIDE [--originator X,Y]` from
a file or standard input: a line for each circuit, tab-separated: phase,
source "x,y", destination "x,y", then its links "x,y-x,y" from one to the
other. Holds if

- every circuit is an unbroken way of single hops (with wrap),
- its source has its load before the phase begins,
- every node but the originator is reached exactly once, all of them,
- no two circuits of a phase share a link, in either direction.

Exit status: 0 if all hold, 1 if not (what is wrong goes to standard error).
"""
import argparse
import sys


class Wrong(Exception):
    """The certificate does not hold."""


def parse_node(text, side):
    parts = text.split(",")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit()
                                  for p in parts):
        raise Wrong(f"{text!r} is not a node")
    x, y = map(int, parts)
    if x >= side or y >= side:
        raise Wrong(f"{text} is outside of the torus")
    return x, y


def parse_circuit(line, side):
    """(phase, source, destination, [(from, to), ...])"""
    fields = line.split("\t")
    if len(fields) < 4 or not fields[0].isdigit():
        raise Wrong("not phase, source, destination and links")
    links = []
    for field in fields[3:]:
        ends = field.split("-")
        if len(ends) != 2:
            raise Wrong(f"{field!r} is not a link")
        links.append(tuple(parse_node(end, side) for end in ends))
    return (int(fields[0]), parse_node(fields[1], side),
            parse_node(fields[2], side), links)


def hop(start, end, side):
    """The name of the undirected link; Wrong if they are no neighbours.

    A link is named by where a step east or north crosses it, so that the two
    links between the same pair on a side of 2 keep apart.
    """
    dx, dy = (end[0] - start[0]) % side, (end[1] - start[1]) % side
    if (dx, dy) == (1 % side, 0):
        return start, "east"
    if (dx, dy) == (side - 1, 0):
        return end, "east"
    if (dx, dy) == (0, 1 % side):
        return start, "north"
    if (dx, dy) == (0, side - 1):
        return end, "north"
    raise Wrong(f"{start} and {end} are no neighbours")


def check_way(source, destination, links, side):
    """The names of the links on the way."""
    at, names = source, []
    for start, end in links:
        if start != at:
            raise Wrong(f"the way breaks: from {at} on to {start}")
        names.append(hop(start, end, side))
        at = end
    if at != destination:
        raise Wrong(f"the way ends at {at}, not at {destination}")
    return names


def check(lines, side, originator):
    """How many circuits and phases were verified; Wrong if anything fails."""
    active = {originator: 0}
    used = {}
    phase_now, circuits = 0, 0
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if line.startswith("#") or not line:
            continue
        try:
            phase, source, destination, links = parse_circuit(line, side)
            if phase not in (phase_now, phase_now + 1) or phase == 0:
                raise Wrong(f"phase {phase} after phase {phase_now}")
            if phase != phase_now:
                phase_now, used = phase, {}
            if active.get(source, phase) >= phase:
                raise Wrong(f"{source} has nothing to send in this phase")
            for name in check_way(source, destination, links, side):
                if name in used:
                    raise Wrong(f"shares link {name} with line {used[name]}")
                used[name] = number
            if destination in active:
                raise Wrong(f"{destination} has been reached before")
            active[destination] = phase
            circuits += 1
        except Wrong as wrong:
            raise Wrong(f"line {number}: {wrong}") from None
    if len(active) != side * side:
        raise Wrong(f"{side * side - len(active)} nodes are never reached")
    return circuits, phase_now


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torus", type=int, required=True, metavar="SIDE")
    parser.add_argument("--originator", default="0,0", metavar="X,Y")
    parser.add_argument("file", nargs="?", default="-")
    options = parser.parse_args()
    try:
        originator = parse_node(options.originator, options.torus)
        if options.file == "-":
            done = check(sys.stdin, options.torus, originator)
        else:
            with open(options.file, encoding="ascii") as lines:
                done = check(lines, options.torus, originator)
    except Wrong as wrong:
        print(f"certificate does not hold: {wrong}", file=sys.stderr)
        return 1
    print(f"certificate holds: {done[0]} circuits in {done[1]} phases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
