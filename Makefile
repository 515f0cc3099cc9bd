# SPDX-License-Identifier: Apache-2.0
# One make process for everything; `make help` lists what it can do.

BUILD := build
MESH ?= 5x5
CROSS_COMPILE ?= arm-none-eabi-
PYTHON := /usr/bin/python3
Q := $(if $(V),,@)
comma := ,
say = @printf '  %-8s %s\n'

VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# Every Debian package that building and running needs, and what testing,
# proving and measuring need besides.
PACKAGES := gcc libc6-dev gcc-arm-none-eabi libnewlib-arm-none-eabi \
            qemu-system-arm libjansson-dev libgmp-dev nettle-dev gnuplot-nox \
            libsndfile1-dev libpng-dev libnetpbm-dev libcsv-dev \
            libserialport-dev python3 python3-numpy
TEST_PACKAGES := python3-pytest python3-pytest-xdist python3-hypothesis \
                 python3-serial openocd stm32flash dfu-util gdb-multiarch \
                 frama-c-base libglpk-dev libunicorn-dev sox imagemagick
# And what writes an image to a real board.
FLASH_PACKAGES := openocd stm32flash dfu-util

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Werror
HOST_CC := gcc
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -I. $(WARNINGS)
HOST_LIBS := -ljansson -lnettle -lgmp -lsndfile -lpng -lnetpbm -lcsv \
             -lserialport -lm
TARGET_CC := $(CROSS_COMPILE)gcc
TARGET_CFLAGS := -std=c11 -Os -flto=auto -g -I. $(WARNINGS) \
                 -ffunction-sections -fdata-sections -fstack-usage \
                 -ffile-prefix-map="$$PWD"=.
TARGET_LDFLAGS := -Os -flto=auto --specs=nano.specs -nostartfiles \
                  -Wl,--gc-sections -Wl,--fatal-warnings

# The boards, and the processor of each; BOARD=NAME builds that one's alone.
BOARDS := mps2_an385 stm32f405
BOARD ?= $(BOARDS)
CORE_mps2_an385 := m3
CORE_stm32f405 := m4

# Which pins of a stm32f405 are the ports', the console's and the LED's: those
# of a header in hal/stm32f405/pins/.
PINS ?= generic
ALL_PINS := $(sort $(basename $(notdir $(wildcard hal/stm32f405/pins/*.h))))
ifeq ($(filter $(ALL_PINS),$(PINS)),)
$(error PINS='$(PINS)' must be one of: $(ALL_PINS))
endif

# How fast the ports of a stm32f405 are, if not at 2 Mbaud: BAUD=1000000
BAUD ?=

# PARTS=pattern: an image of an STM32F405 that plans one round on the pattern of
# 5^k x 5^k and no more, which leaves 12 KB more for the load.
PARTS ?= all
FLAGS_stm32f405 := -DPINS=$(PINS) $(BAUD:%=-DSERIAL_PORT_BAUD=%u) \
                   $(if $(filter all,$(PARTS)),, \
                     -DROUNDS_MAX=1u -DRELAY_TREES=0 -DCRC32_SMALL)

# Kernels with an output; an image with none of them has no code for one.
OUTPUT_KERNELS := \
    $(basename $(notdir $(shell grep -l output_denominator kernels/*.c)))

.PHONY: all run test bench deps size format check-format clean help
.DELETE_ON_ERROR:
.SUFFIXES:

## all: build firmware and host command; BOARD= KERNELS= PINS= PARTS=
all: deps
	$(Q)$(MAKE) --no-print-directory build-all

.PHONY: build-all
build-all: $(BOARD:%=$(BUILD)/%/firmware.elf) $(BUILD)/quincunx
	@:

# ---- sources ----

# The kernels in a board's image; the host command knows all.
ALL_KERNELS := $(sort $(basename $(notdir $(wildcard kernels/*.c))))
KERNELS ?= $(ALL_KERNELS)
KERNELS_mps2_an385 := $(KERNELS)
# Fewer on a board with little memory, unless they are asked for.
KERNELS_stm32f405 := $(if $(filter file,$(origin KERNELS)),search,$(KERNELS))
FLAGS_stm32f405 += $(if $(strip $(filter all,$(PARTS)) \
                     $(filter $(OUTPUT_KERNELS),$(KERNELS_stm32f405))),, \
                     -DSCATTER_OUTPUTS=0)
# The image's budget is for the search.
LDFLAGS_stm32f405 := $(if $(filter-out search,$(KERNELS_stm32f405)), \
                       -Wl$(comma)--defsym=boot_image_unlimited=1) \
                     $(if $(filter all,$(PARTS)), \
                       -Wl$(comma)--defsym=boot_all_parts=1)

# Circuits by queued DMA through a window, or over serial lines.
WINDOW_SOURCES := hal/crc32.c $(wildcard hal/window/*.c)
SWITCH_SOURCES := hal/crc32.c $(wildcard hal/switch/*.c)
SERIAL_SOURCES := $(SWITCH_SOURCES) $(wildcard hal/serial/*.c hal/line/*.c) \
                  hal/discover/discover.c
ENGINE_SOURCES := $(wildcard torus/*.c scatter/*/*.c)
NODE_SOURCES := $(ENGINE_SOURCES) $(WINDOW_SOURCES) boot/node.c
BOOT_SOURCES := $(filter-out %/divide.c,$(wildcard boot/cortex_m/*.c))
SOURCES_mps2_an385 := $(NODE_SOURCES) $(KERNELS_mps2_an385:%=kernels/%.c) \
                      $(BOOT_SOURCES) \
                      $(wildcard hal/mps2_an385/*.c boot/mps2_an385/*.c)
SOURCES_stm32f405 := $(ENGINE_SOURCES) $(SERIAL_SOURCES) \
                     $(KERNELS_stm32f405:%=kernels/%.c) \
                     $(wildcard boot/cortex_m/*.c) \
                     $(wildcard boot/serial/*.c boot/shell/*.c) \
                     $(wildcard hal/stm32f405/*.c boot/stm32f405/*.c)
QEMU_SOURCES := $(wildcard qemu/*.c qemu/*/*.c)
HOST_SOURCES := $(NODE_SOURCES) $(wildcard kernels/*.c hal/host/*.c) \
                $(QEMU_SOURCES) $(wildcard hal/line/*.c) hal/discover/text.c \
                boot/host/costs.c
TABLE := $(BUILD)/kernel_table.c
BOARD_TABLES := $(BOARDS:%=$(BUILD)/%/kernel_table.c)

host_objects := $(HOST_SOURCES:%.c=$(BUILD)/host/%.o) \
                $(BUILD)/host/kernel_table.o

# A change of flags, compiler or version rebuilds what depends on it; `make -n`
# changes nothing.
define stamp
$(if $(findstring n,$(firstword -$(MAKEFLAGS))),, \
  $(shell mkdir -p $(BUILD); \
          echo '$(2)' | cmp -s - $(BUILD)/$(1).flags || \
          echo '$(2)' > $(BUILD)/$(1).flags))
endef
$(call stamp,host,$(HOST_CC) $(HOST_CFLAGS) $(HOST_LIBS))
$(foreach b,$(BOARDS),$(call stamp,$b,$(TARGET_CC) -mcpu=cortex-$(CORE_$b) \
  $(FLAGS_$b) $(TARGET_CFLAGS) $(TARGET_LDFLAGS) $(LDFLAGS_$b)))
$(call stamp,version,$(VERSION))
$(call stamp,all_kernels,$(ALL_KERNELS))
$(call stamp,kernels,$(sort $(KERNELS)))

# The list of kernels is the list of files in kernels/.
$(TABLE): names = $(ALL_KERNELS)
$(TABLE): $(BUILD)/all_kernels.flags
$(BOARD_TABLES): names = $(sort $(KERNELS_$(notdir $(@D))))
$(BOARD_TABLES): $(BUILD)/kernels.flags
$(TABLE) $(BOARD_TABLES):
	$(say) TABLE $@
	$(Q)mkdir -p $(@D)
	$(Q){ \
	  echo '#include "kernels/kernel.h"'; \
	  for n in $(names); do echo "extern const struct kernel kernel_$$n;"; \
	  done; \
	  echo 'const struct kernel *const kernel_table[] = {'; \
	  for n in $(names); do echo "    &kernel_$$n,"; done; \
	  echo '};'; \
	  echo 'const unsigned kernel_table_count ='; \
	  echo '    sizeof kernel_table / sizeof *kernel_table;'; } > $@

# ---- host ----

$(BUILD)/host/%.o: %.c $(BUILD)/host.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

# Has the script in it.
$(BUILD)/host/qemu/format/npy.o: qemu/format/npy.py

$(BUILD)/host/kernel_table.o: $(TABLE) kernels/kernel.h $(BUILD)/host.flags
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/host/qemu/main.o: HOST_CFLAGS += -DQUINCUNX_VERSION='"$(VERSION)"'
$(BUILD)/host/qemu/main.o: $(BUILD)/version.flags

$(BUILD)/quincunx: $(host_objects) $(BUILD)/host.flags
	$(say) LINK $@
	$(Q)$(HOST_CC) $(host_objects) -o $@ $(HOST_LIBS)

# ---- boards ----

# How to compile and to link for board $(1): no part of them is floating point.
target_cc = $(TARGET_CC) -mcpu=cortex-$(CORE_$(1)) -mthumb -mfloat-abi=soft \
            $(FLAGS_$(1)) $(TARGET_CFLAGS)
target_link = $(TARGET_CC) -mcpu=cortex-$(CORE_$(1)) -mthumb \
              -mfloat-abi=soft $(TARGET_LDFLAGS) $(LDFLAGS_$(1)) \
              -T linker/$(1).ld

# Small is better than fast but where every hop or unit passes (spin counts).
COLD := -fno-schedule-insns2 -fno-move-loop-invariants
FAST_KERNELS := $(filter-out kernels/spin.c,$(wildcard kernels/*.c))
FAST_mps2_an385 := scatter/engine/compute.c scatter/engine/core.c \
                   scatter/engine/pattern.c scatter/wire/job.c \
                   scatter/plan/split.c hal/window/window.c $(FAST_KERNELS)
FAST_stm32f405 := $(if $(filter all,$(PARTS)),$(FAST_KERNELS))
# A message over serial lines costs milliseconds whatever the engine's code is.
COLD_stm32f405 := -fno-ipa-cp -fno-tree-ch -fno-tree-dominator-opts \
                  -fno-partial-inlining -fno-unwind-tables

# What makes the firmware of board $(1); its table only if it has kernels.
define board_rules
objects_$(1) := $(SOURCES_$(1):%.c=$(BUILD)/$(1)/%.o) \
    $(if $(filter kernels/%,$(SOURCES_$(1))),$(BUILD)/$(1)/kernel_table.o)
fast_$(1) := $(FAST_$(1):%.c=$(BUILD)/$(1)/%.o)
$$(fast_$(1)): TARGET_CFLAGS += -O3
$$(filter-out $$(fast_$(1)),$$(objects_$(1))): TARGET_CFLAGS += $$(COLD)
$$(filter-out $(BUILD)/$(1)/hal/%,$$(objects_$(1))): \
    TARGET_CFLAGS += $$(COLD_$(1))
$(BUILD)/$(1)/boot/cortex_m/memory.o: TARGET_CFLAGS += -fno-lto \
    -fno-tree-loop-distribute-patterns
$(BUILD)/$(1)/boot/cortex_m/syscalls.o $(BUILD)/$(1)/boot/cortex_m/divide.o: \
    TARGET_CFLAGS += -fno-lto

$(BUILD)/$(1)/%.o: %.c $(BUILD)/$(1).flags
	$$(say) CC-$(CORE_$(1)) $$<
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(call target_cc,$(1)) -MMD -MP -c $$< -o $$@

$(BUILD)/$(1)/kernel_table.o: $(BUILD)/$(1)/kernel_table.c kernels/kernel.h \
                              $(BUILD)/$(1).flags
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(call target_cc,$(1)) -c $$< -o $$@

$(BUILD)/$(1)/firmware.elf: $$(objects_$(1)) $(wildcard linker/*.ld) \
                            $(BUILD)/$(1).flags
	$$(say) LINK-$(CORE_$(1)) $$@
	$$(Q)$$(call target_link,$(1)) $$(objects_$(1)) -o $$@ \
	  -Wl,-Map=$$(@:.elf=.map)
	$$(Q)$$(CROSS_COMPILE)objcopy -O binary $$@ $$(@:.elf=.bin)
	$$(Q)$$(CROSS_COMPILE)objcopy -O ihex $$@ $$(@:.elf=.hex)
	$$(Q)$$(CROSS_COMPILE)size $$@

-include $$(objects_$(1):.o=.d)
endef
$(foreach b,$(BOARDS),$(eval $(call board_rules,$b)))

# 80 instructions less a plan for 550 bytes.
$(BUILD)/mps2_an385/scatter/plan/one_round.o: TARGET_CFLAGS += -O2

# Every byte of four lines passes here.
HOT_stm32f405 := hal/stm32f405/serial hal/crc32 hal/switch/frame \
                 hal/switch/parity hal/switch/switch
HOT_FLAGS := $(if $(filter all,$(PARTS)),-O2) \
             '-DHAL_HOT=__attribute__((section(".data.hot")))'
$(HOT_stm32f405:%=$(BUILD)/stm32f405/%.o): TARGET_CFLAGS += $(HOT_FLAGS)

# The little that an STM32F405 has.
$(objects_stm32f405): TARGET_CFLAGS += -DNODE_EVENTS=128u \
    -DNODE_CONSOLE_BYTES=64u -DSCATTER_RESULT_MAX=6144u
$(BUILD)/stm32f405/boot/stm32f405/main.o: \
    TARGET_CFLAGS += -DBOOT_VERSION='"$(VERSION)"'
$(BUILD)/stm32f405/boot/stm32f405/main.o: $(BUILD)/version.flags

-include $(host_objects:.o=.d)

# ---- QEMU ----

# QEMU=PATH: the qemu-system-arm that run, test, bench, hil and all else that
# starts boards use; none: the one on the PATH. The host command and the tests
# read it from QUINCUNX_QEMU (qemu/board/emulator.h). A path is made absolute,
# since tests have working directories of their own; a mere name stays one.
QEMU ?=
ifneq ($(QEMU),)
export QUINCUNX_QEMU := $(if $(findstring /,$(QEMU)),$(if \
    $(filter /%,$(firstword $(QEMU))),,$(CURDIR)/))$(QEMU)
endif

# The second QEMU that the tests run with: Debian 12's backports have QEMU 10.
QEMU10 := $(BUILD)/qemu10
QEMU10_SUITE := bookworm-backports

## qemu10: QEMU 10 from Debian's backports, into build/qemu10; no root needed
.PHONY: qemu10
qemu10:
	$(Q)test/second_qemu.sh $(QEMU10) $(QEMU10_SUITE)
	@echo "QEMU      $(QEMU10)/qemu-system-arm"

# ---- running ----

# English text that every Debian machine has, about 240 kB of it.
INPUT ?= $(BUILD)/licenses.txt
KERNEL ?= search
ARG ?= free software
PROFILE ?= t3d

$(BUILD)/licenses.txt: $(wildcard /usr/share/common-licenses/*)
	$(Q)cat $(filter-out %/GPL %/LGPL %/GFDL,$^) > $@

# By the environment, so that no shell reads what is in a value.
run: export MESH := $(MESH)
run: export KERNEL := $(KERNEL)
run: export ARG := $(ARG)
run: export INPUT := $(INPUT)
run: export PROFILE := $(PROFILE)

## run: search a text on 25 boards; MESH= KERNEL= ARG= INPUT= PROFILE= QEMU=
run: all
	$(Q)[ "$$INPUT" != $(BUILD)/licenses.txt ] || \
	  $(MAKE) -s --no-print-directory $(BUILD)/licenses.txt
	@echo "running $$KERNEL '$$ARG' on a $$MESH mesh of QEMU boards"
	$(Q)$(BUILD)/quincunx run --mesh "$$MESH" --kernel "$$KERNEL" \
	  --arg "$$ARG" --profile "$$PROFILE" --report $(BUILD)/report.json \
	  --gantt $(BUILD)/gantt.svg --trace $(BUILD)/trace.json "$$INPUT"
	@echo
	@echo "report    $(BUILD)/report.json"
	@echo "gantt     $(BUILD)/gantt.svg"
	@echo "trace     $(BUILD)/trace.json (for ui.perfetto.dev)"

# Where the figures' points are measured: some minutes on boards, seconds on
# native nodes, whose software costs no time.
MEASURE ?= qemu

## pictures: the README's pictures, from runs; MEASURE=qemu|native
.PHONY: pictures
pictures: all
	$(Q)$(MAKE) --no-print-directory $(BUILD)/licenses.txt
	$(Q)mkdir -p qemu/pictures
	$(Q)$(BUILD)/quincunx run --mesh 5x5 --kernel search \
	  --arg 'free software' --profile t3d \
	  --gantt qemu/pictures/gantt-25.svg $(BUILD)/licenses.txt
	$(Q)for i in 1 2 3 4 5 6 7 8; do cat $(BUILD)/licenses.txt; done \
	  > $(BUILD)/licenses8.txt
	$(Q)$(BUILD)/quincunx run --mesh 25x25 --kernel spin --arg 32 \
	  --profile t3d --gantt qemu/pictures/gantt-625.svg \
	  $(BUILD)/licenses8.txt
	$(Q)$(BUILD)/quincunx figures -o $(BUILD)/figures --measure $(MEASURE)
	$(Q)cp $(BUILD)/figures/figure-9.svg qemu/pictures/rounds.svg

## gallery: the README's three jobs, from input to picture
.PHONY: gallery
gallery: test-deps
	$(Q)$(MAKE) --no-print-directory build-all
	$(Q)$(PYTHON) qemu/pictures/gallery.py $(BUILD)/quincunx qemu/pictures \
	  $(BUILD)/gallery

# ---- real boards ----

# Which programs talk to probes, serial ports and USB, and which kind of probe
# they are; more options of `quincunx flash`: FLASH_OPTIONS=--partial.
OPENOCD ?= openocd
STM32FLASH ?= stm32flash
DFU_UTIL ?= dfu-util
INTERFACE ?= stlink
FLASH_OPTIONS ?=
IMAGE ?= $(BUILD)/$(BOARD)/firmware.elf

# Values go by the environment: no shell reads what is in them. BOARD is the one
# that can be written to, if none is named.
flash flash-mesh: export BOARD := \
    $(if $(filter file,$(origin BOARD)),stm32f405,$(BOARD))
flash flash-mesh: export PROBE := $(PROBE)
flash flash-mesh: export PORT := $(PORT)
flash flash-mesh: export DFU := $(DFU)
flash flash-mesh: export MAP := $(MAP)
flash flash-mesh: export IMAGE := $(IMAGE)
flash flash-mesh: export OPENOCD := $(OPENOCD)
flash flash-mesh: export STM32FLASH := $(STM32FLASH)
flash flash-mesh: export DFU_UTIL := $(DFU_UTIL)
flash flash-mesh: export INTERFACE := $(INTERFACE)

# $(1): the variables of which one must be set, $(2): how they are set, $(3):
# the options that they become.
define flash
	$(Q)if [ -z "$$BOARD" ] || [ -z "$(1)" ]; then \
	  echo "make $@ [BOARD=stm32f405] $(2)" >&2; exit 2; fi
	$(call install,$(PACKAGES) $(FLASH_PACKAGES))
	$(Q)$(MAKE) -s --no-print-directory $(BUILD)/quincunx
	$(Q)[ "$$IMAGE" != "$(BUILD)/$$BOARD/firmware.elf" ] || \
	  $(MAKE) -s --no-print-directory "$$IMAGE"
	$(Q)$(BUILD)/quincunx flash --board "$$BOARD" $(3) \
	  --openocd "$$OPENOCD" --stm32flash "$$STM32FLASH" \
	  --dfu-util "$$DFU_UTIL" --interface "$$INTERFACE" $(FLASH_OPTIONS) \
	  "$$IMAGE"
endef

## flash: write the firmware to a board, PROBE=serial, PORT=/dev/ttyUSB0 or
##   DFU=serial; PINS= KERNELS= ... as in all; INTERFACE= FLASH_OPTIONS=
.PHONY: flash
flash:
	$(call flash,$$PROBE$$PORT$$DFU,PROBE=serial$(comma) PORT=/dev/ttyUSB0 \
	  or DFU=serial,$${PROBE:+--probe "$$PROBE"} $${PORT:+--port "$$PORT"} \
	  $${DFU:+--dfu "$$DFU"})

## flash-mesh: to all boards of a map, MAP=mesh.csv
.PHONY: flash-mesh
flash-mesh:
	$(call flash,$$MAP,MAP=mesh.csv,--map "$$MAP")

## flash-map: list probes, serial adapters and DFU devices; MAP=mesh.csv is
##   written if it is not there; MAP_OPTIONS=--ports
.PHONY: flash-map
MAP_OPTIONS ?=
flash-map: export MAP := $(MAP)
flash-map:
	$(call install,$(PACKAGES))
	$(Q)$(MAKE) -s --no-print-directory $(BUILD)/quincunx
	$(Q)$(BUILD)/quincunx flash-map $${MAP:+--output "$$MAP"} $(MAP_OPTIONS)

# ---- hardware in the loop ----

# The originator's console; emulated boards without one. HIL_OPTIONS: pytest's.
HIL_OPTIONS ?=

hil: export QUINCUNX_HIL := 1
hil: export QUINCUNX_HIL_PORT := $(PORT)
hil: export QUINCUNX_HIL_MESH := $(MESH)
hil: export QUINCUNX_HIL_BOARD := $(BOARD)
hil: export QUINCUNX_HIL_MODEL := $(MODEL)

## hil: test a mesh of boards, PORT=/dev/ttyACM0 MESH=5x5; no PORT: emulated,
##   QEMU=PATH; MODEL=1 MESH=3x3: modelled, where times are judged, too
.PHONY: hil
hil: test-deps
	$(Q)$(MAKE) --no-print-directory build-all $(MODEL:%=$(BUILD)/test/chip) \
	  BOARD="$(BOARDS)"
	$(Q)$(PYTHON) -m pytest -p no:cacheprovider --junitxml=$(BUILD)/hil.xml \
	  test/hil $(HIL_OPTIONS)
	@echo "report    $(BUILD)/hil.txt, $(BUILD)/hil.xml"

# ---- debugging ----

# A board of a mesh that runs with --gdb; what a debugger is to do there.
NODE ?= 0,0
GDB_DIR ?= $(BUILD)/gdb
GDB_ARGS ?=

## gdb: look into one board of a mesh that runs with --gdb, NODE=x,y
.PHONY: gdb
gdb: export NODE := $(NODE)
gdb: export GDB_DIR := $(GDB_DIR)
gdb:
	$(call install,gdb-multiarch)
	$(Q)door="$$GDB_DIR/$$(printf %s "$$NODE" | tr , -)"; \
	if ! [ -S "$$door" ]; then \
	  echo "make gdb NODE='$$NODE': no such board; \`quincunx run --gdb'" \
	    "or \`quincunx boards --gdb' starts some" >&2; exit 2; fi; \
	exec gdb-multiarch -q -d . -ex "target remote $$door" $(GDB_ARGS) \
	  "$$GDB_DIR/image"

# ---- a kernel of one's own ----

## new-kernel: begin one, NAME=foo: kernels/foo.c and its test
.PHONY: new-kernel
new-kernel:
	$(Q)bad=; case "$$NAME" in [a-z]*) ;; *) bad=1;; esac; \
	case "$$NAME" in *[!a-z0-9_]*) bad=1;; esac; \
	if [ -n "$$bad" ] || [ $${#NAME} -gt 15 ]; then \
	  echo "make new-kernel NAME='$$NAME': must be 1 to 15 of a-z, 0-9" \
	    "and _, a letter first" >&2; exit 2; fi; \
	for to in "kernels/$$NAME.c" "test/test_kernel_$$NAME.py"; do \
	  if [ -e "$$to" ]; then echo "$$to exists" >&2; exit 2; fi; done; \
	sed "s/@NAME@/$$NAME/g" kernels/skeleton/kernel.c.in \
	  > "kernels/$$NAME.c"; \
	sed "s/@NAME@/$$NAME/g" kernels/skeleton/test_kernel.py.in \
	  > "test/test_kernel_$$NAME.py"; \
	echo "kernels/$$NAME.c: counts the bytes of one value; make it yours"; \
	echo "test/test_kernel_$$NAME.py: make test T='-k $$NAME' runs it"

# ---- testing ----

TEST_PROGRAMS :=
include $(wildcard test/*.mk)

.PHONY: build-tests
build-tests: build-all $(TEST_TARGETS) $(TEST_PROGRAMS)

# Files of tests, and compilers, at a time.
WORKERS ?= 2
# One more: many tests wait for a mesh of theirs.
TEST_WORKERS ?= 3

TESTS ?= test

## test: every test that needs no board; T='-k NAME' selects; QEMU=PATH
test: test-deps
	$(Q)$(MAKE) --no-print-directory -j$(WORKERS) build-tests
	$(Q)$(PYTHON) -m pytest -p no:cacheprovider -n $(TEST_WORKERS) \
	  --dist loadfile $(TESTS) $(T)

# Where two QEMUs could differ: whole meshes, the emulated chip, the cables. The
# memory of 625 boards is the same, and one such run takes a minute.
QEMU10_TESTS := test/test_two_qemus.py test/test_run.py test/test_stm32f405.py \
                test/test_wired.py

## test-qemu10: a part of the tests, on the QEMU of `make qemu10`
.PHONY: test-qemu10
test-qemu10: qemu10
	$(Q)$(MAKE) --no-print-directory test QEMU=$(QEMU10)/qemu-system-arm \
	  TESTS="$(QEMU10_TESTS)" T='-k "not 25x25 and not 625"'

## test-boards: what takes long: whole meshes of emulated and of modelled
##   stm32f405, their failures, every kernel on 625 boards
.PHONY: test-boards
test-boards: test-deps
	$(Q)$(MAKE) --no-print-directory -j$(WORKERS) build-tests
	$(Q)$(PYTHON) -m pytest -p no:cacheprovider --boards -n $(WORKERS) \
	  --dist loadfile -k "not everywhere or 625" test/test_miswired.py \
	  test/test_ps.py test/test_serial_run.py test/test_chip_boards.py \
	  test/test_kernels_everywhere.py $(T)

## mutants: 40 small defects of the drivers, and whether the tests notice; T=
.PHONY: mutants
mutants: test-deps
	$(Q)rm -rf $(BUILD)/mutants
	$(Q)$(PYTHON) test/mutants/run.py $(BUILD)/mutants $(T)

RUNS ?= 20
BYTES ?= 1000000
DAMAGE ?=

## bench-boards: searches on emulated boards, RUNS=20 BYTES=1000000 DAMAGE=1/100
.PHONY: bench-boards
bench-boards: test-deps
	$(Q)$(MAKE) --no-print-directory build-all
	$(Q)$(PYTHON) test/bench/boards.py $(RUNS) $(BYTES) $(DAMAGE)

# Seconds of all targets together.
SECONDS ?= 600

## fuzz: readers and kernels on damaged input; SECONDS=600 in all, TARGET=
.PHONY: fuzz
fuzz: test-deps
	$(Q)$(MAKE) --no-print-directory build-fuzz
	$(Q)mkdir -p $(BUILD)/fuzz-findings
	$(Q)targets=$$($(BUILD)/test/fuzz --list | grep -c "^$(TARGET)"); \
	[ $$targets -gt 0 ] || targets=1; \
	$(BUILD)/test/fuzz --seconds $$(($(SECONDS) / targets)) \
	  --seed $$(date +%s) --corpus $(BUILD)/test/fuzz-corpus \
	  --out $(BUILD)/fuzz-findings $(TARGET)

## prove: no overflow in the planners and the split, whatever the input
.PHONY: prove
prove: test-deps
	$(Q)$(PYTHON) test/prove/prove.py

## bench: the table of measured figures; B=--quick leaves out 625 boards
bench: test-deps
	$(Q)$(MAKE) --no-print-directory -j$(WORKERS) build-tests
	$(Q)$(PYTHON) test/bench/bench.py $(B)

## bench-planner: what a plan costs, beside floating point and a solver
.PHONY: bench-planner
bench-planner: test-deps
	$(Q)$(MAKE) --no-print-directory build-tests
	$(Q)$(PYTHON) test/bench/planner.py

## format: let clang-format judge (needs clang-format)
format:
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')

## check-format: fail where clang-format would change something
check-format:
	$(Q)clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')

## size: flash and RAM of the firmware, by symbol; BOARD=
size: deps
	$(Q)$(MAKE) --no-print-directory $(BOARD:%=$(BUILD)/%/firmware.elf)
	$(Q)for b in $(BOARD); do \
	  $(CROSS_COMPILE)size -A $(BUILD)/$$b/firmware.elf; \
	  $(CROSS_COMPILE)nm --size-sort --reverse-sort --radix=d \
	    $(BUILD)/$$b/firmware.elf | head -25; done

# Installs what is missing of $(1).
define install
	$(Q)missing=""; for p in $(1); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | \
	    grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then sudo=; \
	  elif command -v sudo >/dev/null; then sudo=sudo; \
	  else echo "as root, run: apt-get update && apt-get install -y" \
	    "--no-install-recommends$$missing" >&2; exit 1; fi; \
	  $$sudo apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy \
	    --no-install-recommends $$missing; fi
endef

## deps: install what building and running need (apt; as root or with sudo)
deps:
	$(call install,$(PACKAGES))

## test-deps: install what testing, proving and measuring need, too
.PHONY: test-deps
test-deps:
	$(call install,$(PACKAGES) $(TEST_PACKAGES))

## clean: remove everything that was built
clean:
	rm -rf $(BUILD)

## help: this list; with any target V=1 shows commands, WORKERS=2 at a time
help:
	@sed -n 's/^## //p' Makefile test/*.mk
