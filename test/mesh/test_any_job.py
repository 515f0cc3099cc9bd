# SPDX-License-Identifier: Apache-2.0
"""Any job on any mesh: every unit once, the result and output of the kernel's
twin, times within each other, one timeline, and nothing left behind.

QUINCUNX_SEED chooses the jobs; a job that fails is made smaller and printed.
"""
import re

import hypothesis
import pytest

pytest.register_assert_rewrite("any_job")

import any_job  # noqa: E402
import mesh  # noqa: E402


def tried(on, part, count):
    @hypothesis.seed(f"{mesh.SEED} {on} {part}")
    @hypothesis.settings(max_examples=count, deadline=None, database=None,
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(any_job.jobs(on))
    def one(job):
        any_job.carried_out(job)

    print(f"seed: QUINCUNX_SEED={mesh.SEED} ({on}, part {part})")
    one()


@pytest.mark.parts(5)
def test_any_job_on_native_nodes(part):
    tried("native", part, 40)


@pytest.mark.parts(5)
def test_any_job_on_boards(part):
    tried("qemu", part, 6)


def test_every_kernel_is_here():
    assert {kernel.__name__ for kernel in any_job.KERNELS} == mesh.kernels()


def test_every_schedule_is_here():
    """But for `auto`, which is one of them: test_auto.py."""
    done = mesh.command("run", "--mesh", "5x5", "--schedule", "nobody")
    words = re.search(r"must be (.*)", done.stderr)[1]
    assert set(re.split(", | or ", words)) == {
        *any_job.SHARES, "farm", "hybrid", "auto"}
