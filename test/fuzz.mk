# SPDX-License-Identifier: Apache-2.0
# The fuzzer, with sanitizers; what it looks into tells of every edge, in other
# programs, too (test/fuzz/untraced.c). And the same with faults that it must
# find.

FUZZ_DRIVER := test/fuzz/main.c test/fuzz/mutate.c test/fuzz/watch.c
FUZZ_NODE := test/fuzz/node.c $(wildcard test/world/*.c)
FUZZ_TARGETS := $(addprefix test/fuzz/,console.c job.c kernels.c mesh.c \
                  switch.c targets.c) $(FUZZ_NODE)
FUZZ_COVERED := $(wildcard kernels/*.c qemu/format/*.c) \
                $(wildcard boot/shell/*.c hal/discover/*.c hal/line/*.c) \
                hal/events.c hal/forward.c hal/serial/mailbox.c \
                $(SWITCH_SOURCES) \
                qemu/outcome/output_chunks.c scatter/plan/tree.c \
                scatter/plan/farm.c \
                $(wildcard scatter/wire/*.c scatter/engine/*.c)
# The switch below the engine is made up (test/world/): no board's is linked.
FUZZ_REST := $(wildcard torus/*.c scatter/plan/*.c qemu/schedule/*.c) \
             $(wildcard qemu/support/*.c) hal/host/clock.c
FUZZ_REST := $(filter-out $(FUZZ_COVERED),$(FUZZ_REST))
FUZZ_CORPUS := $(BUILD)/test/fuzz-corpus

$(call with_own,$(patsubst %.c,$(OBJECTS_sanitized)/%.o,$(FUZZ_COVERED) \
  test/fuzz/planted.c),-fsanitize-coverage=trace-pc)

$(call test_program,fuzz,sanitized,$(FUZZ_DRIVER) $(FUZZ_TARGETS) \
  $(FUZZ_COVERED) $(FUZZ_REST) \
  $(BUILD)/host/kernel_table.o,$(HOST_LIBS))

# Two files of the engine that call faulty functions of planted.c.
FUZZ_PLANTED := $(BUILD)/test/planted
FUZZ_FAULTY := scatter/engine/pattern.c scatter/engine/tree.c
$(eval $(call compile,test/planted,$$(HOST_CC) $$(HOST_CFLAGS) $$(SANITIZE) \
  -fsanitize-coverage=trace-pc $(foreach f,split_volume scatter_set_range \
    scatter_gather_children,-D$(f)=planted_$(f)),$(TEST_DEPS)))
$(call test_program,fuzz-planted,sanitized,$(FUZZ_DRIVER) $(FUZZ_NODE) \
  test/fuzz/planted.c $(FUZZ_FAULTY:%.c=$(FUZZ_PLANTED)/%.o) \
  $(filter-out $(FUZZ_FAULTY),$(wildcard scatter/engine/*.c)) \
  hal/check.c hal/crc32.c $(FUZZ_REST) \
  $(wildcard scatter/wire/*.c) scatter/plan/tree.c scatter/plan/farm.c \
  hal/events.c hal/forward.c,$(HOST_LIBS))

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
