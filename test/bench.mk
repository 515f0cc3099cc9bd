# SPDX-License-Identifier: Apache-2.0
# What the kernels' jobs cost on the board when they are written plainly.

REFERENCES := $(wildcard test/bench/kernels/reference*.c) \
              test/bench/kernels/memmem.c test/target/main.c \
              boot/cortex_m/reset.c boot/cortex_m/memory.c \
              boot/mps2_an385/vectors.c \
              $(filter-out kernels/spin.c,$(wildcard kernels/*.c)) \
              $(WINDOW_SOURCES) $(wildcard hal/mps2_an385/*.c torus/*.c)
REFERENCES_OBJ := $(BUILD)/mps2_an385/test/bench/kernels

references_objects := $(REFERENCES:%.c=$(BUILD)/mps2_an385/%.o)

TEST_PROGRAMS += $(BUILD)/test/references.elf

# As the kernels are compiled.
$(REFERENCES_OBJ)/reference_channels.o $(REFERENCES_OBJ)/reference_numbers.o \
$(REFERENCES_OBJ)/reference_text.o: TARGET_CFLAGS += -O3

$(BUILD)/test/references.elf: $(references_objects) $(wildcard linker/*.ld) \
                              $(BUILD)/mps2_an385.flags
	$(say) LINK-M3 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,mps2_an385) -Wl,--defsym=boot_image_unlimited=1 \
	  $(filter %.o,$^) -o $@ -lm

-include $(references_objects:.o=.d)
