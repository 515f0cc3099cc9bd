# SPDX-License-Identifier: Apache-2.0
# Boards with an STM32F405.

# Which pins are the ports', the console's and the LED's: those of a header in
# hal/stm32f405/pins/.
header := $(or $(call setting,PINS,$(PINS)),generic)
pins := $(sort $(basename $(notdir $(wildcard hal/$(board)/pins/*.h))))
flashed := yes
ifeq ($(filter $(pins),$(header))$(filter-out $(BOARD),$(board)),)
$(error PINS='$(header)' must be one of: $(pins))
endif

# How fast the ports are, if not at 2 Mbaud: BAUD=1000000
rate := $(call setting,BAUD,$(BAUD))

core := m4
# There is room for few, unless others are asked for: the budget of the image's
# size is for the search.
kernels := $(or $(call setting,KERNELS,$(KERNELS)),search)
ldflags := $(if $(filter-out search,$(kernels)), \
             -Wl$(comma)--defsym=boot_image_unlimited=1)
sources := $(ENGINE_SOURCES) $(SERIAL_SOURCES) $(call kernel_files,$(kernels)) \
           $(wildcard boot/cortex_m/*.c boot/shell/*.c) \
           $(wildcard hal/$(board)/*.c boot/serial/*.c boot/$(board)/*.c)
versioned := boot/serial/program.c
# With the little memory that there is.
flags := -DPINS=$(header) $(rate:%=-DSERIAL_PORT_BAUD=%u) \
         -DNODE_EVENTS=128u -DNODE_CONSOLE_BYTES=64u -DSCATTER_RESULT_MAX=6144u
# A message over serial lines costs milliseconds whatever the engine's code is;
# but every byte of four lines passes the hot ones.
fast := $(FAST_KERNELS)
frugal := -fno-ipa-cp -fno-tree-ch -fno-tree-dominator-opts \
          -fno-partial-inlining -fno-unwind-tables
lists := hot tight
# Code that may lie in RAM.
hot := hal/$(board)/serial.c hal/crc32.c hal/switch/frame.c \
       hal/switch/parity.c hal/switch/switch.c
hot_flags := -O2 '-DHAL_HOT=__attribute__((section(".data.hot")))'
tight := $(filter-out $(fast) $(hot),$(sources))
tight_flags := $(TIGHT)
