# SPDX-License-Identifier: Apache-2.0
"""Commands under a limit of processes and threads, of a user that has no
others."""
import os

import pytest

USER = 20000 + os.getpid() % 40000  # another one in each run
# The files are still root's; what is left out would outdo the limit.
AS_USER = ["setpriv", f"--reuid={USER}", "--clear-groups",
           "--inh-caps=-all,+dac_override",
           "--ambient-caps=-all,+dac_override"]

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="takes another user")


def qemu(limit):
    """The lines of a script that stands for a QEMU, all of whose processes have
    that limit, while who starts it has none."""
    return f'exec prlimit --nproc={limit} {{real}} "$@"'
