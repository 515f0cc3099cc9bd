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
FUZZ_OTHERS := $(filter-out qemu/main.c $(FUZZ_COVERED),$(HOST_SOURCES))
FUZZ_OBJ := $(BUILD)/test/fuzz-obj
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -O1 \
              -fsanitize-coverage=trace-pc

fuzz_covered_objects := $(FUZZ_COVERED:%.c=$(FUZZ_OBJ)/%.o)
fuzz_planted_objects := $(FUZZ_OBJ)/test/fuzz/planted.o
fuzz_driver_objects := $(FUZZ_DRIVER:%.c=$(BUILD)/test/more/%.o)
fuzz_other_objects := $(FUZZ_TARGETS:%.c=$(BUILD)/test/more/%.o) \
                      $(FUZZ_OTHERS:%.c=$(BUILD)/test/more/%.o) \
                      $(BUILD)/host/kernel_table.o

TEST_PROGRAMS += $(BUILD)/test/fuzz $(BUILD)/test/fuzz-planted \
                 $(BUILD)/test/fuzz-corpus/made

.PHONY: build-fuzz
build-fuzz: $(BUILD)/test/fuzz $(BUILD)/test/fuzz-corpus/made

$(call stamp,fuzz,$(HOST_CC) $(HOST_CFLAGS) $(FUZZ_FLAGS))

$(FUZZ_OBJ)/%.o: %.c $(BUILD)/fuzz.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(FUZZ_OBJ)/qemu/format/npy.o: qemu/format/npy.py

$(BUILD)/test/fuzz: $(fuzz_driver_objects) $(fuzz_covered_objects) \
                    $(fuzz_other_objects)
$(BUILD)/test/fuzz-planted: $(fuzz_driver_objects) $(fuzz_planted_objects)

$(BUILD)/test/fuzz $(BUILD)/test/fuzz-planted:
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(MORE_SANITIZE) -o $@ $^ $(HOST_LIBS)

# What is written down, and what a script makes.
$(BUILD)/test/fuzz-corpus/made: test/fuzz/seeds.py \
                                $(wildcard test/fuzz/corpus/*)
	$(say) SEEDS $(@D)
	$(Q)rm -rf $(@D)
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) test/fuzz/seeds.py $(@D)
	$(Q)for f in $(filter test/fuzz/corpus/%,$^); do cp $$f $(@D); done
	$(Q)touch $@

-include $(fuzz_covered_objects:.o=.d) $(fuzz_planted_objects:.o=.d)
-include $(fuzz_driver_objects:.o=.d) $(fuzz_other_objects:.o=.d)
