# SPDX-License-Identifier: Apache-2.0
# What else is flashed to modelled boards: an image whose pins have an LED, and
# one with a stack that is too small for discovery.

CHIP_LED_PINS := pyboard
CHIP_LED_SOURCES := boot/stm32f405/vectors.c hal/stm32f405/serial.c \
                    hal/stm32f405/led.c

chip_led_objects := \
    $(filter-out $(CHIP_LED_SOURCES:%.c=$(BUILD)/stm32f405/%.o), \
      $(objects_stm32f405)) \
    $(CHIP_LED_SOURCES:%.c=$(BUILD)/test/pins/$(CHIP_LED_PINS)/%.o)

TEST_PROGRAMS += $(BUILD)/test/chip-led.elf $(BUILD)/test/chip-stack.elf

$(BUILD)/test/chip-led.elf: $(chip_led_objects) $(wildcard linker/*.ld) \
                            $(BUILD)/stm32f405.flags
	$(say) LINK-m4 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,stm32f405) $(chip_led_objects) -o $@
	$(Q)$(CROSS_COMPILE)objcopy -O binary $@ $(@:.elf=.bin)

chip_stack_link = $(subst linker/stm32f405.ld,$(BUILD)/test/chip-stack.ld, \
                    $(call target_link,stm32f405))

# Without the linker's checks of the stack, which are for the sources' own.
$(BUILD)/test/chip-stack.ld: $(wildcard linker/*.ld) test/chip_images.mk
	$(Q)mkdir -p $(@D)
	$(Q)sed -e '/^INCLUDE.*sections/r linker/sections.ld' \
	  -e '/^INCLUDE.*sections/d' linker/stm32f405.ld | \
	  sed -e 's/? 12K : 8K/? 2K : 2K/' \
	    -e '/^ASSERT(boot_stack_size/,/)$$/d' > $@

$(BUILD)/test/chip-stack.elf: $(objects_stm32f405) \
    $(BUILD)/test/chip-stack.ld $(BUILD)/stm32f405.flags
	$(say) LINK-m4 $@
	$(Q)$(chip_stack_link) $(objects_stm32f405) -o $@
	$(Q)$(CROSS_COMPILE)objcopy -O binary $@ $(@:.elf=.bin)
