# SPDX-License-Identifier: Apache-2.0
# The model of an STM32F405: its processor, optimised, for programs that run
# firmware on it; what checks the processor, with sanitizers but for speed.

CHIP_CORE := $(wildcard test/chip/core*.c)
CHIP_OBJ := $(BUILD)/test/chip-model

chip_core_objects := $(CHIP_CORE:%.c=$(CHIP_OBJ)/%.o)

$(call stamp,chip,$(HOST_CC) $(HOST_CFLAGS))

$(CHIP_OBJ)/%.o: %.c $(BUILD)/chip.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

TEST_PROGRAMS += $(BUILD)/test/chip-core-bench

$(BUILD)/test/chip-core-bench: $(chip_core_objects) \
                               $(CHIP_OBJ)/test/chip/check/bench.o
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) -o $@ $^

# Against libunicorn, which is as long a way to the same results.
CHIP_DIFFER := test/chip/check/differ.c test/chip/check/differ_forms.c \
               test/unit/unit.c

chip_differ_objects := $(CHIP_DIFFER:%.c=$(CHIP_OBJ)/%.o)

TEST_PROGRAMS += $(BUILD)/test/chip-core-differ

$(BUILD)/test/chip-core-differ: $(chip_core_objects) $(chip_differ_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) -o $@ $^ -lunicorn

CHIP_CHECK := $(CHIP_CORE) test/unit/unit.c \
              $(filter-out %/bench.c %/differ.c %/differ_forms.c, \
                $(wildcard test/chip/check/*.c))

chip_check_objects := $(CHIP_CHECK:%.c=$(BUILD)/test/more/%.o)

TEST_PROGRAMS += $(BUILD)/test/chip-core

$(BUILD)/test/chip-core: $(chip_check_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

-include $(chip_core_objects:.o=.d) $(chip_differ_objects:.o=.d)
-include $(chip_check_objects:.o=.d) $(CHIP_OBJ)/test/chip/check/bench.d
