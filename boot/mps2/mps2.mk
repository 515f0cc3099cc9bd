# SPDX-License-Identifier: Apache-2.0
# Common to MPS2 boards: the board.mk of each of them includes this.
MPS2_HAL := $(wildcard hal/mps2/*.c hal/window/*.c)

kernels := $(KERNELS)
sources := $(NODE_SOURCES) $(kernels:%=kernels/%.c) $(BOOT_SOURCES) \
           $(wildcard hal/mps2/*.c boot/$(board)/*.c boot/mps2/*.c)
# Every hop passes here, or every unit.
fast := scatter/engine/core.c scatter/engine/follow.c scatter/engine/pattern.c \
        scatter/plan/slots.c scatter/plan/split.c $(FAST_KERNELS)

# The linker places the search's loop (linker/sections.ld).
ldflags := -ffunction-sections

# Scheduled, its loop takes 5 % more instructions.
$(out)/kernels/search.o: TARGET_CFLAGS += -fno-schedule-insns

# The image has no room for several rounds along trees.
frugal := -DTREE_ROUNDS=0

# Loops that are not worth their unrolling; plans of the pattern and of trees.
$(foreach o,engine/compute engine/gather plan/one_round plan/rounds \
  plan/tree_plan, \
  $(out)/scatter/$(o).o) $(out)/hal/window/window.o: TARGET_CFLAGS += -O2
