# SPDX-License-Identifier: Apache-2.0
"""What a plan costs: instructions on the board, ours and in floating point;
what single precision loses; and the time of a solver on the host."""
import ctypes
import functools
import pathlib
import random
import subprocess
import sys
from fractions import Fraction

TEST = pathlib.Path(__file__).resolve().parent.parent
for folder in (TEST / "lib", TEST / "oracle"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
import model  # noqa: E402
import rounds  # noqa: E402
from core import BUILD, Input, PHASES_MAX, Plan, QEMU  # noqa: E402

IMAGE = BUILD / "test" / "planner_bench.elf"
LIBRARY = BUILD / "test" / "planner_bench.so"

STARTUP_MAX_PS = 2 ** 50

# Parameters of circuits without results, which all the twins can plan.
PLAIN = ("t3d", "t3d-1M", "small-startup", "fig3", "fig4", "hop-delays",
         "lvds", "uart", "slow-units", "fast-units")


@functools.cache
def board_lines():
    """What test/bench/planner/board.c prints, in words."""
    done = subprocess.run(
        [QEMU, "-M", "mps2-an385", "-nodefaults", "-display",
         "none", "-icount", "shift=5,sleep=off,align=off",
         "-chardev", "stdio,id=out",
         "-semihosting-config", "enable=on,target=native,chardev=out",
         "-kernel", IMAGE], capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=True)
    return [line.split() for line in done.stdout.splitlines()
            if not line.startswith("#")]


def counts():
    """{(variant, parameters, phases asked for): (planned, instructions)}."""
    table = {}
    for variant, parameters, *numbers in board_lines():
        if variant not in ("search", "stack"):
            phases, planned, instructions = map(int, numbers)
            table[variant, parameters, phases] = planned, instructions
    return table


def searches():
    """{(parameters, N_max): (N, R, instructions)} of whole plans; stack
    bytes."""
    found = {(parameters, int(most)): tuple(map(int, numbers))
             for variant, parameters, most, *numbers in board_lines()
             if variant == "search"}
    stack_bytes, = [int(words[2]) for words in board_lines()
                    if words[0] == "stack"]
    return found, stack_bytes


def host_library():
    host = ctypes.CDLL(str(LIBRARY))
    double_p = ctypes.POINTER(ctypes.c_double)
    float_p = ctypes.POINTER(ctypes.c_float)
    input_p = ctypes.POINTER(Input)
    host.solver_plan.argtypes = [double_p, input_p, ctypes.c_uint]
    host.solver_time_ns.argtypes = [input_p, ctypes.c_uint]
    host.solver_time_ns.restype = ctypes.c_double
    host.planner_time_ns.argtypes = [input_p, ctypes.c_uint]
    host.planner_time_ns.restype = ctypes.c_double
    host.twin_float_backward.argtypes = [float_p, input_p, ctypes.c_uint]
    host.twin_float_backward.restype = None
    for name in ("planner_plan", "twin_float", "twin_double"):
        getattr(host, name).argtypes = [ctypes.POINTER(Plan), input_p]
    return host


def input_of(load, compute, transfer, startup, phases):
    given = Input(load_units=load, compute_ps=compute, transfer_ps=transfer,
                  phases_max=phases)
    for i in range(phases):
        given.startup_ps[i] = startup
    return given


def draw_near_limit(rng):
    """A plan whose last share is a small part of what it could be."""
    while True:
        phases = rng.randint(1, 10)
        load = int(1000 * (2 ** 32 / 1000) ** rng.random())
        compute = 10 ** 6
        transfer = int(compute * 10 ** rng.uniform(-6, 1))
        q = 5 + Fraction(transfer, compute)
        limit = load * compute * (q - 1) / (q ** phases - 1)
        startup = int(limit * (1 - Fraction(10) ** rng.randint(-6, -1)))
        if startup <= STARTUP_MAX_PS:
            return load, compute, transfer, startup, phases


def misses(host, cases=3000, seed=1999):
    """{variant: (plans with a share off by more than a unit, the worst)}."""
    rng = random.Random(seed)
    found = {"planner": (0, 0), "double": (0, 0), "float": (0, 0),
             "float-backward": (0, 0)}
    for _ in range(cases):
        load, compute, transfer, startup, phases = draw_near_limit(rng)
        exact = model.solve(load, compute, [transfer] * phases,
                            [startup] * phases).shares
        given = input_of(load, compute, transfer, startup, phases)
        shares = (ctypes.c_float * (PHASES_MAX + 1))()
        host.twin_float_backward(shares, given, phases)
        got = {"float-backward": [Fraction(x) for x in shares]}
        for name, function in (("planner", host.planner_plan),
                               ("double", host.twin_double),
                               ("float", host.twin_float)):
            plan = Plan()
            function(plan, given)
            # Floors: half a unit more is the middle of what they stand for.
            got[name] = [x + Fraction(1, 2) for x in plan.share_units]
            if plan.phases != phases:
                got[name] = [Fraction(0)] * (phases + 1)
        for name, (plans, worst) in found.items():
            off = max(abs(a - b) for a, b in zip(got[name], exact))
            found[name] = plans + (off > 1), max(worst, float(off))
    return found


def check_solver(host, phases):
    """The input of a plan that GLPK finds, too."""
    given = input_of(10 ** 9, 10 ** 6, 3300, 10, phases)
    plan = Plan()
    shares = (ctypes.c_double * (PHASES_MAX + 1))()
    assert host.planner_plan(plan, given) == 0 and plan.phases == phases
    assert host.solver_plan(shares, given, phases) == 0
    for ours, theirs in zip(plan.share_units[:phases + 1], shares):
        assert abs(theirs - ours - .5) < .51 + 1e-7 * theirs
    return given


def solver_ratios(host):
    """[(phases, planner ns, solver ns)]."""
    rows = []
    for phases in (2, 4, 10, 20):
        given = check_solver(host, phases)
        rows.append((phases, host.planner_time_ns(given, 20000),
                     host.solver_time_ns(given, 200)))
    return rows


# Sets of parameters of kernel spin 32 on boards, and N at most: instructions at
# most; all others may take OTHERS.
SEARCHES = {("t3d-1M", 2): 8000, ("t3d-1M", 4): 13_000, ("lvds-1M", 2): 13_000,
            ("lvds-1M", 4): 16_000, ("lvds-100k", 2): 10_000,
            ("lvds-100k", 4): 12_000}
OTHERS = 70_000
# Of sets whose startups do not depend on N: all that the oracle needs.
COSTS = {"t3d": (10 ** 9, 10 ** 6, 3300, 4_850_000),
         "spin": (4 * 10 ** 9, 10 ** 9, 200, 10),
         "fig3": (4 * 10 ** 9, 10 ** 6, 2 * 10 ** 6, 0)}


def above_the_best(parameters, most, chosen):
    """By what part a plan with that N and R is later than the exact best."""
    load, compute, transfer, startup = COSTS[parameters]
    plans = {(n, r + 1): plan for n in range(1, most + 1)
             for r, plan in enumerate(rounds.solve(rounds.Costs(
                 load=load, compute=compute, transfer=transfer,
                 startups=(startup,) * n), 16))}
    best = min(plan.makespan for plan in plans.values() if plan.feasible)
    return plans[chosen].makespan / best - 1


def lines(table):
    """What the board's plans may cost, in the bench's table."""
    cost, (found, stack_bytes) = counts(), searches()
    ours = {key[1:]: value[1] for key, value in cost.items()
            if key[0] == "planner"}
    four = max(value for (name, asked), value in ours.items()
               if asked == 4 and name != "worst")
    more = max(Fraction(value, ours[name, 4])
               for (name, asked), value in ours.items() if asked == 20)
    table.line("planner: instructions, 4 phases", "1299 at most", f"{four}",
               four < 1300)
    table.line("planner: 20 phases over 4", "6 at most", f"{float(more):.2f}",
               more <= 6)
    for name, least in (("double", 5), ("double-products", 1), ("float", 1),
                        ("float-search", 1)):
        ratio = min(Fraction(cost[name, one, asked][1], ours[one, asked])
                    for one in PLAIN for asked in (4, 20))
        table.line(f"planner: {name} over ours, least", f"{least} at least",
                   f"{float(ratio):.2f}", ratio > 1 and ratio >= least)
    others = max(instructions for key, (_, _, instructions) in found.items()
                 if key not in SEARCHES)
    for what, most, value in [
            *((f"{name}, N <= {least}", limit, found[name, least][2])
              for (name, least), limit in SEARCHES.items()),
            ("all others", OTHERS, others)]:
        table.line(f"planner: instructions of the search, {what}",
                   f"{most} at most", f"{value}", value <= most)
    late = max(above_the_best(name, most, found[name, most][:2])
               for name in COSTS for most in (2, 4))
    table.line("planner: the search's plan over the best", "0.01 % at most",
               f"{float(late):.4%}", late <= Fraction(1, 10 ** 4))
    table.line("planner: stack of a search, bytes", "3071 at most",
               f"{stack_bytes}", 500 < stack_bytes < 3072)
    host = host_library()
    for name, (plans, _) in misses(host, cases=600).items():
        exact = name in ("planner", "double")
        table.line(f"planner: 600 plans near the limit, {name} off by a unit",
                   "0" if exact else "30 at least", f"{plans}",
                   plans == 0 if exact else plans > 30)
    for phases, mine, solver in solver_ratios(host):
        table.line(f"planner: {phases} phases, GLPK's simplex over ours", None,
                   f"{solver / mine:.0f}")


def main():
    table = counts()
    others = ("double", "double-products", "float", "float-search")
    print(f"{'instructions on the board':27}{'planner':>8}"
          + "".join(f"{name:>24}" for name in others))
    for parameters in dict.fromkeys(key[1] for key in table):
        for asked in (4, 20):
            planned, ours = table["planner", parameters, asked]
            row = f"{parameters:18} N = {planned:2}   {ours:8}"
            for name in others if parameters in PLAIN else ():
                theirs = table[name, parameters, asked][1]
                row += f"{theirs:15} ({theirs / ours:5.1f} x)"
            print(row)
    found, stack_bytes = searches()
    print(f"\nthe best N with the best R of 1 to 16 and its tables, in "
          f"{stack_bytes} bytes of stack")
    for (parameters, most), (phases, several, instructions) in found.items():
        print(f"{parameters:18} N <= {most:2}: N = {phases:2}, R = {several:2}"
              f"{instructions:10} instructions")
    host = host_library()
    print("\n3000 random plans near the limit of what is feasible: a share off "
          "by more than a unit")
    for name, (plans, worst) in misses(host).items():
        print(f"{name:15} in {plans:4} plans, the worst by {worst:.3g} units")
    print("\nGLPK's simplex on the host for the same plan")
    for phases, ours, theirs in solver_ratios(host):
        print(f"N = {phases:2}   planner {ours:7.0f} ns   GLPK "
              f"{theirs / 1000:7.1f} us   {theirs / ours:6.0f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
