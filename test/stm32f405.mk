# SPDX-License-Identifier: Apache-2.0
# A program that shows the board stm32f405's drivers, on QEMU's board and on the
# chip's model: an image for each header of pins.

STM32_IMAGE := $(wildcard test/stm32f405/*.c) $(BOOT_SOURCES) hal/crc32.c \
               $(wildcard hal/stm32f405/*.c) \
               $(filter-out %/main.c,$(wildcard boot/stm32f405/*.c))

# Of them, those that know pins.
STM32_PINS := test/stm32f405/main.c boot/stm32f405/vectors.c \
              hal/stm32f405/serial.c hal/stm32f405/led.c

TEST_PROGRAMS += $(ALL_PINS:%=$(BUILD)/test/stm32f405-%.elf)

stm32_image_objects := $(patsubst %.c,$(BUILD)/stm32f405/%.o, \
                         $(filter-out $(STM32_PINS),$(STM32_IMAGE)))

define stm32_image
stm32_$(1)_objects := $(STM32_PINS:%.c=$(BUILD)/test/pins/$(1)/%.o)

$(BUILD)/test/pins/$(1)/%.o: %.c $(BUILD)/stm32f405.flags
	$$(say) CC-m4 '$$< $(1)'
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(call target_cc,stm32f405) -UPINS -DPINS=$(1) -MMD -MP -c $$< -o $$@

$(BUILD)/test/stm32f405-$(1).elf: $$(stm32_$(1)_objects) \
    $(stm32_image_objects) $(wildcard linker/*.ld) $(BUILD)/stm32f405.flags
	$$(say) LINK-m4 $$@
	$$(Q)$$(call target_link,stm32f405) \
	  -Wl,--defsym=boot_image_unlimited=1 $$(filter %.o,$$^) -o $$@
	$$(Q)$$(CROSS_COMPILE)objcopy -O binary $$@ $$(@:.elf=.bin)

-include $$(stm32_$(1)_objects:.o=.d)
endef
$(foreach pins,$(ALL_PINS),$(eval $(call stm32_image,$(pins))))

-include $(stm32_image_objects:.o=.d)
