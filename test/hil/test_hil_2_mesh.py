# SPDX-License-Identifier: Apache-2.0
"""The boards find each other."""
import pytest

import emulated
import rig


def step(size, at, port):
    x, y = at
    dx, dy = {"east": (1, 0), "west": (-1, 0), "north": (0, 1),
              "south": (0, -1)}[port]
    return (x + dx) % size[0], (y + dy) % size[1]


def test_discovery_finds_no_fault(mesh_up, notes):
    """Emulated boards on a machine that is very busy may answer too late for
    a wave: they get three."""
    with mesh_up.console() as console:
        for _ in range(3 if mesh_up.emulated else 1):
            first, rows, last = console.ask("mesh %d %d 0 0" % mesh_up.size,
                                            rig.CIRCUITS_S)
            if not rows:
                break
        assert first.startswith("ok") and rows == [], (first, rows, last)
        assert "err=" not in last
        said = console.values("ident")
    assert (said["width"], said["height"]) == tuple(mesh_up.mesh.split("x"))
    assert (said["x"], said["y"], said["originator"]) == ("0", "0", "0,0")
    notes.add("boards that were found", len(mesh_up.nodes))


def check_links(mesh_up, at):
    with mesh_up.console(at) as console:
        _, rows, _ = console.ask("links")
    links = {rig.words(row)["port"]: rig.words(row) for row in rows}
    assert set(links) == set(emulated.PORTS)
    for port, link in links.items():
        x, y = step(mesh_up.size, at, port)
        assert link["test"] == "good", link
        assert (link["x"], link["y"]) == (str(x), str(y))
        assert link["to"] == emulated.opposite(port)


def test_links_are_good_and_lead_where_they_should(mesh_up):
    """Of the board at the port; emulated ones have all a console."""
    for at in [(0, 0)] + sorted(set(mesh_up.tty) - {(0, 0)}):
        check_links(mesh_up, at)


def test_nobody_has_a_fault_record(mesh_up):
    with mesh_up.console() as console:
        first, _, _ = console.ask("fault")
    assert "record=none" in first


@pytest.mark.parametrize("dx, dy", [(1, 0), (0, -1)])
def test_a_mesh_of_another_size_is_refused(mesh_up, dx, dy):
    """Discovery sees that the walk round does not close."""
    width, height = mesh_up.size[0] + dx, mesh_up.size[1] + dy
    if min(width, height) < 1:
        pytest.skip("no such mesh")
    line = mesh_up.run_line(mesh_up.load(b"nothing at all"))
    line[line.index(mesh_up.mesh)] = f"{width}x{height}"
    done = mesh_up.command(*line)
    assert done.returncode == 1 and done.stdout == ""
    assert f"the mesh is not a {width}x{height} torus" in done.stderr
    assert "(0,0) east: " in done.stderr or "(0,0) north: " in done.stderr


def test_it_is_found_again_after_that(mesh_up, notes):
    test_discovery_finds_no_fault(mesh_up, notes)
    notes.rows.pop()


@pytest.mark.parametrize("command", ["run", "calibrate"])
@pytest.mark.parametrize("port, words", [
    ("/dev/ttyNOWHERE0", "there is no such port"),
    ("/dev/null", "no serial port"), ("/", "no serial port")])
def test_a_port_that_is_none(mesh_up, command, port, words):
    if command == "run":
        line = mesh_up.run_line(mesh_up.load(b"nothing"))
        line[line.index(mesh_up.port)] = port
    else:
        line = ["calibrate", "--port", port, "--mesh", mesh_up.mesh]
    done = mesh_up.command(*line, seconds=30)
    assert done.returncode == 1 and done.stdout == ""
    assert f"{port}: " in done.stderr and words in done.stderr
