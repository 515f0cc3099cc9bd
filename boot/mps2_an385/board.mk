# SPDX-License-Identifier: Apache-2.0
# The MPS2 board with FPGA image AN385, a Cortex-M3.
core := m3
include boot/mps2/mps2.mk
