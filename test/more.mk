# SPDX-License-Identifier: Apache-2.0
# The fabric alone, the HAL on both boards, and the unit tests on the target.

MORE_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -O1
MORE_OBJ := $(BUILD)/test/more

MORE_FABRIC := $(wildcard test/fabric/*.c) test/unit/unit.c torus/torus.c \
               qemu/fabric/fabric.c
MORE_RUNNER := $(wildcard test/conformance/*.c) test/unit/unit.c \
               $(WINDOW_SOURCES) $(wildcard hal/host/*.c torus/*.c) \
               $(wildcard qemu/fabric/*.c) qemu/board/addresses.c \
               qemu/board/table.c \
               qemu/board/emulator.c qemu/support/process.c
MORE_PROGRAM := test/conformance/program.c \
                $(filter-out %/memory.c,$(BOOT_SOURCES)) \
                boot/mps2_an385/vectors.c boot/mps2_an385/end.c \
                $(WINDOW_SOURCES) $(wildcard hal/mps2_an385/*.c torus/*.c)
MORE_TARGET := test/target/main.c boot/cortex_m/reset.c \
               boot/mps2_an385/vectors.c \
               test/unit/unit.c test/unit/unit_all.c \
               $(wildcard test/unit/test_*.c) \
               $(WINDOW_SOURCES) \
               $(wildcard torus/*.c hal/mps2_an385/*.c kernels/*.c) \
               $(wildcard scatter/plan/*.c scatter/wire/*.c) \
               $(filter-out %/registry.c,$(wildcard qemu/schedule/*.c))

more_fabric_objects := $(MORE_FABRIC:%.c=$(MORE_OBJ)/%.o)
more_runner_objects := $(MORE_RUNNER:%.c=$(MORE_OBJ)/%.o)
more_program_objects := $(MORE_PROGRAM:%.c=$(BUILD)/mps2_an385/%.o)
more_target_objects := $(MORE_TARGET:%.c=$(BUILD)/mps2_an385/%.o)

TEST_PROGRAMS += $(BUILD)/test/fabric $(BUILD)/test/conformance \
                 $(BUILD)/test/conformance.elf $(BUILD)/test/target.elf

$(call stamp,more,$(HOST_CC) $(HOST_CFLAGS) $(MORE_SANITIZE))

$(MORE_OBJ)/%.o: %.c $(BUILD)/more.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $(MORE_SANITIZE) -MMD -MP -c $< -o $@

$(BUILD)/test/fabric: $(more_fabric_objects)
$(BUILD)/test/conformance: $(more_runner_objects)

$(BUILD)/test/fabric $(BUILD)/test/conformance:
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

# The product's image has a budget; the tests' need none.
$(BUILD)/test/conformance.elf: $(more_program_objects)
$(BUILD)/test/target.elf: $(more_target_objects)

$(BUILD)/test/conformance.elf $(BUILD)/test/target.elf: \
    $(wildcard linker/*.ld) $(BUILD)/mps2_an385.flags
	$(say) LINK-M3 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,mps2_an385) -Wl,--defsym=boot_image_unlimited=1 \
	  -Wno-stringop-overflow \
	  $(filter %.o,$^) -o $@

-include $(more_fabric_objects:.o=.d) $(more_runner_objects:.o=.d)
-include $(more_program_objects:.o=.d) $(more_target_objects:.o=.d)
