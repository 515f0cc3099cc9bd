# SPDX-License-Identifier: Apache-2.0
# The fuzzer, with sanitizers; what it looks into tells of every edge. And the
# same with faults that it must find.

FUZZ_DRIVER := test/fuzz/main.c test/fuzz/mutate.c test/fuzz/watch.c
FUZZ_NODE := test/fuzz/judge.c test/fuzz/node.c test/fuzz/subtree.c
FUZZ_TARGETS := test/fuzz/console.c test/fuzz/farm.c test/fuzz/job.c \
                test/fuzz/kernels.c test/fuzz/switch.c test/fuzz/targets.c \
                $(FUZZ_NODE)
FUZZ_COVERED := $(wildcard kernels/*.c qemu/format/*.c) \
                $(wildcard boot/shell/*.c hal/discover/*.c hal/line/*.c) \
                hal/events.c hal/forward.c hal/serial/mailbox.c \
                $(SWITCH_SOURCES) \
                qemu/outcome/output_chunks.c scatter/plan/tree.c \
                scatter/plan/farm.c \
                $(wildcard scatter/wire/*.c scatter/engine/*.c)
FUZZ_OBJECTS := $(BUILD)/test/covered
FUZZ_CORPUS := $(BUILD)/test/fuzz-corpus

$(eval $(call compile,test/covered,$$(HOST_CC) $$(HOST_CFLAGS) $$(SANITIZE) \
  -fsanitize-coverage=trace-pc,$(TEST_DEPS)))

$(FUZZ_OBJECTS)/qemu/format/npy.o: $(NPY_FILES)

# The engine's nodes have circuits that are made up: test/fuzz/subtree.c defines
# what else hal/window/ and hal/host/ do, by other names.
fuzz_own = -D$(1)=fuzz_$(1)
FUZZ_OWN := $(foreach f,prepare send send_rows expect post receive \
              receive_ahead receive_until complete drain quiet settle,\
              $(call fuzz_own,circuit_$(f))) $(call fuzz_own,clock_account)
$(call with_own,$(patsubst %.c,$(FUZZ_OBJECTS)/%.o,$(wildcard \
  scatter/engine/*.c)) $(OBJECTS_sanitized)/test/fuzz/subtree.o,$(FUZZ_OWN))

$(call test_program,fuzz,sanitized,$(FUZZ_DRIVER) $(FUZZ_TARGETS) \
  $(FUZZ_COVERED:%.c=$(FUZZ_OBJECTS)/%.o) \
  $(filter-out qemu/main.c $(FUZZ_COVERED),$(HOST_SOURCES)) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))

# Two files of the engine that call faulty functions of planted.c.
FUZZ_PLANTED := $(BUILD)/test/planted
FUZZ_FAULTY := scatter/engine/pattern.c scatter/engine/tree.c
$(eval $(call compile,test/planted,$$(HOST_CC) $$(HOST_CFLAGS) $$(SANITIZE) \
  -fsanitize-coverage=trace-pc $(FUZZ_OWN) $(foreach f,split_volume \
  scatter_set_range scatter_gather_children,-D$(f)=planted_$(f)),$(TEST_DEPS)))
$(call test_program,fuzz-planted,sanitized,$(FUZZ_DRIVER) $(FUZZ_NODE) \
  $(FUZZ_OBJECTS)/test/fuzz/planted.o $(FUZZ_FAULTY:%.c=$(FUZZ_PLANTED)/%.o) \
  $(patsubst %.c,$(FUZZ_OBJECTS)/%.o,$(filter-out $(FUZZ_FAULTY),$(wildcard \
    scatter/engine/*.c))) $(wildcard scatter/plan/*.c scatter/wire/*.c \
    torus/*.c) hal/check.c hal/events.c hal/forward.c \
    hal/host/clock.c,$(HOST_LIBS))

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
