# SPDX-License-Identifier: Apache-2.0
# Tests, proofs and measurements.

include test/programs.mk test/images.mk test/fuzz.mk

# The board that has another one's code, with another processor.
LONG_BOARDS := mps2_an386

.PHONY: build-tests build-long-tests
build-tests: $(foreach b,$(filter-out $(LONG_BOARDS),$(BOARD)),$(call \
               images_of,$b)) $(BUILD)/quincunx $(WITH_RANKS) \
             $(TEST_PROGRAMS) $(LICENSES)
build-long-tests: build-all build-tests $(LONG_PROGRAMS)

# One file of tests after the other in each of so many processes: twice as many
# as processors, since many tests wait for a mesh of theirs.
TEST_WORKERS ?= $(shell expr $(WORKERS) \* 2)
# Unbuffered, so that a file gets to know how far they are, too.
PYTEST := $(PYTHON) -u -m pytest -p no:cacheprovider
PYTEST_FILES := $(PYTEST) --dist loadfile -n

TESTS ?= test

## test: every test that needs no board; T='-k NAME' selects; QEMU=PATH
.PHONY: test
test: build-tests | $(TEST_DEPS)
	$(Q)$(PYTEST_FILES) $(TEST_WORKERS) $(TESTS) $(T)

## golden: write anew what commands print, test/golden/; read the diff
.PHONY: golden
golden: export QUINCUNX_GOLDEN := write
golden: build-all $(BUILD)/test/told $(BUILD)/test/console.so | $(TEST_DEPS)
	$(Q)$(PYTEST) -q test/golden -k what_people_read
	$(Q)-git diff --stat test/golden

# Where two QEMUs could differ: forks, whole meshes, the emulated chip, the
# cables. The memory of 625 boards is the same, and one such run takes a minute.
QEMU10_TESTS := test/qemu/test_two_qemus.py test/qemu/test_boot.py \
                test/mesh/test_run.py \
                test/boards/test_wired.py

## test-qemu10: a part of the tests, on the QEMU of `make qemu10`
.PHONY: test-qemu10
test-qemu10: export QUINCUNX_QEMU = $(call \
    absolute,$(QEMU10)/qemu-system-arm)
test-qemu10: qemu10 build-tests | $(TEST_DEPS)
	$(Q)$(PYTEST_FILES) $(TEST_WORKERS) $(QEMU10_TESTS) \
	  -k "not 25x25 and not 625"

## test-boards: the tests with the mark `boards`, which take long: whole meshes
##   of emulated and of modelled stm32f405, 625 boards, thousands of plans
.PHONY: test-boards
test-boards: build-long-tests | $(LONG_TEST_DEPS)
	$(Q)$(PYTEST_FILES) $(WORKERS) --boards $(TESTS) $(T)

# The originator's console. HIL_OPTIONS: pytest's.
HIL_OPTIONS ?=

hil: export QUINCUNX_HIL := 1
hil: export QUINCUNX_HIL_PORT := $(PORT)
hil: export QUINCUNX_HIL_MESH := $(MESH)

## hil: test a mesh of boards, PORT=/dev/ttyACM0 MESH=5x5; no PORT: modelled
.PHONY: hil
hil: $(BUILD)/quincunx $(if $(PORT),,$(addprefix $(BUILD)/test/,chip \
       chip-kernels.elf)) | $(TEST_DEPS)
	$(Q)$(PYTEST) --junitxml=$(BUILD)/hil.xml test/hil $(HIL_OPTIONS)
	@echo "report    $(BUILD)/hil.txt, $(BUILD)/hil.xml"

# Mutants: how many, by which seed; I/N, every N-th from the I-th; how a file's
# path begins; code or text; a listing whose mutants are tried in place of a
# seed's. More options: test/mutants/run.py --help.
N ?= 200
SEED ?= 1
MUTANTS = --number $(N) --seed $(SEED) $(if $(SHARD),--shard $(SHARD)) \
          $(if $(PLACE),--place $(PLACE)) $(if $(KIND),--kind $(KIND)) \
          $(if $(AGAIN),--again $(AGAIN))

## mutants: small changes of the product, and which of them no test notices;
##   N=200 SEED=1 SHARD=I/N PLACE=scatter/ KIND=text AGAIN=LISTING
.PHONY: mutants
mutants: build-tests | $(TEST_DEPS)
	$(Q)$(PYTHON) test/mutants/run.py $(MUTANTS)

SEEDS ?= 10000

## switch-seeds: random traffic under random faults; SEEDS=10000
.PHONY: switch-seeds
switch-seeds: $(BUILD)/test/switch
	$(Q)$(BUILD)/test/switch --seeds $(SEEDS)

## faults: random faults in random jobs, one of ten on boards; trees around
##   holes; bits that change in boards' memory, by SEED; boards with serial
##   ports that die, one of a hundred; SEEDS=1000
.PHONY: faults
faults: SEEDS := 1000
faults: build-tests | $(TEST_DEPS)
	$(Q)$(PYTHON) test/mesh/survive.py --seeds $(SEEDS) --workers $(WORKERS)
	$(Q)$(PYTHON) test/faults/trees.py --seeds $(SEEDS)
	$(Q)$(PYTHON) test/mesh/flips.py $$(($(SEEDS) / 2)) $(SEED) \
	  --workers $(WORKERS)
	$(Q)$(PYTHON) test/mesh/kills.py $$(($(SEEDS) / 100)) $(SEED)

# Seconds of all targets together.
SECONDS ?= 600

## fuzz: readers and kernels on damaged input; SECONDS=600 in all, TARGET=
.PHONY: fuzz
fuzz: $(BUILD)/test/fuzz $(BUILD)/test/fuzz-corpus/made
	$(Q)mkdir -p $(BUILD)/fuzz-findings
	$(Q)targets=$$($(BUILD)/test/fuzz --list | grep -c "^$(TARGET)"); \
	[ $$targets -gt 0 ] || targets=1; \
	$(BUILD)/test/fuzz --seconds $$(($(SECONDS) / targets)) \
	  --seed $$(date +%s) --corpus $(BUILD)/test/fuzz-corpus \
	  --out $(BUILD)/fuzz-findings $(TARGET)

## prove: no overflow in the planners and the split, whatever the input
.PHONY: prove
prove: | $(PROVE_DEPS)
	$(Q)$(PYTHON) test/prove/prove.py

## bench: the table of measured figures; B=--quick leaves out 625 boards,
##   B=NAME measures these of it, B=--help lists the names
.PHONY: bench
bench: build-long-tests | $(TEST_DEPS)
	$(Q)$(PYTHON) test/bench/bench.py $(B)

## bench-levels: farms with masters and without, SIZES="10x10 15x15 25x25"
.PHONY: bench-levels
bench-levels: build-tests | $(TEST_DEPS)
	$(Q)$(PYTHON) test/bench/bench.py levels $(SIZES)

RUNS ?= 20
BYTES ?= 1000000
DAMAGE ?=

## bench-boards: emulated boards, RUNS=20 BYTES=1000000 DAMAGE=1/100
.PHONY: bench-boards
bench-boards: build-all | $(TEST_DEPS)
	$(Q)$(PYTHON) test/bench/bench.py boards $(RUNS) $(BYTES) $(DAMAGE)
	$(Q)$(PYTHON) test/bench/bench.py large
