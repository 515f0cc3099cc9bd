# SPDX-License-Identifier: Apache-2.0
# All kernels as one library of the host, for tests that call them by hand.

kernel_objects := $(patsubst %.c,$(BUILD)/test/obj/shared/%.o,\
                    $(wildcard kernels/*.c)) \
                  $(BUILD)/test/obj/shared/kernel_table.o

TEST_PROGRAMS += $(BUILD)/test/kernels.so

$(BUILD)/test/obj/shared/kernel_table.o: $(TABLE) kernels/kernel.h \
                                         $(BUILD)/test.flags
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -fPIC -c $< -o $@

$(BUILD)/test/kernels.so: $(kernel_objects) $(BUILD)/test.flags
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) -shared -o $@ $(kernel_objects)

-include $(kernel_objects:.o=.d)
