# SPDX-License-Identifier: Apache-2.0
# The MPS2 board with FPGA image AN385.
core := m3
kernels := $(KERNELS)
sources := $(NODE_SOURCES) $(kernels:%=kernels/%.c) $(BOOT_SOURCES) \
           $(wildcard hal/$(board)/*.c boot/$(board)/*.c)
# Every hop passes here, or every unit.
fast := scatter/engine/compute.c scatter/engine/core.c \
        scatter/engine/pattern.c scatter/wire/job.c scatter/plan/split.c \
        hal/window/window.c $(FAST_KERNELS)

# 80 instructions less a plan for 550 bytes.
$(out)/scatter/plan/one_round.o: TARGET_CFLAGS += -O2
