# SPDX-License-Identifier: Apache-2.0
# Plans carried out on the host; what a plan costs on the board and beside
# floating point and a solver.

PLANNER_WALK := test/planner/walk.c scatter/plan/one_round.c \
                scatter/plan/split.c
PLANNER_BOARD := test/bench/planner/board.c test/bench/planner/search.c \
                 test/bench/planner/twins.c test/target/main.c \
                 boot/cortex_m/reset.c boot/mps2_an385/vectors.c \
                 scatter/plan/one_round.c scatter/plan/rounds.c \
                 scatter/plan/wide.c $(WINDOW_SOURCES) \
                 $(wildcard hal/mps2_an385/*.c torus/*.c)
PLANNER_HOST := test/bench/planner/twins.c test/bench/planner/solver.c \
                scatter/plan/one_round.c

planner_walk_objects := $(PLANNER_WALK:%.c=$(BUILD)/test/obj/shared/%.o)
planner_board_objects := $(PLANNER_BOARD:%.c=$(BUILD)/mps2_an385/%.o)
planner_host_objects := $(PLANNER_HOST:%.c=$(BUILD)/test/obj/shared/%.o)

TEST_PROGRAMS += $(BUILD)/test/planner_walk.so $(BUILD)/test/planner_bench.so \
                 $(BUILD)/test/planner_bench.elf

$(BUILD)/test/planner_walk.so: $(planner_walk_objects)
$(BUILD)/test/planner_bench.so: $(planner_host_objects)
$(BUILD)/test/planner_bench.so: PLANNER_LIBS := -lglpk

$(BUILD)/test/planner_walk.so $(BUILD)/test/planner_bench.so: \
    $(BUILD)/test.flags
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) -shared -o $@ $(filter %.o,$^) $(PLANNER_LIBS)

$(BUILD)/test/planner_bench.elf: $(planner_board_objects) \
    $(wildcard linker/*.ld) $(BUILD)/mps2_an385.flags
	$(say) LINK-M3 $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call target_link,mps2_an385) -Wl,--defsym=boot_image_unlimited=1 \
	  $(filter %.o,$^) -o $@

-include $(planner_walk_objects:.o=.d) $(planner_host_objects:.o=.d)
-include $(planner_board_objects:.o=.d)
