# SPDX-License-Identifier: Apache-2.0
# What a search costs on the board, beside the C library's.

SEARCH_BENCH := test/bench/kernels/search.c test/bench/kernels/memmem.c \
                test/target/main.c boot/cortex_m/reset.c \
                boot/mps2_an385/vectors.c kernels/search.c \
                $(WINDOW_SOURCES) $(wildcard hal/mps2_an385/*.c torus/*.c)
SEARCH_BENCH_OBJ := $(BUILD)/mps2_an385/test/bench/kernels

search_bench_objects := $(SEARCH_BENCH:%.c=$(BUILD)/mps2_an385/%.o)

TEST_PROGRAMS += $(BUILD)/test/search_bench.elf

# As the kernels are compiled.
$(SEARCH_BENCH_OBJ)/memmem.o: TARGET_CFLAGS += -O3

$(SEARCH_BENCH_OBJ)/text.o: test/bench/kernels/text.S $(BUILD)/licenses.txt \
                            $(BUILD)/mps2_an385.flags
	$(say) AS-M3 $<
	$(Q)mkdir -p $(@D)
	$(Q)$(TARGET_CC) -mcpu=cortex-m3 -mthumb \
	  -DBENCH_TEXT='"$(BUILD)/licenses.txt"' -c $< -o $@

$(BUILD)/test/search_bench.elf: $(search_bench_objects) \
    $(SEARCH_BENCH_OBJ)/text.o $(wildcard linker/*.ld) \
    $(BUILD)/mps2_an385.flags
	$(say) LINK-M3 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,mps2_an385) -Wl,--defsym=boot_image_unlimited=1 \
	  $(filter %.o,$^) -o $@

-include $(search_bench_objects:.o=.d)
