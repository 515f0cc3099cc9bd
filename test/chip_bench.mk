# SPDX-License-Identifier: Apache-2.0
# A bench of modelled boards, driven by tests (test/chip_bench.py).

CHIP_BENCH := $(wildcard test/chip/*.c)

chip_bench_objects := $(CHIP_BENCH:%.c=$(BUILD)/test/chip-model/%.o)

TEST_PROGRAMS += $(BUILD)/test/chip

$(BUILD)/test/chip: $(chip_bench_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) -o $@ $^ -ljansson

-include $(chip_bench_objects:.o=.d)
