# SPDX-License-Identifier: Apache-2.0
"""The host command by a clock that only its test lets go on (fake_clock.h)."""
import contextlib
import os
import socket
import struct
import subprocess

from core import BUILD

PROGRAM = BUILD / "test" / "clocked"


class Clocked(subprocess.Popen):
    """The command; its time is 0 s and stands still, or goes on by `step`
    seconds whenever it is read."""

    def __init__(self, *args, program=PROGRAM, env=None, step=0, **options):
        self.clock, theirs = socket.socketpair()
        with theirs:
            super().__init__(
                [str(program), *map(str, args)], text=True,
                pass_fds=[theirs.fileno()], env={
                    **(os.environ if env is None else env),
                    "FAKE_CLOCK": str(theirs.fileno()),
                    "FAKE_CLOCK_STEP": str(round(step * 1e9))},
                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, **options})

    def let(self, seconds):
        """Time may go on until so many seconds; to a command that has ended
        meanwhile, of what else it waited for, this is nothing."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.clock.sendall(struct.pack("=Q", round(seconds * 1e9)))

    def waits_until(self):
        """The next deadline beyond that limit that it cannot reach, in seconds;
        None if it has ended."""
        try:
            data = self.clock.recv(8, socket.MSG_WAITALL)
        except ConnectionResetError:  # it left what let() said unread
            data = b""
        return struct.unpack("=Q", data)[0] / 1e9 if data else None

    def __exit__(self, *args):
        self.kill()
        self.clock.close()
        super().__exit__(*args)
