# SPDX-License-Identifier: Apache-2.0
# Common to MPS2 boards: the board.mk of each of them includes this.
MPS2_HAL := $(wildcard hal/mps2/*.c hal/window/*.c)

kernels := $(KERNELS)
sources := $(NODE_SOURCES) $(kernels:%=kernels/%.c) $(BOOT_SOURCES) \
           $(wildcard hal/mps2/*.c boot/$(board)/*.c boot/mps2/*.c)
# Every hop passes here, or every unit.
fast := scatter/engine/compute.c scatter/engine/core.c scatter/engine/gather.c \
        scatter/engine/follow.c scatter/engine/pattern.c scatter/wire/job.c \
        scatter/plan/slots.c scatter/plan/split.c \
        hal/window/window.c $(FAST_KERNELS)

# This takes 80 instructions off each plan and costs 550 bytes of flash.
$(out)/scatter/plan/one_round.o: TARGET_CFLAGS += -O2
