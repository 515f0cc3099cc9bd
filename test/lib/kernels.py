# SPDX-License-Identifier: Apache-2.0
"""Kernels called by hand, on the host: one node, or a load cut into ranges
that are run and merged in any order, as the engine may."""
import ctypes

from hypothesis import strategies as st

from core import BUILD
from described import Library

RESULT_BYTES = 16384
WORK_BYTES = 4096


LIBRARY = Library(BUILD / "test" / "kernels.so")
Kernel, Terms, Job, Range, Result = (
    LIBRARY.struct("kernel" + name)
    for name in ("", "_terms", "_job", "_range", "_result"))


class Refused(Exception):
    """begin() or merge() does not accept what it was given."""


class Job1:
    """A kernel with its argument, as one node has it. The load lies between
    guard bytes that a kernel must neither read into a result nor change."""

    GUARD = 64

    def __init__(self, name, arg, unit_bytes=1):
        self.kernel = Kernel.in_dll(LIBRARY.calls, "kernel_" + name)
        self.arg = ctypes.create_string_buffer(bytes(arg), len(arg) + 4)
        self.unit_bytes = unit_bytes
        self.work = (ctypes.c_uint32 * (WORK_BYTES // 4))()
        assert self.kernel.work_bytes <= WORK_BYTES
        self.terms = Terms()
        job = Job(arg=ctypes.addressof(self.arg), arg_bytes=len(arg),
                  unit_bytes=unit_bytes)
        if self.kernel.begin(self.work, self.terms, job) != 0:
            raise Refused(name, bytes(arg))

    def room(self, first_unit, units):
        """The most bytes of output of a range."""
        p, q = self.terms.output_numerator, self.terms.output_denominator
        return (-(-(first_unit + units) * p // q) + -first_unit * p // q
                if q else 0)

    def run(self, load, first, units, guard=0xa5):
        """(result, output) of units first .. first + units of the load; what
        is beyond the terms' bytes around the range is `guard`."""
        size = self.unit_bytes
        before = min(self.terms.before_bytes, first * size)
        end = (first + units) * size
        after = min(self.terms.after_bytes, max(0, len(load) - end))
        piece = load[first * size - before:end + after]
        pad = bytes([guard]) * self.GUARD
        buffer = ctypes.create_string_buffer(pad + piece + pad)
        result = ctypes.create_string_buffer(pad + bytes(RESULT_BYTES) + pad)
        room = self.room(first, units)
        output = ctypes.create_string_buffer(pad + bytes(room + 4) + pad)
        got = Result(data=ctypes.addressof(result) + self.GUARD,
                     output=ctypes.addressof(output) + self.GUARD)
        spot = Range(data=ctypes.addressof(buffer) + self.GUARD + before,
                     units=units, unit_bytes=size, before_bytes=before,
                     after_bytes=after, first_unit=first,
                     load_units=len(load) // size if size else first + units)
        self.kernel.run(self.work, got, spot)
        assert got.bytes <= self.terms.result_bytes_max
        assert buffer.raw[:-1] == pad + piece + pad
        assert output.raw[:self.GUARD] == pad
        assert output.raw[self.GUARD + room + 4:-1] == pad
        assert result.raw[:self.GUARD] == pad
        assert result.raw[self.GUARD + self.terms.result_bytes_max:][
            -self.GUARD - 1:-1] == pad
        if not self.terms.output_varies:
            assert got.output_bytes == room
        assert got.output_bytes <= room
        return (result.raw[self.GUARD:self.GUARD + got.bytes],
                output.raw[self.GUARD:self.GUARD + got.output_bytes])

    def merge(self, into, following):
        """The merged result; Refused if it is malformed."""
        first = ctypes.create_string_buffer(bytes(into), RESULT_BYTES + 4)
        second = ctypes.create_string_buffer(bytes(following),
                                             len(following) + 4)
        a = Result(data=ctypes.addressof(first), bytes=len(into))
        b = Result(data=ctypes.addressof(second), bytes=len(following))
        if self.kernel.merge is None or not bool(self.kernel.merge):
            return bytes(into)
        if self.kernel.merge(self.work, a, b) != 0:
            raise Refused("merge")
        assert a.bytes <= self.terms.result_bytes_max
        return first.raw[:a.bytes]

    def scattered(self, load, units, cuts, order=None):
        """(result, output) of the load cut at `cuts`, its pieces merged in
        `order` (indices), a fresh guard byte around each."""
        edges = [0, *sorted(cuts), units]
        pieces = [self.run(load, a, b - a, guard=0x41 + i % 26)
                  for i, (a, b) in enumerate(zip(edges, edges[1:]))]
        total = None
        for i in order if order is not None else range(len(pieces)):
            total = (pieces[i][0] if total is None
                     else self.merge(total, pieces[i][0]))
        return total, b"".join(output for _, output in pieces)


def cut_anywhere(data, job, load, units):
    """(result, output) of the load cut and merged as hypothesis chooses."""
    cuts = data.draw(st.lists(st.integers(0, units), max_size=6))
    order = data.draw(st.permutations(range(len(cuts) + 1)))
    return job.scattered(load, units, cuts, order)
