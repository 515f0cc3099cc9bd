# SPDX-License-Identifier: Apache-2.0
# The boards' programs of the tests.

# $(call test_image,NAME,BOARD,SOURCES,LINKING): build/test/NAME.elf and .bin;
# sources may be objects. The firmware's size has a limit; the tests' need none.
test_image = $(eval TEST_PROGRAMS += $(BUILD)/test/$(1).elf) $(eval $(call \
  image,$(2),test/$(1),$(patsubst %.c,$(BUILD)/$(2)/%.o,$(3)), \
  -Wl$(comma)--defsym=boot_image_unlimited=1 $(4)))

# ---- the board whose emulator counts instructions ----

COUNTED := mps2_an385
COUNTED_OBJECTS := $(BUILD)/$(COUNTED)
# Starts a test's program there, which ends by semihosting.
COUNTED_MAIN := test/target/main.c boot/cortex_m/reset.c \
                boot/mps2/vectors.c $(MPS2_HAL)

# Cases that Python makes, answered by planners and torus/.
$(call test_image,cases,$(COUNTED),$(COUNTED_MAIN) \
  $(addprefix test/target/,cases.c cases_board.c) \
  $(wildcard scatter/plan/*.c torus/*.c) hal/crc32.c boot/cortex_m/divide.c)

# Nodes of the engine with wrong messages, where addresses have 32 bits.
FUZZED := $(wildcard test/world/*.c) $(addprefix test/fuzz/,mesh.c mutate.c \
            node.c) test/target/fuzz_board.c
$(call with_own,$(FUZZED:%.c=$(COUNTED_OBJECTS)/%.o),-fno-lto)
$(call test_image,fuzz,$(COUNTED),$(FUZZED) $(filter-out hal/mps2/clock.c \
  hal/window/%,$(COUNTED_MAIN)) $(wildcard qemu/schedule/*.c) \
  $(ENGINE_SOURCES) $(addprefix hal/,rows.c crc32.c host/clock.c) \
  boot/cortex_m/divide.c)
LONG_PROGRAMS := $(BUILD)/test/fuzz.elf
TEST_PROGRAMS := $(filter-out $(LONG_PROGRAMS),$(TEST_PROGRAMS))

# The board's side of the HAL's tests.
$(call test_image,conformance,$(COUNTED),test/hal/conformance/program.c \
  $(filter-out %/memory.c,$(BOOT_SOURCES)) boot/mps2/vectors.c \
  boot/mps2/end.c $(MPS2_HAL) hal/crc32.c $(wildcard torus/*.c), \
  -Wno-stringop-overflow)

# Boards that do not keep to what their switch expects.
$(call test_image,rude,$(COUNTED),test/qemu/rude/program.c \
  $(filter-out %/memory.c,$(BOOT_SOURCES)) boot/mps2/vectors.c \
  boot/mps2/end.c $(MPS2_HAL) hal/crc32.c $(wildcard torus/*.c))

# The firmware with a kernel that estimates wrongly what it takes.
$(call test_image,spin-wrong,$(COUNTED), \
  $(filter-out kernels/spin.c,$(sources_$(COUNTED))) \
  $(COUNTED_OBJECTS)/kernel_table.o test/boards/estimate/spin.c)

# The firmware with kernels whose units cost what their data says, and those of
# plain C.
$(eval $(call kernel_table,$(COUNTED)/dear,$(BENCH_KERNELS)))
$(call with_own,$(COUNTED_OBJECTS)/test/bench/plain.o,-O2)
$(call test_image,dear,$(COUNTED), \
  $(filter-out kernels/%,$(sources_$(COUNTED))) \
  $(COUNTED_OBJECTS)/dear/kernel_table.o $(BENCH_SOURCES))

# ---- stm32f405 ----

# Objects with other pins: build/test/pins/PINS/.
$(foreach pins,$(pins_stm32f405),$(eval $(call compile,test/pins/$(pins),$$(call \
  target_cc,stm32f405) -UPINS -DPINS=$(pins),$(DEPS))))
# $(call with_pins,PINS,SOURCES): those that know pins of these.
PINS_KNOWN := test/boards/stm32f405/main.c boot/stm32f405/start.c \
              hal/stm32f405/serial.c hal/stm32f405/gpio.c
with_pins = $(filter-out $(PINS_KNOWN),$(2)) $(patsubst \
              %.c,$(BUILD)/test/pins/$(1)/%.o,$(filter $(PINS_KNOWN),$(2)))

# The drivers shown, an image for each header of pins.
DRIVERS_SHOWN := $(wildcard test/boards/stm32f405/*.c hal/stm32f405/*.c) \
                 hal/crc32.c hal/line/line.c hal/serial/clock.c \
                 boot/stm32f405/start.c $(addprefix boot/serial/,console.c \
                   end.c) \
                 $(BOOT_SOURCES)
$(foreach pins,$(pins_stm32f405),$(call test_image,stm32f405-$(pins),stm32f405, \
  $(call with_pins,$(pins),$(DRIVERS_SHOWN))))

# The firmware with a kernel whose units take as long as a test wants, too.
MORE_KERNELS := spin
$(eval $(call kernel_table,stm32f405/more,search $(MORE_KERNELS)))
$(foreach k,$(filter-out $(kernels_stm32f405) $(FAST_KERNELS:kernels/%.c=%), \
  $(MORE_KERNELS)),$(call with_own,$(BUILD)/stm32f405/kernels/$k.o,$(call \
    flags_of,stm32f405,kernels/$k.c)))
$(call test_image,chip-kernels,stm32f405,$(sort $(sources_stm32f405) \
  $(MORE_KERNELS:%=kernels/%.c)) $(BUILD)/stm32f405/more/kernel_table.o)

# The firmware on pins with an LED; its stack is too small for an order, and
# the checks of it that the linker makes are left out.
$(call test_image,chip-small,stm32f405,$(call with_pins,pyboard, \
  $(sources_stm32f405)) $(BUILD)/stm32f405/kernel_table.o)
$(BUILD)/test/chip-small.elf: linker_script := $(BUILD)/test/chip-small.ld
$(BUILD)/test/chip-small.elf: $(BUILD)/test/chip-small.ld
$(BUILD)/test/chip-small.ld: $(wildcard linker/*.ld) test/images.mk
	$(Q)mkdir -p $(@D)
	$(Q)sed -e '/^INCLUDE.*sections/r linker/sections.ld' \
	  -e '/^INCLUDE.*sections/d' linker/stm32f405.ld | \
	  sed -e 's/^boot_stack_size = .*/boot_stack_size = 2K;/' \
	    -e '/^ASSERT(boot_stack_size/,/)$$/d' > $@

# How emulated boards are wired: a program that stands alone.
TEST_PROGRAMS += $(BUILD)/test/wired.elf
$(BUILD)/test/wired.elf: test/boards/wired/image.c test/boards/wired/image.ld \
                         $(BUILD)/stm32f405.flags | $(TEST_DEPS)
	$(say) LINK-$(core_stm32f405) $@
	$(Q)mkdir -p $(@D)
	$(Q)$(filter-out -flto=auto -fstack-usage -Wpedantic,$(call \
	  target_cc,stm32f405)) -ffreestanding -nostdlib -nostartfiles \
	  -Wl,--fatal-warnings -T test/boards/wired/image.ld $< -o $@
