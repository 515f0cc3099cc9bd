# SPDX-License-Identifier: Apache-2.0
"""The page of a run while it runs: what is served, to whom, and that a run
never minds."""
import ctypes
import json
import re
import shutil
import socket
import subprocess

import pytest

import mesh
import served
import torus  # of the oracle, whose path mesh adds
from core import BUILD
from guard import GUARD_S

MIB = 1 << 20


# ---- the server alone ----

@pytest.fixture(name="server")
def server_fixture():
    """The library, and one server with its port and token."""
    lib = ctypes.CDLL(str(BUILD / "test" / "serve.so"))
    lib.serve_start.restype = ctypes.c_void_p
    lib.serve_address.restype = ctypes.c_char_p
    for name in ("serve_address", "serve_page", "serve_send", "serve_end",
                 "serve_streams", "serve_settle", "serve_stop"):
        getattr(lib, name).argtypes = [ctypes.c_void_p]
    lib.serve_page.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                               ctypes.c_size_t, ctypes.c_char_p]
    lib.serve_send.argtypes = lib.serve_end.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    server = lib.serve_start(0)
    address = lib.serve_address(server).decode()
    lib.serve_page(server, b"<p>page", 7, b"default-src 'none'")
    yield lib, server, address
    lib.serve_stop(server)


class Allocated(ctypes.Structure):
    """struct mallinfo2, mallinfo(3)."""
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
        "uordblks", "fordblks", "keepcost")]


def allocated():
    """Bytes that this process holds of the allocator."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Allocated
    now = libc.mallinfo2()
    return now.uordblks + now.hblkhd


def deaf_clients(address, count):
    port, token = re.search(r":(\d+)/(\w+)", address).groups()
    return [served.deaf(int(port), f"/{token}/events") for _ in range(count)]


def test_clients_that_never_read(server):
    """Each holds one event at most, and sending never waits for them; those
    that are too many wait until others go; none is in the way of the end."""
    lib, handle, address = server
    clients = deaf_clients(address, 8)
    mesh.until(lambda: lib.serve_streams(handle) == 8)
    data = b'"' + b"x" * MIB + b'"'
    before = allocated()
    for _ in range(100):
        lib.serve_send(handle, b"run", data)
    assert MIB <= allocated() - before < 10 * MIB
    clients += deaf_clients(address, 12)
    for _ in range(4):
        mesh.until(lambda: lib.serve_streams(handle) == 16)
        clients.pop(0).close()
        lib.serve_send(handle, b"run", b"0")
    for client in clients:
        client.close()
    lib.serve_send(handle, b"run", b"0")
    mesh.until(lambda: lib.serve_streams(handle) == 0)


def test_who_comes_later_gets_the_newest(server):
    lib, handle, address = server
    for number in range(5):
        lib.serve_send(handle, b"run", str(number).encode())
    stream = served.events(address)
    assert next(stream) == ("run", 4)
    other = served.events(address)
    assert next(other) == ("run", 4)
    lib.serve_send(handle, b"run", b"5")
    assert next(stream) == next(other) == ("run", 5)
    lib.serve_end(handle, b"end", b"6")
    assert list(stream) == list(other) == [("end", 6)]
    assert list(served.events(address)) == [("end", 6)]
    mesh.until(lambda: lib.serve_streams(handle) == 0)


def test_clients_that_never_finish_their_requests(server):
    """As many as may be: another one gets the page, for which the one that
    came first goes, and the last one stays."""
    _, _, address = server
    port, path = re.search(r":(\d+)(/.*)", address).groups()
    clients = []
    for _ in range(16):
        clients.append(socket.create_connection(("127.0.0.1", int(port))))
        clients[-1].sendall(b"GET / HTTP/1.1\r\n")
    assert served.get(int(port), path)[0] == 200
    assert clients[0].recv(1) == b""
    with pytest.raises(BlockingIOError):
        clients[-1].recv(1, socket.MSG_DONTWAIT)
    for client in clients:
        client.close()


# ---- a run that stands still ----

@pytest.fixture(scope="module", name="load")
def load_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "load"
    path.write_bytes(mesh.mixed(50_000, mesh.seeded("serve")))
    return path


VICTIM = (1, 2)


def at(place):
    return place[1] * 5 + place[0]


@pytest.fixture(scope="module", name="hanging")
def hanging_fixture(tmp_path_factory, load):
    """25 boards, of which one hangs: all others have done what they can."""
    image = tmp_path_factory.mktemp("image") / "image.elf"
    shutil.copy(mesh.FIRMWARE, image)
    with served.Served(
            "run", "--mesh", "5x5", "--kernel", "spin", "--arg", "1",
            "--rounds", "1", "--inject", f"hang@{VICTIM[0]},{VICTIM[1]}",
            "--watchdog", "3600", "--firmware", image, "--serve",
            load) as run:
        run.image = image
        for name, data in run.events():
            assert name == "run"
            if data["states"].count("2") == 1 and data["circuits"]:
                break
        yield run
        assert run.interrupt()[0] in (130, -9)
        mesh.until(lambda: not mesh.boards_with(image))


def test_the_page_before_the_end(hanging):
    status, headers, body = hanging.get()
    assert status == 200
    assert [headers[name] for name in (
        "Cache-Control", "Referrer-Policy", "X-Content-Type-Options",
        "Cross-Origin-Resource-Policy")] == [
            "no-store", "no-referrer", "nosniff", "same-origin"]
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    text = body.decode()
    inside = json.loads(re.search(
        r'<script id="report" type="application/json">(.*?)</script>', text,
        re.DOTALL)[1])
    assert inside["mesh"]["width"] == inside["mesh"]["height"] == 5
    assert inside["kernel"] == "spin"
    assert not re.search(r"https?://(?!www\.w3\.org)", text)


def test_what_is_to_be_seen(hanging):
    """The node that hangs is at work, no other is. What follows would come
    later than what it may still do; the parts before that went as the oracle
    walks them."""
    wanted = {(c.phase, at(c.nodes[0]), at(c.nodes[-1]), len(c.nodes) - 1)
              for c in torus.scatter(5, (0, 0)) if c.phase == 1}
    for name, data in hanging.events():
        parts = {(c[1], c[2], c[4], c[6]) for c in data["circuits"]
                 if c[0] == 1}
        if parts == wanted and [i for i, state in enumerate(data["states"])
                                if state == "2"] == [at(VICTIM)]:
            break
    assert (name, data["stage"], data["up"]) == ("run", "running", 25)
    for circuit in data["circuits"]:
        request, grant, end = circuit[-3:]
        assert 0 <= request <= grant < end


def test_what_else_is_asked_for(hanging):
    """A wrong path says nothing, whether its token is wrong, cut, or right with
    something else behind; nothing can be written; only this machine is served,
    by its name."""
    token = hanging.token
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    for path in ("/", "", "/events", f"/{token}", f"/{token}x/",
                 f"/{token}/x", f"//{token}/", f"/{wrong}/",
                 f"/{wrong}/events", f"/{token}/../{token}/", "/%00/",
                 f"/{token[:-1]}/"):
        status, headers, body = hanging.get(path)
        assert (status, body) == (404, b"not found\n"), path
        assert token not in str(headers)
    for method in "POST", "PUT", "OPTIONS", "NONSENSE":
        body = b"x" * 100_000 if method in ("POST", "PUT") else None
        status, headers, said = hanging.get(method=method, body=body)
        assert (status, headers["Allow"], said) == (
            405, "GET, HEAD", b"only GET and HEAD\n"), method
    status, headers, body = hanging.get(method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(hanging.get()[2])
    for host in "127.0.0.1:80", "localhost", "localhost:8080":
        assert hanging.get(host=host)[0] == 200, host
    for host in ("evil.example", "127.0.0.1.evil", "localhost.evil:80",
                 "127.0.0.1:80.evil", "", "evil.example:127.0.0.1"):
        assert hanging.get(host=host)[0] == 404, host
    with socket.create_connection(("127.0.0.1", hanging.port)) as client:
        client.sendall(f"GET /{token}/ HTTP/1.0\r\n\r\n".encode())
        assert b" 404 " in client.recv(100), "without a host"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", hanging.port))


def test_a_port_in_use(hanging, load, tmp_path):
    """Nothing is started, and nothing written."""
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "spin", "--arg", "1", f"--serve={hanging.port}",
                        "--report", tmp_path / "report", load)
    assert done.returncode == 1 and done.stdout == ""
    assert f"--serve '{hanging.port}'" in done.stderr
    assert ("in use; must be a port that is free, or none: then one is chosen"
            in done.stderr)
    assert not list(tmp_path.iterdir())


def test_boards_hold_no_socket_of_the_server(hanging):
    for pid in mesh.boards_with(hanging.image):
        done = subprocess.run(["ls", "-l", f"/proc/{pid}/fd"], check=False,
                              capture_output=True, text=True)
        sockets = set(re.findall(r"socket:\[(\d+)\]", done.stdout))
        with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
            listening = {line.split()[9] for line in list(file)[1:]
                         if line.split()[1].endswith(f":{hanging.port:04X}")}
        assert not sockets & listening


def test_an_interrupted_run(hanging):
    """The last of this fixture: the page is told, nothing stays behind."""
    stream = hanging.events()
    next(stream)
    assert hanging.interrupt()[0] == 130
    assert list(stream)[-1] == ("end", {"report": False})
    mesh.until(lambda: not mesh.boards_with(hanging.image))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", hanging.port))


# ---- runs that end ----

def test_a_run_is_the_same(load, tmp_path):
    """With a reader, and one that never reads; and the page that is left is the
    one that --html writes. With sanitizers: nothing is used after it was freed,
    and all is freed."""
    line = ["run", "--mesh", "5x5", "--on", "native", "--kernel", "search",
            "--arg", "the"]
    plain = tmp_path / "plain"
    done = mesh.command(*line, "--report", plain, load)
    assert done.returncode == 0
    page = tmp_path / "page"
    with served.Served(*line, "--serve", "--json", "--html", page, load,
                       program=BUILD / "test" / "quincunx") as run:
        deaf = served.deaf(run.port, f"/{run.token}/events")
        seen = list(run.events())
        assert seen[-1] == ("end", {"report": True})
        run.wait_for_stay()
        assert run.get()[2] == page.read_bytes()
        assert run.get(f"/{run.token}/events")[2] == (
            b'event: end\ndata: {"report":true}\n\n')
        status, out, err = run.interrupt()
        deaf.close()
    assert (status, err) == (0, "")
    report, expected = json.loads(out), json.loads(plain.read_text("utf-8"))
    for one in report, expected:
        for key in ("command", "wall_s", "memory"):
            one.pop(key, None)
    assert report == expected


def test_it_ends_with_its_input(load):
    """With that of a pipe, unless the load comes from there; at the port that
    is given."""
    line = ["run", "--mesh", "5x5", "--on", "native", "--kernel", "spin",
            "--arg", "1", "--serve"]
    with served.Served(*line, load, stdin=subprocess.PIPE) as run:
        run.wait_for_stay()
        assert run.process.poll() is None
        run.process.stdin.close()
        run.process.stdin = None
        assert run.process.wait(GUARD_S) == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line[-1] = f"--serve={port}"
    with load.open("rb") as file, subprocess.Popen(
            ["cat"], stdin=file, stdout=subprocess.PIPE) as cat, \
            served.Served(*line, "-", stdin=cat.stdout) as run:
        assert run.port == port
        run.wait_for_stay()
        assert run.get()[0] == 200
        assert run.interrupt()[0] == 0


# ---- in a browser ----

@pytest.fixture(scope="module", name="window")
def window_fixture():
    import browser  # of packages that `make test` does without

    with browser.window() as window:
        yield window


def shown(window):
    """All that a page shows, but for what its colours say."""
    return window.run("return document.body.innerText"), [
        window.picture(name) for name in ("#map", "#gantt")]


@pytest.mark.boards
def test_the_page_follows_a_run(window, load, tmp_path):
    """From its begin to the page that --html writes: without a message of the
    console, and without a request to anybody else."""
    page = tmp_path / "page.html"
    big = mesh.zeros(tmp_path / "big", 4_000_000)
    with served.Served("run", "--mesh", "5x5", "--kernel", "spin", "--arg",
                       "400", "--serve", "--html", page, big) as run:
        window.open_at(run.address)
        window.wait("report.live && circuits.length > 0")
        assert window.text("#verdict").startswith("The job runs")
        assert window.run("return view.ps") > 0
        window.wait("!report.live")
        run.wait_for_stay()
        window.settle()
        live = shown(window)
        assert window.messages() == []
        assert set(window.requests()) == {run.address, run.address + "events"}
        assert run.interrupt()[0] == 0
    window.open(page)
    assert shown(window) == live
    assert window.text("#verdict").startswith("25 boards computed")


@pytest.mark.boards
def test_the_page_of_a_run_that_fails(window, load):
    """A board hangs: it is the one at work. Nothing overlaps; the end is
    told."""
    with served.Served("run", "--mesh", "5x5", "--kernel", "spin", "--arg", "1",
                       "--rounds", "1", "--inject", "hang@1,2", "--watchdog",
                       "3600", "--serve", load) as run:
        window.open_at(run.address)
        window.wait("nodes.every(n => (n.state === 'work') === "
                    f"(n.index === {at(VICTIM)})) && circuits.length > 0")
        window.run(f"choose({at(VICTIM)})")
        window.settle()
        assert window.facts("#node-table")["at this time"] == "is at work"
        assert window.misfits() == {}
        assert run.interrupt()[0] == 130
        window.wait("live.closed")
        assert window.text("#verdict").startswith("The run failed")
        assert window.messages() == []
