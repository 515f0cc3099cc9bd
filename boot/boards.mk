# SPDX-License-Identifier: Apache-2.0
# The boards' firmware. A folder of boot/ with a board.mk is a board. Of
# `board`, whose files go to `out`, that says:
#
#   core       its processor: m3
#   kernels    those in its image, by name
#   sources    all of its C files, the kernels' included
#   versioned  of them, those that know BOOT_VERSION
#   flags      of the compiler, besides TARGET_CFLAGS
#   ldflags    of the linker, besides TARGET_LDFLAGS
#   fast       sources that are compiled for speed; all else is for size
#   frugal     flags of what is for size and no driver
#   slow       of drivers, those that the image for tests of boards that become
#              slow has from their folder's slow/ instead: hal/X/clock.c
#   hot        sources of code that may lie in RAM, and hot_flags, for these
#
# and what single objects need besides. Its memory is in linker/BOARD.ld, which
# may include another board's. The host knows it by a row of qemu/board/table.c.
# boot/BOARD has a C file at least: costs.c, what its software costs. `make
# BOARD=X` builds the images of X alone, and the host command.

# Sources of images: the engine, and circuits by queued DMA through a window, or
# over serial lines with the switch in software.
ENGINE_SOURCES := $(wildcard torus/*.c scatter/*/*.c) hal/events.c
WINDOW_SOURCES := hal/check.c hal/crc32.c $(wildcard hal/window/*.c)
SWITCH_SOURCES := hal/check.c hal/crc32.c $(wildcard hal/switch/*.c)
SERIAL_SOURCES := $(SWITCH_SOURCES) $(wildcard hal/serial/*.c hal/line/*.c) \
                  hal/discover/discover.c hal/forward.c
NODE_SOURCES := $(ENGINE_SOURCES) $(WINDOW_SOURCES) boot/node.c
BOOT_SOURCES := $(wildcard boot/cortex_m/*.c)
# All but spin.c, which counts instructions: -O3 makes it no faster.
FAST_KERNELS := $(filter-out kernels/spin.c,$(wildcard kernels/*.c))

BOARDS := $(sort $(patsubst boot/%/board.mk,%,$(wildcard boot/*/board.mk)))
BOARD ?= $(BOARDS)
$(foreach b,$(filter-out $(BOARDS),$(BOARD)),$(error BOARD=$b: no such board; \
  there are: $(BOARDS)))

# Of each board its variables, as core_BOARD and so on.
board_variables := core kernels sources versioned flags ldflags fast frugal \
                   slow hot hot_flags
$(foreach board,$(BOARDS),$(eval out := $$(BUILD)/$(board)) \
  $(foreach v,$(board_variables),$(eval $(v) :=)) \
  $(eval include boot/$(board)/board.mk) \
  $(foreach v,$(board_variables),$(eval $(v)_$(board) := $$($(v)))))

# How to compile and to link for board $(1): no part of them is floating point.
target_core = -mcpu=cortex-$(core_$(1)) -mthumb -mfloat-abi=soft
target_cc = $(TARGET_CC) $(target_core) $(flags_$(1)) $(TARGET_CFLAGS)
target_link = $(TARGET_CC) $(target_core) $(TARGET_LDFLAGS) $(ldflags_$(1)) \
              -T $(or $(linker_script),linker/$(1).ld)

# Small is better than fast but where every hop or unit passes.
FAST := -O3 -fno-split-paths -fno-unswitch-loops -fno-reorder-blocks
SMALL := -fno-schedule-insns2 -fno-move-loop-invariants -fno-thread-jumps \
         -fno-tree-pre -fno-tree-loop-im -fira-region=one -fno-tree-ch \
         -fno-tree-dominator-opts -fno-if-conversion

define board_rules
objects_$(1) := $(sources_$(1):%.c=$(BUILD)/$(1)/%.o) \
                $(BUILD)/$(1)/kernel_table.o
fast_objects_$(1) := $(fast_$(1):%.c=$(BUILD)/$(1)/%.o)
$$(fast_objects_$(1)): TARGET_CFLAGS += $(FAST)
$$(filter-out $$(fast_objects_$(1)),$$(objects_$(1))): \
    TARGET_CFLAGS += $(SMALL)
$$(filter-out $(BUILD)/$(1)/hal/%,$$(objects_$(1))): \
    TARGET_CFLAGS += $(frugal_$(1))
$(hot_$(1):%.c=$(BUILD)/$(1)/%.o): TARGET_CFLAGS += $(hot_flags_$(1))
# The compiler must not make calls of memory functions of their loops; and only
# the linker learns what the library and the compiler's division call.
$(BUILD)/$(1)/boot/cortex_m/memory.o: TARGET_CFLAGS += -fno-lto \
    -fno-tree-loop-distribute-patterns
$(BUILD)/$(1)/boot/cortex_m/syscalls.o $(BUILD)/$(1)/boot/cortex_m/divide.o: \
    TARGET_CFLAGS += -fno-lto
$(versioned_$(1):%.c=$(BUILD)/$(1)/%.o): \
    TARGET_CFLAGS += -DBOOT_VERSION='"$(VERSION)"'
$(versioned_$(1):%.c=$(BUILD)/$(1)/%.o): $(BUILD)/version.flags

# A kernel more or less changes nothing for the others.
$(call stamp,$(1),$$(call target_cc,$(1)) $$(call target_link,$(1)) $(SMALL) \
  $(filter-out kernels/%,$(fast_$(1))) $(frugal_$(1)) $(hot_$(1)) \
  $$(hot_flags_$(1)))
$(call kernel_table,$(1)-kernels,$(BUILD)/$(1),$(kernels_$(1)))
$(call compile,$(BUILD)/$(1)/%.o: %.c,$$(call target_cc,$(1)),$(1),$(DEPS))
$(call compile,$(BUILD)/$(1)/%.o: $(BUILD)/$(1)/%.c,$$(call \
  target_cc,$(1)),$(1),$(DEPS))

$(BUILD)/$(1)/firmware.elf: $$(objects_$(1)) $(wildcard linker/*.ld) \
                            $(BUILD)/$(1).flags
	$$(say) LINK-$(core_$(1)) $$@
	$$(Q)$$(call target_link,$(1)) $$(objects_$(1)) -o $$@ \
	  -Wl,-Map=$$(@:.elf=.map)
	$$(Q)$$(CROSS_COMPILE)objcopy -O binary $$@ $$(@:.elf=.bin)
	$$(Q)$$(CROSS_COMPILE)objcopy -O ihex $$@ $$(@:.elf=.hex)
	$$(Q)$$(CROSS_COMPILE)size $$@

-include $$(objects_$(1):.o=.d)
$(if $(slow_$(1)),$(call slow_rules,$(1)))
endef

# What the second image has otherwise.
slow_sources = $(foreach s,$(slow_$(1)),$(dir $s)slow/$(notdir $s))
define slow_rules
slow_objects_$(1) := $(patsubst %.c,$(BUILD)/$(1)/%.o,$(call \
                       slow_sources,$(1)) $(filter-out \
                       $(slow_$(1)),$(sources_$(1)))) \
                     $(BUILD)/$(1)/kernel_table.o
$(BUILD)/$(1)/firmware_slow.elf: $$(slow_objects_$(1)) $(wildcard linker/*.ld) \
                                 $(BUILD)/$(1).flags
	$$(say) LINK-$(core_$(1)) $$@
	$$(Q)$$(call target_link,$(1)) $$(slow_objects_$(1)) -o $$@ \
	  -Wl,--defsym=boot_image_unlimited=1

-include $$(slow_objects_$(1):.o=.d)
endef
$(foreach b,$(BOARDS),$(eval $(call board_rules,$b)))

# All images of board $(1).
images_of = $(BUILD)/$(1)/firmware.elf \
            $(if $(slow_$(1)),$(BUILD)/$(1)/firmware_slow.elf)

## size: flash and RAM of the firmware, by symbol; BOARD=
size: $(BOARD:%=$(BUILD)/%/firmware.elf)
	$(Q)for b in $(BOARD); do \
	  $(CROSS_COMPILE)size -A $(BUILD)/$$b/firmware.elf; \
	  $(CROSS_COMPILE)nm --size-sort --reverse-sort --radix=d \
	    $(BUILD)/$$b/firmware.elf | head -25; done
