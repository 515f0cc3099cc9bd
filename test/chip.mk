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
