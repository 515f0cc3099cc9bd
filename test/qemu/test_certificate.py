# SPDX-License-Identifier: Apache-2.0
"""`quincunx certificate`: all circuits, with all their links, are those of the
scatter that test/oracle/torus.py grows; test_torus.py finds these disjoint."""
import mesh
import torus


def lines_of(*args):
    done = mesh.command("certificate", *args)
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in done.stdout.splitlines()
            if not line.startswith("#")]


def test_the_certificate_is_the_scatter():
    """Phase by phase."""
    def name(node):
        return f"{node[0]},{node[1]}"

    for side, originator, phase in ((5, (4, 2), None), (25, (17, 24), None),
                                    (25, (0, 0), 3)):
        lines = lines_of("--torus", side, "--originator",
                         "%d,%d" % originator,
                         *(["--phase", phase] if phase else []))
        assert sorted(lines) == sorted(
            "\t".join([str(one.phase), name(one.source), name(one.nodes[-1]),
                       *(f"{name(a)}-{name(b)}" for a, b
                         in zip(one.nodes, one.nodes[1:]))])
            for one in torus.scatter(side, originator)
            if phase in (None, one.phase))
        phases = [int(line.split("\t")[0]) for line in lines]
        assert phases == sorted(phases)
