# SPDX-License-Identifier: Apache-2.0
# Common to MPS2 boards: the board.mk of each of them includes this.
MPS2_HAL := $(wildcard hal/mps2/*.c hal/window/*.c)

kernels := $(or $(call setting,KERNELS,$(KERNELS)),$(ALL_KERNELS))
sources := $(NODE_SOURCES) $(call kernel_files,$(kernels)) $(BOOT_SOURCES) \
           $(wildcard hal/mps2/*.c boot/$(board)/*.c boot/mps2/*.c)
slow := hal/mps2/clock.c
# Every message passes here, or every unit.
fast := $(filter-out kernels/stats.c,$(FAST_KERNELS))

# Functions that are worth it, wherever they are (hal/hot.h).
flags := '-DHAL_FAST=__attribute__((optimize("O2")))'

# The linker places the search's loop (linker/sections.ld). Its budget of the
# image's size is for the kernels of this tree.
ldflags := -ffunction-sections $(if $(OWN_KERNELS), \
             -Wl$(comma)--defsym=boot_image_unlimited=1)

lists := looping tight kernel search
# Loops that are not worth their unrolling; that of stats is even faster so.
looping_flags := -O2
looping := hal/window/window.c kernels/stats.c
tight := $(filter-out $(fast) $(looping),$(sources))
tight_flags := $(TIGHT)
# A call that is expanded in line makes no kernel faster.
kernel := $(call kernel_files,$(kernels))
kernel_flags := -fno-inline-small-functions
# Scheduled, its loop takes 5 % more instructions.
search := kernels/search.c
search_flags := -fno-schedule-insns
