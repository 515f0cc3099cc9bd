# SPDX-License-Identifier: Apache-2.0
"""The figures of Blazewicz, Drozdowski, Guinand, Trystram 1999, section 4, by
`quincunx plan`, and a figure 9 of our own:

  3 to 6   makespan over load, on 25 to 3,125 nodes, and on 15,625
  7        speedup over nodes, for several loads
  8        speedup over nodes: this scatter, and nearest idle nodes
  9        makespan over load, of one round and of the best number of rounds,
           divided by a lower bound

A unit takes 1 us of compute time. Writes figure-N.csv and figure-N.svg.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import tempfile

COMPUTE_PS = 10 ** 6
LOADS = [step * 10 ** k for k in range(3, 9) for step in (1, 2, 5)] + [10 ** 9]
NAMES = {3: "1k", 5: "100k", 7: "10M", 9: "1G"}  # of 10^3 units, ..
# Startup, and transfer time of a unit, ps; what the paper's scan leaves open.
COSTS = {3: (0, 2 * 10 ** 6, ""), 4: (0, 1, ""),
         5: (50 * 10 ** 6, 1, "startup assumed"), 6: (4850000, 3300, ""),
         7: (10 ** 7, 10 ** 5, "startup assumed"),
         8: (0, 10 ** 4, "transfer time assumed"), 9: (4850000, 3300, "")}
OVER_LOAD = (3, 4, 5, 6, 9)
TITLES = {3: "makespan over load", 4: "makespan over load",
          5: "makespan over load", 6: "makespan over load, Cray T3D",
          7: "speedup over nodes",
          8: "speedup over nodes, of the scatter and sending to nearest idle "
             "nodes",
          9: "One round and the best of up to 16, over the lower bound, Cray "
             "T3D"}
NEAREST = ("nearest idle nodes: layer i has 4 i equal nodes, each served over "
           "one link")
COLUMNS = ["series", "nodes", "phases", "rounds", "load_units", "makespan_ps",
           "speedup", "bound_ps"]
POINT = ["figure", "nodes", "load_units", "makespan_ps", "rounds",
         "compute_ps", "on"]


# ---- from the model ----

class Planner:
    """Plans by the command, which `run` starts; a plan is made once."""

    def __init__(self, quincunx, run=subprocess.run):
        self.quincunx, self.run = quincunx, run
        self.known = {}

    def ask(self, costs, load, side, *more):
        key = costs, load, side, more
        if key not in self.known:
            done = self.run(
                [self.quincunx, "plan", "--json", "--torus", str(side),
                 "--load", str(load), "--compute", f"{COMPUTE_PS}ps",
                 "--startup", f"{costs[0]}ps", "--transfer", f"{costs[1]}ps",
                 *more], check=True, text=True, timeout=60,
                stdout=subprocess.PIPE)
            self.known[key] = json.loads(done.stdout)
        return self.known[key]

    def row(self, number, load, most, *more):
        """The best plan of at most so many phases. A torus has two phases for
        each power of five of its side."""
        costs, side = COSTS[number][:2], 5 ** ((most + 1) // 2)
        plan = self.ask(costs, load, side, *more)
        if plan["phases"] > most:
            plan = self.ask(costs, load, side, "--phases", str(most), *more)
        return {"nodes": 5 ** plan["phases"], "phases": plan["phases"],
                "rounds": plan["rounds"], "load_units": load,
                "makespan_ps": plan["makespan_ps"]}


def bound_ps(number, load, nodes):
    """A lower bound of the makespan, ps: four ports send from the first
    startup on, and at most five times as many nodes begin to compute with each
    further startup."""
    startup, transfer = COSTS[number][:2]
    ports = ((load * transfer + 4 * startup) * COMPUTE_PS
             / (transfer + 4 * COMPUTE_PS))
    ports = load * COMPUTE_PS if ports < startup else ports
    left, begun, working = load, 0, 1
    while working < nodes and left * COMPUTE_PS > working * startup:
        left -= working * startup / COMPUTE_PS
        begun += startup
        working *= 5
    return max(ports, begun + left * COMPUTE_PS / min(working, nodes))


def nearest(number, phases):
    """Sending to nearest idle nodes, on as many nodes as 5^phases allow. The
    nodes of layer i, 4 i at distance i, are equivalent; each gets its part,
    U_i / (4 i), of what layers i and beyond compute over one link. All end
    together: a_{i-1} = a_i + rho U_i / (4 i), where rho is the transfer time
    over the compute time of a unit. The speedup is (a_0 + U_1) / a_0."""
    load, share, beyond, layers = 10 ** 9, 1, 0, 0
    while 1 + 2 * (layers + 1) * (layers + 2) <= 5 ** phases:
        layers += 1
    for i in range(layers, 0, -1):
        beyond += 4 * i * share
        share += COSTS[number][1] / COMPUTE_PS * beyond / (4 * i)
    return {"nodes": 1 + 2 * layers * (layers + 1), "phases": layers,
            "rounds": 1, "load_units": load,
            "makespan_ps": round(load * COMPUTE_PS * share
                                 / (share + beyond))}


def series_of(planner, number):
    """Of each curve the name and the rows."""
    if number == 7:
        return {f"{name} units": [
            {**planner.row(number, 10 ** power, phases), "nodes": 5 ** phases}
            for phases in range(11)] for power, name in NAMES.items()}
    if number == 8:
        return {"Peters-Syska scatter": [planner.row(8, 10 ** 9, phases)
                                         for phases in range(9)],
                "nearest idle nodes": [nearest(8, phases)
                                       for phases in range(9)]}
    if number == 9:
        return {f"{name}, {5 ** phases} nodes": [
            {**planner.row(9, load, phases, *more),
             "bound_ps": math.ceil(bound_ps(9, load, 5 ** phases))}
            for load in LOADS] for phases in (2, 4) for name, more in (
                ("one round", ()), ("best rounds", ("--rounds", "auto")))}
    return {f"{5 ** phases} nodes": [planner.row(number, load, phases)
                                     for load in LOADS]
            for phases in range(2, 7)}


# ---- from meshes ----

# Side, phases, rounds and load of a run, and the figures that show it.
RUNS = [
    *[(5, "auto", "1", load, (3,)) for load in (10 ** 4, 10 ** 5, 10 ** 6)],
    *[(5, "auto", "1", load, (number,)) for number in (4, 5)
      for load in (10 ** 4, 10 ** 6)],
    *[(5, "auto", "1", 10 ** k, (6, 9)) for k in range(3, 8)],
    *[(5, "auto", "1", load, (7,)) for load in (10 ** 5, 10 ** 7)],
    *[(5, "auto", "auto", 10 ** k, (9,)) for k in range(5, 8)],
    (25, "3", "1", 10 ** 6, (6,)),
    *[(25, "auto", "1", 10 ** k, (6, 9)) for k in range(5, 8)],
    (25, "auto", "1", 10 ** 7, (7,)),
    *[(25, "auto", "auto", 10 ** k, (9,)) for k in range(5, 8)],
    (125, "auto", "1", 10 ** 6, (3,)),
    *[(125, "auto", "1", load, (4,)) for load in (10 ** 6, 10 ** 7)]]


def measure(quincunx, where, folder):
    """Carries the runs out on QEMU boards or native nodes. `spin 32` takes
    1.024 us a unit, so circuits cost 1.024 times what the figure says. Those
    of 15,625 nodes are left out where this host does not carry them."""
    points = []
    for i, (side, phases, rounds, load, numbers) in enumerate(RUNS, 1):
        print(f"run {i} of {len(RUNS)}: {side}x{side}, {load} units",
              flush=True)
        startup, transfer = (round(cost * 1.024)
                             for cost in COSTS[numbers[0]][:2])
        (folder / "profile").write_text(
            f"startup = {max(startup, 1)}ps\ntransfer = {transfer}ps\n"
            "hop_delay = 0\n")
        (folder / "zeros").write_bytes(bytes(load))
        done = subprocess.run(
            [quincunx, "run", "--json", "--on", where, "--mesh",
             f"{side}x{side}", "--kernel", "spin", "--arg", "32", "--profile",
             folder / "profile", "--rounds", rounds,
             *(["--phases", phases] if phases != "auto" else []),
             folder / "zeros"], text=True, capture_output=True, check=False,
            timeout=3600)
        if done.returncode != 0 and side == 125:
            print(f"left out: {done.stderr.strip()}", flush=True)
            continue
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        report = json.loads(done.stdout)
        points += [dict(zip(POINT, (
            number, 125 if phases == "3" else side * side, load,
            report["measured"]["makespan_ps"], report["plan"]["rounds"],
            report["plan"]["compute_ps_per_unit"], where)))
                   for number in numbers]
    return points


def read_points(path):
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(row for row in file if row[0] != "#")
        return [{key: value if key == "on" else int(value)
                 for key, value in row.items()} for row in rows]


def write_points(points, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# A unit took compute_ps; startup and transfer time of "
                   "the figure were larger\n# in proportion. A speedup is "
                   "load_units * compute_ps / makespan_ps.\n")
        rows = csv.DictWriter(file, POINT, lineterminator="\n")
        rows.writeheader()
        rows.writerows(points)


# ---- files ----

def time_text(ps):
    """Four digits: 4.850 us."""
    scaled, unit = (ps / 10 ** 6, "us") if ps >= 10 ** 6 else (ps / 1000, "ns")
    return (f"{scaled:.{max(0, 4 - len(str(int(scaled))))}f} {unit}" if ps
            else "0 s")


def subtitle(number):
    startup, transfer, assumed = COSTS[number]
    return (f"startup {time_text(startup)}, transfer {time_text(transfer)} "
            "and compute 1 us a unit" + (f" ({assumed})" if assumed else ""))


def write_csv(number, series, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(f"# {TITLES[number]}: {subtitle(number)}\n")
        if number == 8:
            file.write(f"# {NEAREST}; they are counted as its phases\n")
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows.writeheader()
        for name, several in series.items():
            for row in several:
                rows.writerow({"series": name, **row, "speedup": "%.9g" % (
                    row["load_units"] * COMPUTE_PS / row["makespan_ps"])})


def value(number, row):
    """The height in the picture: seconds (3 to 6), a speedup (7 and 8), a
    makespan over its bound (9). A measured makespan counts in proportion to
    its unit's compute time."""
    makespan = row["makespan_ps"] * COMPUTE_PS / row.get("compute_ps",
                                                         COMPUTE_PS)
    if number in (7, 8):
        return row["load_units"] * COMPUTE_PS / makespan
    if number == 9:
        return makespan / bound_ps(9, row["load_units"], row["nodes"])
    return makespan / 1e12


HEAD = """set terminal svg size 900,520 enhanced font "sans-serif,13" \
background "#ffffff"
set border 3 lc rgb '#606060'
set tics nomirror out
set grid xtics ytics lc rgb '#d8d8d8' lw 0.5 dt solid
set tmargin at screen 0.83
set bmargin at screen 0.13
set lmargin at screen 0.1
set rmargin at screen 0.73
set key at screen 0.75, 0.55 left center Left reverse samplen 2
"""
X_AXES = {"load": """set xlabel "load, units"
set xrange [1e3:1e9]
set xtics ("1k" 1e3, "10k" 1e4, "100k" 1e5, "1M" 1e6, "10M" 1e7, \
"100M" 1e8, "1G" 1e9)
""", 7: """set xlabel "nodes"
set xrange [1:9765625]
set format x "%.0f"
set xtics 1,25,9765625
unset mxtics
""", 8: """set xlabel "nodes"
set xrange [1:390625]
set format x "%.0f"
set xtics 1,5,390625
unset mxtics
"""}
Y_AXES = {7: """set logscale xy
set ylabel "speedup"
set yrange [1:100]
""", 8: """set logscale x
set ylabel "speedup"
set yrange [0:450]
""", 9: """set logscale x
set ylabel "makespan / lower bound"
set yrange [0.9:*]
set offsets 0, 0, graph 0.05, 0
"""}
MAKESPANS = """set logscale xy
set ylabel "makespan, s"
set format y "10^{%T}"
set mytics 10
"""
# The palette of Okabe and Ito, which the colour-blind can tell apart; and
# gnuplot's points, which series that meet are told apart by.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"]
SHAPES = [7, 5, 9, 13, 11]


def colour_of(number, point):
    """In figure 9 a measured point has the colour of its series."""
    return ("#000000" if number != 9 else
            COLOURS[2 * (point["nodes"] > 25) + (point["rounds"] > 1)])


def data_block(number, name, rows, colours):
    across = "load_units" if number in OVER_LOAD else "nodes"
    lines = [f"{row[across]} {value(number, row):.9g} 0x{colour[1:]}"
             for row, colour in zip(rows, colours)]
    return "\n".join([f"${name} << EOD", *lines, "EOD", ""])


def labels(number, points):
    title = (f"Fig. {number} of the paper: " if number < 9 else "")
    places = [text for on, text in (("qemu", "QEMU boards"),
                                    ("native", "native nodes"))
              if any(point["on"] == on for point in points)]
    below = subtitle(number) + ("; measured on " + " and ".join(places)
                                if places else "")
    below += f"\\n{NEAREST}" if number == 8 else ""
    return (f'set label "{title}{TITLES[number]}" at screen 0.015, screen '
            '0.955 left font "sans-serif,17"\n'
            f'set label "{below}" at screen 0.015, screen 0.905 left '
            'textcolor rgb "#404040"\n')


def write_svg(number, series, points, path):
    """Draws the curves by gnuplot; measured points of one round and, in
    figure 9, of several have shapes of their own."""
    several = [point for point in points
               if number == 9 and point["rounds"] > 1]
    kinds = [("m0", [point for point in points if point not in several], 6,
              "one round, measured" if number == 9 else "measured"),
             ("m1", several, 4, "best rounds, measured")]
    curves, script = [], HEAD + labels(number, points)
    script += X_AXES["load" if number in OVER_LOAD else number]
    script += Y_AXES.get(number, MAKESPANS)
    for k, (name, rows) in enumerate(series.items()):
        script += data_block(number, f"s{k}", rows, [COLOURS[k]] * len(rows))
        curves.append(f"$s{k} using 1:2 with linespoints lw 2 pt {SHAPES[k]} "
                      f"ps {1 - 0.17 * k:.2f} lc rgb '{COLOURS[k]}' "
                      f'title "{name}"')
    if number == 9:
        curves.append("1 with lines lw 1.5 dt 2 lc rgb '#000000' title "
                      '"lower bound"')
    for name, rows, shape, title in kinds:
        script += data_block(number, name, rows, [colour_of(number, row)
                                                  for row in rows])
        look = f"with points pt {shape} ps 1.4 lw 2 lc rgb"
        curves += [f"${name} using 1:2:3 {look} variable notitle, keyentry "
                   f"{look} '#000000' title \"{title}\""] if rows else []
    done = subprocess.run(["gnuplot", "--default-settings"], text=True,
                          input=f"{script}plot {', '.join(curves)}\n",
                          capture_output=True, check=True, timeout=60)
    path.write_text(re.sub(r"[ \t]+$", "", done.stdout, flags=re.M),
                    encoding="utf-8")


def draw(planner, measured, folder):
    """Writes all figures; their paths, as they are written."""
    for number in COSTS:
        series = series_of(planner, number)
        name = folder / f"figure-{number}"
        write_csv(number, series, name.with_suffix(".csv"))
        write_svg(number, series, [point for point in measured
                                   if point["figure"] == number],
                  name.with_suffix(".svg"))
        yield from (f"{name}.csv", f"{name}.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("quincunx")
    parser.add_argument("folder", type=pathlib.Path)
    points = parser.add_mutually_exclusive_group()
    points.add_argument("--measure", choices=("qemu", "native"),
                        help="run meshes, and draw their points too")
    points.add_argument("--measured", metavar="FILE",
                        help="draw the points of a measured.csv")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    measured = read_points(args.measured) if args.measured else []
    if args.measure:
        with tempfile.TemporaryDirectory() as folder:
            measured = measure(args.quincunx, args.measure,
                               pathlib.Path(folder))
        write_points(measured, args.folder / "measured.csv")
    for path in draw(Planner(args.quincunx), measured, args.folder):
        print(path, flush=True)


if __name__ == "__main__":
    main()
