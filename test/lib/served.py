# SPDX-License-Identifier: Apache-2.0
"""A command that serves a page, and its clients."""
import json
import re
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request

import mesh
from guard import GUARD_S


def address_in(lines, before=None):
    """The page's address, once the command has said it; what it says before
    that goes to the list."""
    for line in lines:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/(\w+)/$", line)
        if found:
            return found[0]
        if before is not None:
            before.append(line)
    raise AssertionError(before)


class Served:
    """A command that serves a page, as a context: it is gone afterwards. Its
    stderr is read up to the address. Its pipes hold a report of 1 MB, which is
    read once it has ended; by itself a pipe holds 64 KiB."""

    def __init__(self, *args, program=mesh.QUINCUNX, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            [program, *map(str, args)], stdin=stdin, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=1 << 20)
        self.timer = threading.Timer(GUARD_S, self.process.kill)
        self.timer.start()
        self.before = []
        self.address = address_in(self.process.stderr, self.before)
        self.port, self.token = re.search(r":(\d+)/(\w+)",
                                          self.address).groups()
        self.port = int(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()

    def wait_for_stay(self):
        """Until the run is over and only the page is left."""
        while True:
            line = self.process.stderr.readline()
            if "the page stays" in line:
                return
            assert line, self.process.wait()

    def interrupt(self):
        """Ctrl-C; the exit status, standard output, and what more was said:
        readline() has read ahead, which communicate() would not see."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.stdout.read(), self.process.stderr.read()
        return self.process.wait(), out, err

    def get(self, path=None, method="GET", host=None, body=None):
        return get(self.port, path if path is not None
                   else f"/{self.token}/", method, host, body)

    def events(self):
        return events(self.address)


def get(port, path, method="GET", host=None, body=None):
    """(status, headers, body) of one request."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}",
                                     method=method, data=body)
    if host is not None:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=GUARD_S) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def events(address):
    """(name, data) of each event until the stream ends."""
    with urllib.request.urlopen(address + "events", timeout=GUARD_S) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        name = None
        for line in stream:
            if line.startswith(b"event: "):
                name = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:])


def deaf(port, path):
    """A client that asks and never reads; its socket."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return client
