# SPDX-License-Identifier: Apache-2.0
# The MPS2 board with FPGA image AN386, a Cortex-M4; its FPU is not used.
core := m4
include boot/mps2/mps2.mk
