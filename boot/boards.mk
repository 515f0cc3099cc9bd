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
#   pins       what PINS= may be, if its images differ by their pins
#   flashed    `yes' if `make flash' writes it: its row of qemu/board/table.c
#              says how
#   slow       of drivers, those that the image for tests of boards that become
#              slow has from their folder's slow/ instead: hal/X/clock.c
#   lists      names of lists of sources that have flags of their own: of LIST
#              the flags are LIST_flags
#
# Its memory is in linker/BOARD.ld, which may include another board's. The host
# knows it by a row of qemu/board/table.c. boot/BOARD has a C file at least:
# costs.c, what its software costs. `make BOARD=X` builds the images of X alone,
# and the host command.

# What lets tests ask a node for errors; `make INJECT=`: images without it.
INJECT ?= hal/inject.c

# Sources of images: the engine, and circuits by queued DMA through a window, or
# over serial lines with the switch in software.
ENGINE_SOURCES := $(wildcard torus/*.c scatter/*/*.c) hal/events.c $(INJECT)
WINDOW_SOURCES := hal/check.c hal/crc32.c $(wildcard hal/window/*.c)
SWITCH_SOURCES := hal/check.c hal/crc32.c $(wildcard hal/switch/*.c)
SERIAL_SOURCES := $(SWITCH_SOURCES) $(wildcard hal/serial/*.c hal/line/*.c) \
                  $(wildcard hal/discover/*.c) hal/rows.c
NODE_SOURCES := $(ENGINE_SOURCES) $(WINDOW_SOURCES) boot/node.c
BOOT_SOURCES := $(wildcard boot/cortex_m/*.c)
# All but spin.c, which counts instructions: -O3 makes it no faster.
FAST_KERNELS := $(filter-out kernels/spin.c,$(KERNEL_SOURCES))

BOARDS := $(sort $(patsubst boot/%/board.mk,%,$(wildcard boot/*/board.mk)))
BOARD ?= $(BOARDS)
$(foreach b,$(filter-out $(BOARDS),$(BOARD)),$(error BOARD=$b: no such board; \
  there are: $(BOARDS)))

# With these what is neither fast nor a loop is smaller still: for board.mk.
TIGHT := -fno-reorder-blocks -fno-guess-branch-probability -fno-caller-saves \
         -fno-forward-propagate -fweb -fno-tree-scev-cprop \
         -fno-tree-tail-merge -fno-ssa-phiopt

# The compiler must not make calls of memory functions of their loops; and only
# the linker learns what the library and the compiler's division call.
memory := boot/cortex_m/memory.c
memory_flags := -fno-lto -fno-tree-loop-distribute-patterns
called := boot/cortex_m/divide.c
called_flags := -fno-lto
versioned_flags := -DBOOT_VERSION='"$(call \
  version_of,boot hal torus scatter kernels)"'

# Settings of an image: those that this make names, else those that were named
# last for the board, in $(BUILD)/BOARD.chosen; `KERNELS=' is the usual one
# again. Tests and measurements are of the usual images.
SETTINGS := KERNELS PINS BAUD
named := $(foreach s,$(SETTINGS),$(if $(filter command% environment%,$(origin \
           $s)),$s))
keeps_choice := $(if $(filter test test-% build-%tests golden bench% hil \
                  mutants prove fuzz,$(MAKECMDGOALS)),,yes)
# $(call setting,NAME,$(NAME))
setting = $(strip $(if $(filter $(1),$(named)),$(2),$(chosen_$(1))))
choice = $(foreach s,$(SETTINGS),$(if $(call setting,$s,$($s)),'chosen_$s := \
           $(call setting,$s,$($s))'))
kept = $(foreach s,$(SETTINGS),$(if $(chosen_$s),'chosen_$s := $(chosen_$s)'))
chooses := # boards of which this make keeps another choice

# Of each board its variables, as core_BOARD and so on.
board_variables := core kernels sources versioned flags ldflags fast frugal \
                   pins flashed slow lists
$(foreach board,$(BOARDS),$(eval out := $$(BUILD)/$(board)) \
  $(foreach v,$(board_variables),$(eval $(v) :=)) \
  $(foreach s,$(SETTINGS),$(eval chosen_$s :=)) \
  $(if $(keeps_choice),$(eval $(file <$(BUILD)/$(board).chosen))) \
  $(eval choice_$(board) := $(strip $(choice))) \
  $(if $(keeps_choice),$(if $(call same,$(strip $(choice)),$(strip \
    $(kept))),,$(eval chooses += $(filter $(board),$(BOARD))))) \
  $(eval include boot/$(board)/board.mk) \
  $(eval lists += memory called versioned) \
  $(foreach v,$(sort $(board_variables) $(lists) $(lists:%=%_flags)),$(eval \
    $(v)_$(board) := $$($(v)))) \
  $(eval objects_$(board) := $$(sources:%.c=$$(out)/%.o) \
    $$(out)/kernel_table.o))

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

# $(call flags_of,BOARD,SOURCE): what it is compiled with besides.
flags_of = $(if $(filter $(fast_$(1)),$(2)),$(FAST),$(SMALL)) \
           $(if $(filter hal/%,$(2)),,$(frugal_$(1))) \
           $(foreach l,$(lists_$(1)),$(if $(filter \
             $($(l)_$(1)),$(2)),$($(l)_flags_$(1))))

# $(eval $(call image,BOARD,NAME,OBJECTS,OPTIONS)): $(BUILD)/NAME.elf and .bin;
# of the firmware itself .hex as well, and its size is said.
define image
$(call linked,$(2).elf,$(3),$$(call target_link,$(1)) $(4))
$(BUILD)/$(2).elf: $(wildcard linker/*.ld)
	$$(say) LINK-$(core_$(1)) $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(call target_link,$(1)) $(3) -o $$@ $(4) -Wl,-Map=$$(@:.elf=.map)
	$$(Q)$$(CROSS_COMPILE)objcopy -O binary $$@ $$(@:.elf=.bin)
$(if $(filter $(1)/firmware,$(2)),	$$(Q)$$(CROSS_COMPILE)objcopy -O ihex \
  $$@ $$(@:.elf=.hex); $$(CROSS_COMPILE)size $$@)
endef

# The second image has other drivers, which are slow at times.
slow_objects = $(foreach s,$(slow_$(1)),$(BUILD)/$(1)/$(dir \
                 $s)slow/$(notdir $(s:.c=.o))) \
               $(filter-out $(slow_$(1):%.c=$(BUILD)/$(1)/%.o),$(objects_$(1)))
define board_rules
$(call compile,$(1),$$(call target_cc,$(1)),$(DEPS))
$(call kernel_table,$(1),$(kernels_$(1)))
$(foreach s,$(sort $(sources_$(1)) $(fast_$(1)) kernel_table.c),$(call \
  with_own,$(BUILD)/$(1)/$(s:.c=.o),$(call flags_of,$(1),$s)))
$(call image,$(1),$(1)/firmware,$(objects_$(1)))
$(if $(slow_$(1)),$(call image,$(1),$(1)/firmware_slow,$(call \
  slow_objects,$(1)),-Wl$(comma)--defsym=boot_image_unlimited=1))
endef
$(foreach b,$(BOARDS),$(eval $(call board_rules,$b)))

define choice_rules
$(BUILD)/$(1)/firmware.elf: | $(BUILD)/$(1).chosen
$(BUILD)/$(1).chosen: .FORCE
	$$(Q)mkdir -p $$(@D); printf '%s\n' $$(choice_$(1)) > $$@
endef
$(foreach b,$(chooses),$(eval $(call choice_rules,$b)))

# All images of board $(1).
images_of = $(BUILD)/$(1)/firmware.elf \
            $(if $(slow_$(1)),$(BUILD)/$(1)/firmware_slow.elf)

## size: flash and RAM of the firmware, by symbol; BOARD=
size: $(BOARD:%=$(BUILD)/%/firmware.elf)
	$(Q)for b in $(BOARD); do \
	  $(CROSS_COMPILE)size -A $(BUILD)/$$b/firmware.elf; \
	  $(CROSS_COMPILE)nm --size-sort --reverse-sort --radix=d \
	    $(BUILD)/$$b/firmware.elf | head -25; done

## new-board: begin a port to another chip, NAME=foo: hal/foo, boot/foo and
##   linker/foo.ld from hal/template; boot/PORTING.md goes on from there
.PHONY: new-board
new-board:
	$(Q)case "$$NAME" in [a-z]*) ;; *) bad=1;; esac; \
	case "$$NAME" in *[!a-z0-9_]*) bad=1;; esac; \
	if [ -n "$$bad" ]; then \
	  echo "make new-board NAME='$$NAME': must be of a-z, 0-9 and _, a" \
	    "letter first" >&2; exit 2; fi; \
	for to in "hal/$$NAME" "boot/$$NAME" "linker/$$NAME.ld"; do \
	  if [ -e "$$to" ]; then echo "$$to exists" >&2; exit 2; fi; done; \
	mkdir "hal/$$NAME" "boot/$$NAME"; cd hal/template; \
	upper=$$(printf %s "$$NAME" | tr a-z A-Z); \
	for from in *; do \
	  case $$from in linker.ld.in) to="linker/$$NAME.ld";; \
	  *.in) to="boot/$$NAME/$${from%.in}";; *) to="hal/$$NAME/$$from";; esac; \
	  sed "s/@NAME@/$$NAME/g; s,hal/template,hal/$$NAME,g; \
	    s/HAL_TEMPLATE/HAL_$$upper/g" "$$from" > "../../$$to"; \
	  echo "$$to"; done
