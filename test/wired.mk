# SPDX-License-Identifier: Apache-2.0
# An image that shows how emulated boards are wired.

TEST_PROGRAMS += $(BUILD)/test/wired.elf

WIRED_CFLAGS := -std=c11 -Os -g -I. -Wall -Wextra -Wconversion -Werror \
                -mcpu=cortex-m4 -mthumb -ffreestanding \
                -ffile-prefix-map="$$PWD"=.

$(call stamp,wired,$(TARGET_CC) $(WIRED_CFLAGS))

$(BUILD)/test/wired.elf: test/wired/image.c test/wired/image.ld \
                         $(BUILD)/wired.flags
	$(say) LINK-M4 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(TARGET_CC) $(WIRED_CFLAGS) -nostdlib -nostartfiles \
	  -Wl,--fatal-warnings -T test/wired/image.ld $< -o $@
