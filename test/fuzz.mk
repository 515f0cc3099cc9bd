# SPDX-License-Identifier: Apache-2.0
# The fuzzer, with sanitizers; what it looks into tells of every edge. And the
# same with faults that it must find.

FUZZ_DRIVER := test/fuzz/main.c test/fuzz/mutate.c test/fuzz/watch.c
FUZZ_TARGETS := test/fuzz/console.c test/fuzz/job.c test/fuzz/kernels.c \
                test/fuzz/switch.c test/fuzz/targets.c
FUZZ_COVERED := $(wildcard kernels/*.c qemu/format/*.c) \
                $(wildcard boot/shell/*.c hal/discover/*.c hal/line/*.c) \
                hal/serial/mailbox.c $(SWITCH_SOURCES) \
                qemu/outcome/output_chunks.c scatter/plan/tree.c \
                $(wildcard scatter/wire/*.c)
FUZZ_OBJECTS := $(BUILD)/test/covered
FUZZ_CORPUS := $(BUILD)/test/fuzz-corpus

$(eval $(call compile,$(FUZZ_OBJECTS)/%.o: %.c,$$(HOST_CC) $$(HOST_CFLAGS) \
  $$(SANITIZE) -fsanitize-coverage=trace-pc,test,$(TEST_DEPS)))

$(FUZZ_OBJECTS)/qemu/format/npy.o: qemu/format/npy.py

$(call test_program,fuzz,sanitized,$(FUZZ_DRIVER) $(FUZZ_TARGETS) \
  $(FUZZ_COVERED:%.c=$(FUZZ_OBJECTS)/%.o) \
  $(filter-out qemu/main.c $(FUZZ_COVERED),$(HOST_SOURCES)) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))
$(call test_program,fuzz-planted,sanitized,$(FUZZ_DRIVER) \
  $(FUZZ_OBJECTS)/test/fuzz/planted.o,$(HOST_LIBS))

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
