# SPDX-License-Identifier: Apache-2.0
# The switch in software on meshes of simulated lines, with sanitizers.

SWITCH_TEST := $(wildcard test/switch/*.c) $(SWITCH_SOURCES) \
               test/unit/unit.c torus/pattern.c torus/torus.c

switch_test_objects := $(SWITCH_TEST:%.c=$(MORE_OBJ)/%.o)

TEST_PROGRAMS += $(BUILD)/test/switch

$(BUILD)/test/switch: $(switch_test_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

SEEDS ?= 10000

## switch-seeds: random traffic under random faults; SEEDS=10000
.PHONY: switch-seeds
switch-seeds: test-deps
	$(Q)$(MAKE) --no-print-directory $(BUILD)/test/switch
	$(Q)$(BUILD)/test/switch --seeds $(SEEDS)

-include $(switch_test_objects:.o=.d)
