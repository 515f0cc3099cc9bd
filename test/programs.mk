# SPDX-License-Identifier: Apache-2.0
# The host's programs of the tests.

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g1
# Where little time is spent, the compiler's is saved.
COLD := $(wildcard $(addsuffix /*.c,test/unit test/qemu/* test/scatter/jobs \
          $(addprefix qemu/,. board calibrate command compare console \
            flash job live options page papers ranks report serve survey \
            wired)))
# Kinds of programs, by how they are compiled and linked: with sanitizers; for
# speed, as the host command is; as libraries for ctypes.
OBJECTS_sanitized := $(BUILD)/test/sanitized
OBJECTS_fast := $(BUILD)/host
OBJECTS_shared := $(BUILD)/test/shared
MORE_sanitized := test/fuzz/untraced.c
LINK_sanitized := $(HOST_CC) $(SANITIZE)
LINK_fast := $(HOST_CC)
LINK_shared := $(HOST_CC) -shared

$(eval $(call compile,test/sanitized,$$(HOST_CC) $$(HOST_CFLAGS) \
  $$(SANITIZE),$(TEST_DEPS)))
$(eval $(call compile,test/shared,$$(HOST_CC) $$(HOST_CFLAGS) \
  -fPIC -O1,$(TEST_DEPS)))
$(COLD:%.c=$(OBJECTS_sanitized)/%.o): own := -O0
$(eval $(call kernel_table,test/shared,$(ALL_KERNELS)))

$(OBJECTS_sanitized)/qemu/report/page.o: $(PAGE_FILES)

# $(call test_program,NAME,KIND,SOURCES,LIBRARIES): build/test/NAME; sources may
# be objects.
define test_program_rules
TEST_PROGRAMS += $(BUILD)/test/$(1)
$(call linked,test/$(1),$(3),$(LINK_$(2)) $(4))
$(BUILD)/test/$(1):
	$$(say) LINK $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(LINK_$(2)) -o $$@ $(3) $(4)
$(filter $(OBJECTS_fast)/test/%,$(3)) $(BUILD)/test/$(1): | $(TEST_DEPS)
endef
test_program = $(eval $(call test_program_rules,$(1),$(2),$(patsubst \
                 %.c,$(OBJECTS_$(2))/%.o,$(3) $(MORE_$(2))),$(4)))

UNIT := test/unit/unit.c
UNIT_HOST := $(UNIT) test/unit/host.c
SCHEDULES := $(filter-out %/registry.c,$(wildcard qemu/schedule/*.c))
PLANS := $(wildcard torus/*.c scatter/plan/*.c) $(SCHEDULES) \
         qemu/base/memory.c
# The host command, but for main() and the kernels.
HOST_WITHOUT_MAIN := $(filter-out qemu/main.c $(KERNEL_SOURCES), \
                       $(HOST_SOURCES))

# Messages and outcomes; planners that answer cases; and these, schedules and
# code of boards, for Python.
$(call test_program,unit,sanitized,$(wildcard test/unit/*.c) \
  $(wildcard scatter/wire/*.c) qemu/base/memory.c \
  $(addprefix qemu/job/,output_chunks.c timeline.c),-lnettle)
$(call test_program,cases,sanitized,$(addprefix test/target/,cases.c \
  cases_host.c) $(wildcard scatter/plan/*.c torus/*.c))
$(call test_program,libcore.so,shared,$(PLANS) boot/cortex_m/divide.c \
  hal/crc32.c hal/switch/parity.c)
# What starts the host command by a fork.
$(call test_program,forked.so,shared,test/lib/forked.c)
$(call test_program,kernels.so,shared,$(KERNEL_SOURCES) \
  $(OBJECTS_shared)/kernel_table.o)

# The memory functions of a board, beside the library's by other names.
$(call with_own,$(OBJECTS_shared)/boot/cortex_m/memory.o,-fno-builtin \
  -fno-tree-loop-distribute-patterns \
  $(foreach f,memcpy memmove memset memcmp strlen,-D$(f)=boot_$(f)))
$(call test_program,memory.so,shared,boot/cortex_m/memory.c)

# Stops a command between two bytes of an output.
$(call test_program,stop_write.so,shared,test/qemu/streams/stop.c)
# Ends one at any call that changes a file.
$(call test_program,die.so,shared,test/qemu/streams/die.c)

# What memory and processes there may be, for Python.
$(call test_program,limits.so,shared,$(addprefix qemu/base/, \
  control_group.c limits.c memory.c quote.c utf8.c))

# What ranks tell each other of windows, and who has which nodes, for Python.
$(call test_program,ranks_parts.so,shared,qemu/ranks/patch.c \
  qemu/ranks/share.c qemu/base/memory.c torus/torus.c)
# Other ranks, made up.
$(call test_program,script_ranks.so,shared,test/qemu/others/script.c)
# What comes for the nodes of one rank, and what they send.
$(call test_program,local,sanitized,$(wildcard test/qemu/local/*.c) \
  $(UNIT_HOST) hal/crc32.c $(addprefix qemu/ranks/,local.c patch.c share.c) \
  $(addprefix qemu/fabric/,message.c windows.c) qemu/base/host_clock.c \
  qemu/base/memory.c torus/torus.c)

# The fabric alone, and the host's side of the HAL on both kinds of boards.
$(call test_program,fabric,sanitized,$(wildcard test/qemu/fabric/*.c) \
  $(UNIT_HOST) torus/torus.c qemu/base/memory.c test/lib/fake_clock.c \
  $(addprefix qemu/fabric/,event_queue.c fabric.c slices.c watchdog.c))
$(call test_program,conformance,sanitized,$(UNIT) $(WINDOW_SOURCES) \
  hal/rows.c \
  $(addprefix test/hal/conformance/,program.c runner.c) \
  $(wildcard hal/host/*.c torus/*.c qemu/fabric/*.c) \
  $(addprefix qemu/board/,addresses.c emulator.c table.c zygote.c) \
  $(addprefix qemu/base/,amount.c crash.c file.c host_clock.c memory.c \
    control_group.c limits.c process.c progress.c quote.c terminal.c \
    utf8.c))

# The switch in software on simulated lines; discovery in meshes of nodes.
$(call test_program,switch,sanitized,$(wildcard test/hal/switch/*.c) \
  $(UNIT_HOST) $(SWITCH_SOURCES) torus/pattern.c torus/torus.c)
$(call test_program,discover,sanitized,$(wildcard test/hal/discover/*.c) \
  $(UNIT_HOST) hal/check.c hal/crc32.c $(wildcard hal/discover/*.c) \
  qemu/serial/fault_text.c torus/torus.c)

# Circuits over serial lines, above a switch and a timer that are made up.
$(call test_program,serial_circuit,sanitized,$(wildcard test/hal/serial/*.c) \
  $(UNIT_HOST) hal/check.c hal/events.c hal/rows.c \
  torus/split.c torus/torus.c $(wildcard hal/serial/*.c))

# The drivers of each port to another chip, under a node on a made-up chip.
PORTS := $(patsubst hal/%/chip.h,%,$(wildcard hal/*/chip.h))
$(call with_own,$(OBJECTS_sanitized)/boot/serial/program.o, \
  -DBOOT_VERSION='"test"')
$(foreach p,$(PORTS),$(call test_program,conformance-$p,sanitized, \
  test/hal/conformance/serial.c $(filter-out %/chip.c,$(wildcard \
    hal/$p/*.c)) $(filter-out %/end.c,$(wildcard boot/serial/*.c)) \
  $(wildcard boot/shell/*.c) $(SERIAL_SOURCES) $(ENGINE_SOURCES) \
  $(UNIT_HOST)))

# The engine's nodes in a made-up world, told by hand.
$(call test_program,engine,sanitized,$(wildcard test/scatter/engine/*.c) \
  $(wildcard test/world/*.c) $(UNIT_HOST) $(ENGINE_SOURCES) \
  $(wildcard qemu/schedule/*.c) qemu/base/memory.c hal/check.c \
  hal/rows.c hal/host/clock.c)

# Probes on native nodes.
$(call test_program,probe,sanitized,$(wildcard test/qemu/probe/*.c) \
  $(UNIT_HOST) $(HOST_WITHOUT_MAIN) kernels/spin.c,$(HOST_LIBS))

# The host command with sanitizers, which also tell what it does not free.
$(call test_program,quincunx,sanitized,$(HOST_SOURCES) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))

# .. and with a kernel that crashes.
$(eval $(call kernel_table,host/wrecked,wreck))
$(call test_program,wrecked,fast,test/kernels/wreck.c $(HOST_SOURCES) \
  $(BUILD)/host/wrecked/kernel_table.o,$(HOST_LIBS))

# .. and with kernels of test/bench: loads that are dear in places, and what
# people would write in C without a thought of speed.
BENCH_SOURCES := $(wildcard test/bench/dear/*.c) test/bench/plain.c
BENCH_KERNELS := mandelbrot queens sparse $(addprefix plain_,conv fir matvec \
                   records search sha256 stats)
$(eval $(call kernel_table,host/dear,$(BENCH_KERNELS)))
$(call test_program,dear,fast,$(BENCH_SOURCES) $(HOST_SOURCES) \
  $(BUILD)/host/dear/kernel_table.o,$(HOST_LIBS))

# The host command by a clock that its test lets go on.
$(call test_program,clocked,fast,test/lib/fake_clock.c $(filter-out \
  %/host_clock.c,$(HOST_SOURCES)) $(BUILD)/host/kernel_table.o,$(HOST_LIBS))

# A serial console's lines, mailbox, shell and client.
$(call test_program,console.so,shared,hal/check.c hal/line/line.c \
  hal/serial/mailbox.c $(wildcard boot/shell/*.c) torus/torus.c \
  $(addprefix qemu/serial/,client.c model_port.c port.c) \
  test/lib/console_node.c test/lib/fake_clock.c $(addprefix qemu/base/,amount.c memory.c parse.c \
    progress.c quote.c terminal.c utf8.c), \
  -lserialport)

# The server of live pages, for Python.
$(call test_program,serve.so,shared,qemu/report/serve.c qemu/base/memory.c, \
  -lmicrohttpd -lnettle)

# The model of an STM32F405: a bench of modelled boards; its processor, and that
# against libunicorn, which is as long a way to the same results.
CHIP_CORE := $(wildcard test/boards/chip/core*.c)
CHIP_CHECK := $(wildcard test/boards/chip/check/*.c)
$(call test_program,chip,fast,$(wildcard test/boards/chip/*.c))
$(call test_program,chip-core,sanitized,$(CHIP_CORE) $(UNIT_HOST) \
  $(filter-out %/differ.c,$(CHIP_CHECK)))
$(call test_program,chip-core-differ,fast,$(CHIP_CORE) $(UNIT) \
  $(filter %/differ.c,$(CHIP_CHECK)),-lunicorn)

# Summaries and tables that no command prints cheaply, for golden text.
$(call test_program,told,fast,test/golden/told.c test/lib/fake_clock.c \
  $(filter-out %/host_clock.c,$(HOST_WITHOUT_MAIN)) $(KERNEL_SOURCES) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))
