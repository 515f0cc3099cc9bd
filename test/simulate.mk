# SPDX-License-Identifier: Apache-2.0
# The simulation of the whole scatter alone, with sanitizers; and the command
# with a split that loses units, which its checks must find.

SIMULATE_CORE := $(filter-out %/tree.c %/tree_pairs.c, \
                   $(wildcard qemu/model/*.c)) \
                 $(wildcard torus/*.c) scatter/plan/one_round.c
SIMULATE_UNIT := $(SIMULATE_CORE) scatter/plan/split.c qemu/fabric/fabric.c \
                 $(filter-out %/lossy.c,$(wildcard test/simulate/*.c)) \
                 test/unit/unit.c
SIMULATE_LOSSY := $(SIMULATE_CORE) $(wildcard qemu/command/simulate*.c) \
                  $(wildcard qemu/options/plan*.c) qemu/options/simulate.c \
                  qemu/support/parse.c test/simulate/lossy.c

simulate_unit_objects := $(SIMULATE_UNIT:%.c=$(MORE_OBJ)/%.o)
simulate_lossy_objects := $(SIMULATE_LOSSY:%.c=$(MORE_OBJ)/%.o)

TEST_PROGRAMS += $(BUILD)/test/simulate $(BUILD)/test/simulate-lossy

$(BUILD)/test/simulate: $(simulate_unit_objects)
$(BUILD)/test/simulate-lossy: $(simulate_lossy_objects)

$(BUILD)/test/simulate $(BUILD)/test/simulate-lossy:
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^ $(HOST_LIBS)

-include $(simulate_unit_objects:.o=.d) $(simulate_lossy_objects:.o=.d)
