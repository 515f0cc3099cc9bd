# SPDX-License-Identifier: Apache-2.0
"""The host command, started 30 ms faster than the system does: a process that
has loaded its libraries forks for every run (forked.c). As subprocess.run()."""
import array
import io
import os
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time

from core import BUILD
from guard import GUARD_S

PRELOADED = BUILD / "test" / "forked.so"
# What a program looks at while it is loaded.
AT_LOADING = {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_DEBUG", "LD_BIND_NOW",
              "MALLOC_ARENA_MAX", "MALLOC_PERTURB_", "GLIBC_TUNABLES"}
REQUEST_MAX = 100_000  # bytes; longer ones are started by the system
SERVERS = threading.local()  # one a thread, by program


class Server:
    def __init__(self, program):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX,
                                                socket.SOCK_SEQPACKET)
        self.inode = os.stat(program).st_ino, os.stat(program).st_mtime_ns
        with theirs:
            self.process = subprocess.Popen(  # pylint: disable=R1732
                [program], stdin=theirs, stdout=subprocess.DEVNULL,
                env={**os.environ, "LD_PRELOAD": str(PRELOADED)})

    def number(self, timeout):
        self.socket.settimeout(timeout)
        return struct.unpack("=i", self.socket.recv(4))[0]

    def run(self, request, stdin, timeout):
        """(status as of waitpid(), [what went to stdout, to stderr])"""
        ours, theirs = zip(*(os.pipe() for _ in range(2)))
        try:
            self.socket.sendmsg([request], [(
                socket.SOL_SOCKET, socket.SCM_RIGHTS,
                array.array("i", [stdin, *theirs]))])
        finally:
            for end in theirs:
                os.close(end)
        child = self.number(timeout)
        try:
            said = read_all(ours, time.monotonic() + timeout)
            return self.number(timeout), said
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            self.number(timeout)
            raise
        finally:
            for end in ours:
                os.close(end)


def read_all(ends, deadline):
    said = {end: [] for end in ends}
    with selectors.DefaultSelector() as ready:
        for end in ends:
            ready.register(end, selectors.EVENT_READ)
        while ready.get_map():
            found = ready.select(deadline - time.monotonic())
            if not found:
                raise TimeoutError
            for key, _ in found:
                data = os.read(key.fd, 1 << 16)
                said[key.fd].append(data)
                if not data:
                    ready.unregister(key.fd)
    return [b"".join(said[end]) for end in ends]


def server_of(program):
    servers = SERVERS.__dict__.setdefault("of", {})
    now = os.stat(program).st_ino, os.stat(program).st_mtime_ns
    if program not in servers or servers[program].inode != now:
        servers[program] = Server(program)
    return servers[program]


def run(words, stdin=subprocess.DEVNULL, cwd=None, env=None,
        timeout=GUARD_S, errors="strict", **others):
    """The finished process, with texts."""
    env = os.environ if env is None else env
    texts = [os.fsencode(os.path.abspath(cwd or "."))]
    texts += [os.fsencode(word) for word in words]
    texts += [os.fsencode(f"{name}={value}") for name, value in env.items()]
    request = struct.pack("=II", len(words), len(env)) + b"".join(
        text + b"\0" for text in texts)
    if (others or AT_LOADING & env.keys() or not PRELOADED.exists()
            or len(request) > REQUEST_MAX):
        return subprocess.run(words, stdin=stdin, cwd=cwd, env=env,
                              capture_output=True, check=False,
                              timeout=timeout, text=True, errors=errors,
                              **others)
    if stdin == subprocess.DEVNULL:
        with open(os.devnull, "rb") as nothing:
            return run(words, nothing, cwd, env, timeout, errors=errors)
    try:
        status, said = server_of(words[0]).run(request, stdin.fileno(),
                                               timeout)
    except TimeoutError:
        raise subprocess.TimeoutExpired(words, timeout) from None
    return subprocess.CompletedProcess(
        words, os.waitstatus_to_exitcode(status),
        *(io.TextIOWrapper(io.BytesIO(one), "utf-8", errors).read()
          for one in said))
