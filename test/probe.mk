# SPDX-License-Identifier: Apache-2.0
# Probes on native nodes, and fits of rows that a test makes up.

PROBE := $(wildcard test/probe/*.c torus/*.c scatter/*/*.c hal/host/*.c) \
         $(WINDOW_SOURCES) hal/discover/text.c hal/line/line.c \
         test/unit/unit.c kernels/spin.c \
         boot/node.c boot/host/costs.c \
         $(filter-out qemu/main.c,$(QEMU_SOURCES))

probe_objects := $(PROBE:%.c=$(BUILD)/test/more/%.o)

TEST_PROGRAMS += $(BUILD)/test/probe

$(BUILD)/test/probe: $(probe_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^ $(HOST_LIBS)

-include $(probe_objects:.o=.d)

## calibrate: measure a mesh, and what a plan with the values gains
.PHONY: calibrate
calibrate: test-deps
	$(Q)$(MAKE) --no-print-directory build-all
	$(Q)$(PYTHON) test/bench/calibrate.py
