# SPDX-License-Identifier: Apache-2.0
# What the switch's calls cost, counted on the board whose emulator counts, and
# compiled with the flags of the board stm32f405, but for the processor.

RELAY_EXACT := $(SWITCH_SOURCES) torus/torus.c
RELAY_BENCH := test/bench/relay/board.c test/target/main.c \
               boot/cortex_m/reset.c boot/cortex_m/memory.c \
               boot/mps2_an385/vectors.c $(wildcard hal/window/*.c) \
               $(wildcard hal/mps2_an385/*.c) \
               torus/pattern.c

relay_exact_objects := $(RELAY_EXACT:%.c=$(BUILD)/relay/%.o)
relay_bench_objects := $(RELAY_BENCH:%.c=$(BUILD)/mps2_an385/%.o)

TEST_PROGRAMS += $(BUILD)/test/relay_bench.elf

$(BUILD)/relay/%.o: %.c $(BUILD)/mps2_an385.flags
	$(say) CC-m3 $<
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_cc,mps2_an385) -MMD -MP -c $< -o $@

$(relay_exact_objects): TARGET_CFLAGS += $(COLD)
relay_hot_objects := $(filter $(HOT_stm32f405:%=$(BUILD)/relay/%.o), \
                       $(relay_exact_objects))
$(relay_hot_objects): TARGET_CFLAGS += $(HOT_FLAGS)

$(BUILD)/test/relay_bench.elf: $(relay_exact_objects) \
    $(relay_bench_objects) $(wildcard linker/*.ld) \
    $(BUILD)/mps2_an385.flags
	$(say) LINK-M3 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,mps2_an385) -Wl,--defsym=boot_image_unlimited=1 \
	  $(filter %.o,$^) -o $@

-include $(relay_exact_objects:.o=.d) $(relay_bench_objects:.o=.d)
