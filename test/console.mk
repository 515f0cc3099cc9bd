# SPDX-License-Identifier: Apache-2.0
# The console's lines, mailbox and client as a library for ctypes, and a node's
# console as a program that talks on its standard input and output.

CONSOLE_SHARED := hal/line/line.c hal/serial/mailbox.c qemu/console/client.c \
                  qemu/console/port.c qemu/support/parse.c
CONSOLE_BOARD := test/console/board.c hal/line/line.c hal/serial/mailbox.c \
                 $(wildcard boot/shell/*.c) torus/torus.c

CONSOLE_NODE := test/console/node.c test/unit/unit.c \
                $(wildcard boot/serial/*.c boot/shell/*.c) \
                $(ENGINE_SOURCES) $(SERIAL_SOURCES) $(wildcard kernels/*.c)

console_shared_objects := $(CONSOLE_SHARED:%.c=$(BUILD)/test/obj/shared/%.o)
console_board_objects := $(CONSOLE_BOARD:%.c=$(BUILD)/test/more/%.o)

console_node_objects := $(CONSOLE_NODE:%.c=$(BUILD)/test/more/%.o) \
                        $(BUILD)/host/kernel_table.o

TEST_PROGRAMS += $(BUILD)/test/console-node
TEST_PROGRAMS += $(BUILD)/test/console.so $(BUILD)/test/console-board

$(BUILD)/test/console.so: $(console_shared_objects)
	$(say) LINK $@
	$(Q)$(HOST_CC) -shared -o $@ $^ -lserialport

$(BUILD)/test/console-board: $(console_board_objects)
	$(say) LINK $@
	$(Q)$(HOST_CC) -fsanitize=address,undefined -o $@ $^

$(BUILD)/test/console-node: $(console_node_objects)
	$(say) LINK $@
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^

-include $(console_node_objects:.o=.d)
-include $(console_shared_objects:.o=.d) $(console_board_objects:.o=.d)
