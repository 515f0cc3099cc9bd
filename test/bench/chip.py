# SPDX-License-Identifier: Apache-2.0
"""What the flashed image costs on modelled boards (test/boards/chip): how long
it holds back the ports' interrupts on each path, what a relayed byte takes, and
what `calibrate` finds of it."""
import contextlib
import dataclasses
import json
import subprocess
import sys

from measure import LIMIT_S, TEST
import mesh

sys.path.append(str(TEST / "boards"))
import chip_bench  # noqa: E402
from chip_bench import (  # noqa: E402
    CORE_HZ, HELD_CYCLES_MAX, ORDERED_BYTES, PORTS, START_US, Bench)

BAUD, BITS = 2_000_000, 10
BYTE_US = BITS * 1e6 / BAUD
RING_BYTES = 512  # wait at each line: hal/stm32f405/serial.h
RING_CYCLES = RING_BYTES * BITS * CORE_HZ // BAUD
# Of a busy board's cycles at 2 Mbaud, so that it could do 1.5 times as much.
SHARE_MAX = 1 / 1.5
BAUDS = (1_000_000, 3_000_000, 3_500_000, 4_200_000, 5_250_000)
DAMAGE = 0.01
PING_BYTES = 65535
MIDDLE, CORNERS = 4, (0, 2, 6, 8)  # of 3x3
# Each neighbour's way to the middle of 3x3, and two that cross there.
INTO = {3: "E1", 5: "W1", 1: "N1", 7: "S1"}
ACROSS = {3: "E2", 1: "N2"}
CLEAN = ("retransmitted", "damaged", "lost", "broken", "overruns", "framings",
         "noises")


class Failed(Exception):
    """A path did not end as it must."""


@contextlib.contextmanager
def found(width, height, **settings):
    """Boards that have found each other; `stats` begin behind that."""
    with Bench(width, height, **settings) as it:
        it.up(START_US)
        discover(it)
        it.command("forget")
        yield it


def discover(it):
    if faults := it.discover():
        raise Failed(f"discovery: {faults}")


def pings(it, ways, count, us):
    """All at once, each from the board that is its key; rows of all."""
    for board, way in ways.items():
        it.heard.pop(board, None)
        it.command("type", board, f"ping {way} {PING_BYTES} {count}")
    rows = []
    for board in ways:
        line = it.line(board, us)
        while line is not None and not line.startswith("end"):
            rows.append(chip_bench.words(line))
            line = it.line(board, us)
        if line is None or "err=" in line:
            raise Failed(f"ping {ways[board]} of board {board}: {line}")
    return [row for row in rows if "circuit" in row]


# ---- how long the ports' interrupts are held back ----

def of_discovery(side):
    with Bench(side, side) as it:
        it.up(START_US)
        discover(it)
        return it.held()


def of_console():
    """Long replies, one after the other."""
    with found(2, 2) as it:
        for request in ("help", "ident", "ps", "links", "counters", "trace",
                        "peek E1 N1 4", "peeks 0 .,E1,N1,E1N1", "ping E1 64 3",
                        "counters clear", "counters"):
            it.ask(request)
        return it.held()


@dataclasses.dataclass
class Busy:
    """A board that receives at four ports."""
    held: int       # cycles that a port's interrupt waited, at most
    clean: bool     # whether nothing was lost, at either end
    seconds: float
    share: float    # of the cycles in which it did not sleep


def four_ports(damage, count=1, image=chip_bench.IMAGE):
    """The middle receives from all its neighbours."""
    with found(3, 3, image=image) as it:
        for port in PORTS:
            it.command("damage", "all", port, damage)
        for corner in CORNERS:
            it.command("power", corner, "off")
        before, from_us = it.stats()[MIDDLE], it.now_us()
        rows = pings(it, INTO, count, 2e6 * count + 4e6)
        if any(row["error"] != "0" for row in rows):
            raise Failed(f"four ports: {rows}")
        after, seconds = it.stats()[MIDDLE], (it.now_us() - from_us) / 1e6
        slept = after["slept"] - before["slept"]
        clean = it.overruns() == 0 and not any(
            counters.get(name, 0) for board in (MIDDLE, *INTO)
            for counters in it.counters(board).values() for name in CLEAN)
        return Busy(it.held(), clean, seconds,
                    1 - slept / (after["cycle"] - before["cycle"]))


def of_relays():
    with found(3, 3) as it:
        pings(it, ACROSS, 1, 4e6)
        return it.held()


def of_job(folder, damage, ask):
    """A search on 2x2, from its order to its report; board 3 asks for all
    nodes' states meanwhile, if it is to."""
    data = mesh.text(3000, mesh.seeded("bench chip"))
    load = folder / "load"
    load.write_bytes(data)
    peeks = [("type", 3, "peeks 0 .,E1,N1,E1N1")] if ask else []
    with found(2, 2) as it:
        spoilt = [("damage", "all", port, damage) for port in PORTS]
        behind = [(lambda: True, *peeks)] * (20 if ask else 0)
        done = it.host(
            "run", "--mesh", "2x2", "--kernel", "search", "--arg", "static",
            "--profile", "emulated", "--json", load, steps=[
                (lambda: it.console_bytes() > ORDERED_BYTES, *spoilt),
                *behind])
        if done.returncode != 0 or json.loads(done.stdout)["result"] != \
                mesh.search_result(data, b"static"):
            raise Failed(f"search: {done.stderr}")
        return it.held()


def held_line(table, what, cycles):
    """How long it is, beside the limit and what a port's ring holds."""
    table.line(f"chip: ports held back, {what}",
               f"{HELD_CYCLES_MAX} at most",
               f"{cycles}, {cycles * 1e6 / CORE_HZ:.1f} us",
               cycles <= HELD_CYCLES_MAX)


def held_lines(table, folder):
    for side in (2, 5):
        held_line(table, f"discovery {side}x{side}", of_discovery(side))
    held_line(table, "console's long replies", of_console())
    held_line(table, "two circuits cross", of_relays())
    held_line(table, "four ports receive", four_ports(0).held)
    held_line(table, "the same, 1 % damaged", four_ports(DAMAGE).held)
    for what, damage, ask in (("", 0, False), (", peeks of all", 0, True),
                              (", 1 % damaged", DAMAGE, False)):
        held_line(table, "a search" + what, of_job(folder, damage, ask))
    table.line("chip: what a port's ring holds, cycles", None,
               f"{RING_CYCLES}, {RING_BYTES * BYTE_US:.0f} us")


# ---- what a byte costs ----

def busy_cycles(it):
    """Of all boards, those in which they did not sleep."""
    return sum(board["cycle"] - board["slept"] for board in it.stats())


def spent_cycles(way):
    """Of all boards of 4x1 in a second, while board 0 sends this way; bytes
    through board 1."""
    with found(4, 1) as it:
        before, busy = it.counters(1), busy_cycles(it)
        it.command("type", 0, f"ping {way} {PING_BYTES} 100")
        it.run(1e6)
        cycles, after = busy_cycles(it) - busy, it.counters(1)
        return cycles, sum(after[port]["bytes_in"] - before[port]["bytes_in"]
                           for port in ("east", "west"))


def byte_lines(table):
    """Two circuits can cross a board at once."""
    one, _ = spent_cycles("E1")
    two, relayed = spent_cycles("E2")
    most = CORE_HZ * BITS // BAUD // 2
    table.figure("chip: cycles that a relayed byte costs",
                 (two - one) / relayed, "{:.0f}", most=most)


def saturated_line(table, count):
    busy = four_ports(0, count)
    table.line(f"chip: four ports receive for {busy.seconds:.0f} s",
               "nothing lost", "nothing lost" if busy.clean else "bytes lost",
               busy.clean)
    table.line("chip: share of its cycles that takes",
               f"{SHARE_MAX:.2f} at most", f"{busy.share:.2f}",
               busy.share <= SHARE_MAX)


def image_of(folder, baud):
    """The firmware with ports of that baud."""
    elf = folder / "stm32f405" / "firmware.elf"
    subprocess.run(["make", "-s", "-C", mesh.ROOT, f"BUILD={folder}",
                    f"BAUD={baud}", elf], check=True, timeout=LIMIT_S,
                   stdout=subprocess.DEVNULL)
    return elf.with_suffix(".bin")


def baud_lines(table, folder):
    """At other bauds, 0.3 s each; the highest that loses nothing."""
    best = 0
    for baud in BAUDS:
        image = image_of(folder / str(baud), baud)
        try:
            busy = four_ports(0, image=image)
        except Failed as error:
            table.line(f"chip: four ports at {baud / 1e6:g} Mbaud", None,
                       str(error)[:60])
            continue
        best = max(best, baud if busy.clean else 0)
        table.line(f"chip: four ports at {baud / 1e6:g} Mbaud", None,
                   f"{'nothing' if busy.clean else 'bytes'} lost, "
                   f"{busy.share:.2f} of the cycles")
    table.line("chip: highest baud without loss", f"{BAUD / 1e6:g} Mbaud",
               f"{best / 1e6:g} Mbaud", best >= BAUD)


def lines(bench):
    """All; four ports are busy for so many seconds in the boards' time as the
    first word says."""
    table, folder = bench.table, bench.folder
    seconds = float(bench.words[0]) if bench.words else 10
    table.headings("what", "must be", "measured", "met")
    held_lines(table, folder)
    byte_lines(table)
    saturated_line(table, max(1, round(
        seconds * 1e6 / (PING_BYTES * BYTE_US * 1.08))))
    baud_lines(table, folder)
