# SPDX-License-Identifier: Apache-2.0
"""A report's times of modelled boards beside the model's own: when functions of
the image were called, and returned (`mark` of test/boards/chip)."""
import json

import chip_bench

SPIN = "spin_run"
MARKS = ("carry_out", "originator_start", "circuit_receive_until", SPIN)
PS_PER_US = 1e6
PART, LEAST_US = 0.01, 100  # by how much a time may be off
PPM = 100                   # what crystals are off by, at most
COMMAND_US = 600_000_000
PROFILE = "startup = 145.8us\ntransfer = 5.185us\nhop_delay = 303.5us\n"


class Calls:
    """What was marked; each is (begin, end), in microseconds."""

    def __init__(self, it):
        names = {at & ~1: name for name, at in
                 chip_bench.symbols(chip_bench.KERNELS).items()
                 if name in MARKS}
        self.of, begun = {}, {}
        for us, board, at, back in it.command("marked")["marked"]:
            key = board, names[at]
            if not back:
                begun[key] = us
            elif key in begun:
                self.of.setdefault(key, []).append((begun.pop(key), us))
        (self.start, _), = self.of[0, "originator_start"]
        self.end = min(end for _, end in self.of[0, "carry_out"]
                       if end > self.start)
        self.order = max(end for _, end in self.of[0, "circuit_receive_until"]
                         if end < self.start)

    def computed(self, board):
        return [(begin - self.start, end - self.start)
                for begin, end in self.of.get((board, SPIN), [])
                if self.start < begin < self.end]


def boards(width, height, chance):
    """Boards with crystals of their own, which note what is marked."""
    it = chip_bench.Bench(width, height, image=chip_bench.KERNELS, power=False)
    for board in range(width * height):
        it.set(board, "hse_ppm", round(chance.uniform(-PPM, PPM), 2))
    it.command("power", "all", "on")
    it.up(chip_bench.START_US)
    at = chip_bench.symbols(chip_bench.KERNELS)
    it.command("mark", *(at[name] for name in MARKS))
    return it


def measured(it, folder, bytes_, arg, *options, damage=0):
    """What a report says of a spin's times; and the model of the same."""
    (folder / "profile").write_text(PROFILE)
    (folder / "load").write_bytes(bytes(bytes_))
    worse = [("damage", "all", port, damage) for port in chip_bench.PORTS]
    done = it.host(
        "run", "--mesh", f"{it.width}x{it.height}", "--profile",
        folder / "profile", "--json", "--kernel", "spin", "--arg", arg,
        *options, folder / "load", steps=[it.ordered(*worse)] if damage else [],
        us=COMMAND_US)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["average_node_ps"].get("ports", 0) == sum(
        node["ports_ps"] for node in report["measured"]["nodes"]
    ) // (it.width * it.height)
    return report["measured"], Calls(it)


def answer_us(report):
    return report["answer_ps"] / PS_PER_US


def times(it, report, calls):
    """[(what, us that the report says, us by the model), ..]"""
    rows = [("answer", answer_us(report), calls.end - calls.order),
            ("preparing", report["preparing_ps"] / PS_PER_US,
             calls.start - calls.order)]
    for node in report["nodes"]:
        whole = {"compute_start_ps": node["compute_start_ps"],
                 "compute_end_ps": node["finished_ps"]}
        said = node.get("rounds", [whole])
        true = calls.computed(node["y"] * it.width + node["x"])
        if "rounds" not in node:  # of a farm: from the first to the last
            true = [(true[0][0], true[-1][1])]
        assert len(said) == len(true), (node, true)
        rows += [(f"{node['x']},{node['y']} {name} {k}",
                  interval[f"compute_{name}_ps"] / PS_PER_US, us)
                 for k, (interval, both) in enumerate(zip(said, true))
                 for name, us in zip(("start", "end"), both)]
    return rows


def off(said, true):
    """By how much a time is off, of what it may be."""
    return abs(said - true) / max(PART * true, LEAST_US)
