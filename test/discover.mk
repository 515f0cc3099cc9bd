# SPDX-License-Identifier: Apache-2.0
# Discovery in meshes of nodes in one process.

DISCOVER_TEST := $(wildcard test/discover/*.c) test/unit/unit.c \
                 hal/crc32.c $(wildcard hal/discover/*.c) torus/torus.c

discover_objects := $(DISCOVER_TEST:%.c=$(BUILD)/test/more/%.o)

TEST_PROGRAMS += $(BUILD)/test/discover

$(BUILD)/test/discover: $(discover_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

-include $(discover_objects:.o=.d)
