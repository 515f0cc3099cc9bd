# SPDX-License-Identifier: Apache-2.0
# Code that is small rather than fast, of boards with little flash, on the host.

small_objects := $(BUILD)/test/small/boot/cortex_m/divide.o \
                 $(BUILD)/test/small/hal/crc32.o \
                 $(BUILD)/test/small/hal/switch/parity.o

TEST_PROGRAMS += $(BUILD)/test/small.so

$(BUILD)/test/small/%.o: %.c $(BUILD)/host.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -DCRC32_SMALL -fPIC -MMD -MP -c $< -o $@

$(BUILD)/test/small.so: $(small_objects)
	$(say) LINK $@
	$(Q)$(HOST_CC) -shared -o $@ $^

-include $(small_objects:.o=.d)
