# SPDX-License-Identifier: Apache-2.0
"""A time limit of tests that could hang, in seconds; it never decides one."""

GUARD_S = 300
