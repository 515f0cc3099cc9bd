# SPDX-License-Identifier: Apache-2.0
"""Planned rounds whose rest is given to who asks: the answer is one board's,
and nodes end together where a plan is a little wrong.

QUINCUNX_SEED chooses loads and originators.
"""
import json

import mesh


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "t3d", "schedule": "hybrid", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_shares_of_uneven_cost(tmp_path):
    """The last quarter is three times as dear. All of it on demand, the nodes
    end together; planned, who has it ends at twice the bound."""
    load = tmp_path / "burst"
    load.write_bytes(bytes(750_000) + b"\xff" * 250_000)
    bound_ps = 1.5 * 10 ** 6 * 32 * 32000 / 25

    def makespan_ps(**options):
        report = run(load, arg="32,burst", on="qemu", **options)
        return report["measured"]["makespan_ps"]

    assert makespan_ps(schedule="peters-syska") > 1.9 * bound_ps
    assert makespan_ps(reserve=30) < 1.04 * bound_ps


def test_nothing_is_reserved_where_nothing_varies(tmp_path):
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    hybrid = run(load)
    static = run(load, schedule="peters-syska")
    assert (hybrid["measured"]["makespan_ps"]
            == static["measured"]["makespan_ps"])
