# SPDX-License-Identifier: Apache-2.0
# Whole jobs on native nodes, with a kernel that looks at all it is given.

JOBS := $(wildcard test/jobs/*.c torus/*.c scatter/*/*.c hal/host/*.c) \
        $(WINDOW_SOURCES) hal/discover/text.c hal/line/line.c \
        test/unit/unit.c boot/node.c boot/host/costs.c \
        $(filter-out qemu/main.c,$(QEMU_SOURCES))

jobs_objects := $(JOBS:%.c=$(BUILD)/test/more/%.o)

TEST_PROGRAMS += $(BUILD)/test/jobs

$(BUILD)/test/jobs: $(jobs_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^ $(HOST_LIBS)

-include $(jobs_objects:.o=.d)
