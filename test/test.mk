# SPDX-License-Identifier: Apache-2.0
# What the tests need besides the product itself: the unit tests' runner for
# the host, and the planner and the geometry as a library for ctypes.

TEST_TREES := $(filter-out %/registry.c,$(wildcard qemu/schedule/*.c))
TEST_CORE := $(wildcard torus/*.c scatter/plan/*.c) $(TEST_TREES)
TEST_UNIT := $(wildcard test/unit/test_*.c) test/unit/unit.c \
             test/unit/unit_all.c test/unit/host_main.c $(TEST_CORE) \
             hal/crc32.c $(wildcard scatter/wire/*.c kernels/*.c)

TEST_OBJ := $(BUILD)/test/obj
TEST_UNIT_OBJS := $(TEST_UNIT:%.c=$(TEST_OBJ)/sanitized/%.o)
TEST_CORE_OBJS := $(TEST_CORE:%.c=$(TEST_OBJ)/shared/%.o)

TEST_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -g -O1

TEST_TARGETS := $(BUILD)/test/unit $(BUILD)/test/libcore.so

$(call stamp,test,$(HOST_CC) $(HOST_CFLAGS) $(TEST_SANITIZE))

$(TEST_OBJ)/sanitized/%.o: %.c $(BUILD)/test.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $(TEST_SANITIZE) -MMD -MP -c -o $@ $<

$(TEST_OBJ)/shared/%.o: %.c $(BUILD)/test.flags
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -O2 -fPIC -MMD -MP -c -o $@ $<

$(BUILD)/test/unit: $(TEST_UNIT_OBJS)
	$(say) LINK $@
	$(Q)$(HOST_CC) $(TEST_SANITIZE) -o $@ $^

$(BUILD)/test/libcore.so: $(TEST_CORE_OBJS)
	$(say) LINK $@
	$(Q)$(HOST_CC) -shared -o $@ $^

-include $(TEST_UNIT_OBJS:.o=.d) $(TEST_CORE_OBJS:.o=.d)
