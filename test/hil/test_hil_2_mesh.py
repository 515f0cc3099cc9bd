# SPDX-License-Identifier: Apache-2.0
"""The boards find each other."""
import pytest

import rig
from chip_bench import PORTS, opposite, step


def test_discovery_finds_no_fault(mesh_up, notes):
    with mesh_up.console() as console:
        first, rows, last = console.ask("mesh %d %d 0 0" % mesh_up.size,
                                        rig.CIRCUITS_S)
        assert first.startswith("ok") and rows == [], (first, rows, last)
        assert "err=" not in last
        said = console.values("ident")
    assert (said["width"], said["height"]) == tuple(mesh_up.mesh.split("x"))
    assert (said["x"], said["y"], said["originator"]) == ("0", "0", "0,0")
    notes.add("boards that were found", len(mesh_up.nodes))


def test_links_are_good_and_lead_where_they_should(mesh_up):
    """Of the board at the port, which has no record of a fault."""
    with mesh_up.console() as console:
        _, rows, _ = console.ask("links")
        assert "record=none" in console.ask("fault")[0]
    links = {rig.words(row)["port"]: rig.words(row) for row in rows}
    assert set(links) == set(PORTS)
    for port, link in links.items():
        x, y = step(0, 0, port, *mesh_up.size)
        assert (link["test"], link["x"], link["y"], link["to"]) == (
            "good", str(x), str(y), opposite(port)), link


@pytest.mark.parametrize("dx, dy", [(1, 0), (0, -1)])
def test_a_mesh_of_another_size_is_refused(mesh_up, notes, dx, dy):
    """Discovery sees that the walk round does not close; and finds the mesh
    again after that."""
    width, height = mesh_up.size[0] + dx, mesh_up.size[1] + dy
    if min(width, height) < 1:
        pytest.skip("no such mesh")
    line = mesh_up.run_line(mesh_up.load(b"nothing at all"))
    line[line.index(mesh_up.mesh)] = f"{width}x{height}"
    done = mesh_up.command(*line)
    assert done.returncode == 1 and done.stdout == ""
    assert f"the mesh is not a {width}x{height} torus" in done.stderr
    assert "(0,0) east: " in done.stderr or "(0,0) north: " in done.stderr
    test_discovery_finds_no_fault(mesh_up, notes)
    notes.rows.pop()
