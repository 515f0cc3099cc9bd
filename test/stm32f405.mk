# SPDX-License-Identifier: Apache-2.0
# What shows the board stm32f405: a program for QEMU's, and the drivers on the
# host over a model of the chip's registers.

STM32_IMAGE := $(wildcard test/stm32f405/*.c) $(BOOT_SOURCES) hal/crc32.c \
               $(wildcard hal/stm32f405/*.c) \
               $(filter-out boot/main_%,$(wildcard boot/*_stm32f405.c))

stm32_image_objects := $(STM32_IMAGE:%.c=$(BUILD)/stm32f405/%.o)

STM32_HOST := $(wildcard test/stm32f405/host/*.c) test/unit/unit.c

stm32_host_objects := $(STM32_HOST:%.c=$(BUILD)/test/more/%.o)

TEST_PROGRAMS += $(BUILD)/test/stm32f405.elf $(BUILD)/test/stm32f405_host

$(BUILD)/test/stm32f405_host: $(stm32_host_objects)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

$(BUILD)/test/stm32f405.elf: $(stm32_image_objects) $(wildcard linker/*.ld) \
                             $(BUILD)/stm32f405.flags
	$(say) LINK-m4 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,stm32f405) -Wl,--defsym=boot_image_unlimited=1 \
	  $(stm32_image_objects) -o $@
	$(Q)$(CROSS_COMPILE)objcopy -O binary $@ $(@:.elf=.bin)

-include $(stm32_image_objects:.o=.d) $(stm32_host_objects:.o=.d)
