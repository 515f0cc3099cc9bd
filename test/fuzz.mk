# SPDX-License-Identifier: Apache-2.0
# The fuzzer, with sanitizers; what it looks into tells of every edge, in other
# programs, too (test/fuzz/untraced.c). And with faults that it must find.

FUZZ_DRIVER := test/fuzz/main.c test/fuzz/mutate.c test/fuzz/watch.c
FUZZ_TARGETS := $(addprefix test/fuzz/,console.c kernels.c mesh.c node.c \
                  switch.c targets.c) $(wildcard test/world/*.c)
FUZZ_COVERED := $(KERNEL_SOURCES) $(wildcard qemu/format/*.c) \
                $(OWN_FORMATS) qemu/base/text.c qemu/base/unpack.c \
                $(wildcard boot/shell/*.c hal/discover/*.c hal/line/*.c) \
                hal/events.c hal/rows.c hal/serial/mailbox.c $(SWITCH_SOURCES) \
                qemu/serial/fault_text.c \
                scatter/plan/tree.c scatter/plan/farm.c \
                $(wildcard scatter/wire/*.c scatter/engine/*.c)
# The switch below the engine is made up (test/world/): no board's is linked.
FUZZ_REST := $(wildcard torus/*.c scatter/plan/*.c qemu/schedule/*.c) \
             $(wildcard qemu/base/*.c) hal/host/clock.c $(FORMAT_TABLE)
FUZZ_REST := $(filter-out $(FUZZ_COVERED),$(FUZZ_REST))
FUZZ_CORPUS := $(BUILD)/test/fuzz-corpus

$(call with_own,$(patsubst %.c,$(OBJECTS_sanitized)/%.o,$(FUZZ_COVERED) \
  test/fuzz/planted.c),-fsanitize-coverage=trace-pc)

$(call test_program,fuzz,sanitized,$(FUZZ_DRIVER) $(FUZZ_TARGETS) \
  $(FUZZ_COVERED) $(FUZZ_REST) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))

$(call test_program,fuzz-planted,sanitized,$(FUZZ_DRIVER) test/fuzz/planted.c)

# The corpus: the files of test/fuzz/corpus/, and those that a script makes.
TEST_PROGRAMS += $(FUZZ_CORPUS)/made
$(FUZZ_CORPUS)/made: test/fuzz/seeds.py $(wildcard test/fuzz/corpus/*) \
                     | $(TEST_DEPS)
	$(say) SEEDS $(@D)
	$(Q)rm -rf $(@D)
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) test/fuzz/seeds.py $(@D)
	$(Q)for f in $(filter test/fuzz/corpus/%,$^); do cp $$f $(@D); done
	$(Q)touch $@
