# SPDX-License-Identifier: Apache-2.0
"""`quincunx certificate` by an independent check, and that check itself."""
import subprocess
import sys

import pytest

import torus
from core import ROOT

CHECK = ROOT / "test" / "oracle" / "check_certificate.py"
CASES = [(5, "0,0"), (5, "4,2"), (25, "0,0"), (25, "17,24")]


def certificate(quincunx, side, originator):
    done = subprocess.run(
        [quincunx, "certificate", "--torus", str(side), "--originator",
         originator], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def verify(text, side, originator="0,0"):
    """(exit status, standard error) of the independent check."""
    done = subprocess.run(
        [sys.executable, CHECK, "--torus", str(side), "--originator",
         originator], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def honest(quincunx):
    """The certificate of 5 x 5, line by line."""
    return certificate(quincunx, 5, "0,0").splitlines()


@pytest.mark.parametrize("side, originator", CASES)
def test_certificate_holds(quincunx, side, originator):
    status, trouble = verify(certificate(quincunx, side, originator), side,
                             originator)
    assert status == 0, trouble


@pytest.mark.parametrize("side, originator", CASES)
def test_certificate_is_the_oracles_scatter(quincunx, side, originator):
    def name(node):
        return f"{node[0]},{node[1]}"

    start = tuple(map(int, originator.split(",")))
    want = {"\t".join([str(one.phase), name(one.source), name(one.nodes[-1])]
                      + [f"{name(a)}-{name(b)}" for a, b
                         in zip(one.nodes, one.nodes[1:])])
            for one in torus.scatter(side, start)}
    lines = [line for line
             in certificate(quincunx, side, originator).splitlines()
             if not line.startswith("#")]
    assert set(lines) == want and len(lines) == len(want)


def test_one_phase_only(quincunx):
    done = subprocess.run([quincunx, "certificate", "--torus", "25",
                           "--phase", "3"], capture_output=True, text=True,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line[0] != "#"]
    assert done.returncode == 0
    assert len(lines) == 100
    assert {line.split("\t")[0] for line in lines} == {"3"}


def circuits(lines):
    return [i for i, line in enumerate(lines) if not line.startswith("#")]


def drop_a_circuit(lines):
    del lines[circuits(lines)[-1]]


def repeat_a_circuit(lines):
    lines.append(lines[-1])


def drop_a_link(lines):
    fields = lines[circuits(lines)[0]].split("\t")
    del fields[4]
    lines[circuits(lines)[0]] = "\t".join(fields)


def swap_links(lines):
    fields = lines[circuits(lines)[0]].split("\t")
    fields[3], fields[4] = fields[4], fields[3]
    lines[circuits(lines)[0]] = "\t".join(fields)


def claim_another_end(lines):
    i = circuits(lines)[-1]
    fields = lines[i].split("\t")
    fields[2] = "0,0"
    lines[i] = "\t".join(fields)


def go_x_first(lines):
    """Dimension order: ends as before, but knights now meet."""
    for i in circuits(lines)[:4]:
        fields = lines[i].split("\t")
        ends = [tuple(map(int, n.split(","))) for n in fields[1:3]]
        nodes = [ends[0]]
        for axis in (0, 1):
            far = (ends[1][axis] - ends[0][axis]) % 5
            step = 1 if far <= 2 else -1
            while nodes[-1][axis] != ends[1][axis]:
                node = list(nodes[-1])
                node[axis] = (node[axis] + step) % 5
                nodes.append(tuple(node))
        fields[3:] = [f"{a[0]},{a[1]}-{b[0]},{b[1]}"
                      for a, b in zip(nodes, nodes[1:])]
        lines[i] = "\t".join(fields)


def jump(lines):
    i = circuits(lines)[0]
    fields = lines[i].split("\t")
    lines[i] = "\t".join(fields[:3] + [f"{fields[1]}-{fields[2]}"])


def send_before_the_load_is_there(lines):
    """A circuit of phase 2 from a node that phase 1 has not reached."""
    i = next(i for i in circuits(lines) if lines[i].startswith("2\t3,1"))
    lines.insert(circuits(lines)[0], "1" + lines[i][1:])
    del lines[i + 1]


def go_back_a_phase(lines):
    i = circuits(lines)[0]
    lines.append(lines.pop(i))


def leave_the_torus(lines):
    i = circuits(lines)[0]
    lines[i] = lines[i].replace("1,2", "1,7")


def write_nonsense(lines):
    lines.append("2\tone,two")


def say_nothing(lines):
    lines.clear()


@pytest.mark.parametrize("tamper", [
    drop_a_circuit, repeat_a_circuit, drop_a_link, swap_links,
    claim_another_end, go_x_first, jump, send_before_the_load_is_there,
    go_back_a_phase, leave_the_torus, write_nonsense, say_nothing])
def test_tampered_certificate_is_refused(honest, tamper):
    lines = list(honest)
    tamper(lines)
    status, trouble = verify("".join(line + "\n" for line in lines), 5)
    assert status == 1
    assert "does not hold" in trouble


def test_dimension_order_is_refused_because_circuits_meet(honest):
    lines = list(honest)
    go_x_first(lines)
    assert "shares link" in verify("\n".join(lines), 5)[1]


def test_another_originator_or_torus_is_refused(honest):
    text = "\n".join(honest)
    assert verify(text, 5)[0] == 0
    assert verify(text, 5, "1,0")[0] == 1
    assert verify(text, 25)[0] == 1
