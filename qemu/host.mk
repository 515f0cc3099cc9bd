# SPDX-License-Identifier: Apache-2.0
# The host command, and running it.

QEMU_SOURCES := $(wildcard qemu/*.c qemu/*/*.c)
HOST_SOURCES := $(NODE_SOURCES) $(KERNEL_SOURCES) $(wildcard hal/host/*.c) \
                $(QEMU_SOURCES) $(OWN_FORMATS) $(FORMAT_TABLE) $(wildcard hal/line/*.c) hal/rows.c \
                boot/host/costs.c
host_objects := $(HOST_SOURCES:%.c=$(BUILD)/host/%.o) \
                $(BUILD)/host/kernel_table.o

$(eval $(call compile,host,$$(HOST_CC) $$(HARDEN) $$(HOST_CFLAGS),$(DEPS)))
$(eval $(call linked,quincunx,$(host_objects),$$(HOST_CC) -pie \
  $$(HOST_LDFLAGS) $$(HOST_LIBS)))

# What objects have in them besides their source.
PAGE_FILES := $(addprefix qemu/report/page/,page.html page.css data.js map.js \
                chart.js tables.js control.js boards.js live.js)
$(BUILD)/host/qemu/report/page.o: $(PAGE_FILES)

$(call with_own,$(addprefix $(BUILD)/host/qemu/,main.o ranks/roll.o), \
  -DQUINCUNX_VERSION='"$(call \
  version_of,boot hal torus scatter kernels qemu)"' \
  -DQUINCUNX_RELEASE='"$(RELEASE)"')

# What ranks started by mpirun load (qemu/ranks/mpi/), beside it as well: where
# there is an mpicc, unless MPI=0.
MPICC ?= mpicc
MPI ?= 1
WITH_RANKS := $(if $(filter-out 0,$(MPI)),$(BUILD)/ranks.so)
RANKS_OBJECT := $(if $(shell command -v $(MPICC)),$(WITH_RANKS))
# Its directories as the system's: warnings are about this tree.
mpi_flags = $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(MPICC) --showme)))
mpi_libs = $(filter -L% -l% -Wl%,$(shell $(MPICC) --showme))

$(BUILD)/quincunx: | $(BUILD)/zygote.so $(RANKS_OBJECT)
	$(say) LINK $@
	$(Q)$(HOST_CC) -pie $(HOST_LDFLAGS) $(host_objects) -o $@ $(HOST_LIBS)

# What a zygote preloads (qemu/board/preload/), beside the host command.
$(BUILD)/zygote.so: qemu/board/preload/forker.c $(BUILD)/host.flags | $(DEPS)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $(HOST_LDFLAGS) -fPIC -shared -MMD -MP \
	  -MF $@.d -o $@ $<

# Tests have it made, too, once they have installed an mpicc.
$(BUILD)/ranks.so: qemu/ranks/mpi/mpi.c $(BUILD)/host.flags | $(DEPS) \
                   $(if $(RANKS_OBJECT),,$(TEST_DEPS))
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $(mpi_flags) $(HOST_LDFLAGS) -fPIC \
	  -shared -MMD -MP -MF $@.d -o $@ $< $(mpi_libs)

-include $(BUILD)/zygote.so.d $(BUILD)/ranks.so.d

# ---- QEMU ----

# QEMU=PATH: the qemu-system-arm that run, test, bench, hil and all else that
# starts boards use; none: the one on the PATH. The host command and the tests
# read it from QUINCUNX_QEMU (qemu/board/emulator.h). A path is made absolute,
# since tests have working directories of their own; a mere name stays one.
QEMU ?=
absolute = $(if $(filter /%,$(firstword $(1))),,$(CURDIR)/)$(1)
ifneq ($(QEMU),)
export QUINCUNX_QEMU := $(if $(findstring /,$(QEMU)),$(call \
    absolute,$(QEMU)),$(QEMU))
endif

# The second QEMU that the tests run with: Debian 12's backports have QEMU 10.
QEMU10 := $(BUILD)/qemu10
QEMU10_SUITE := bookworm-backports

## qemu10: QEMU 10 from Debian's backports, into build/qemu10; no root needed
.PHONY: qemu10
qemu10:
	$(Q)test/lib/second_qemu.sh $(QEMU10) $(QEMU10_SUITE)
	@echo "QEMU      $(QEMU10)/qemu-system-arm"

# ---- running ----

# English text that every Debian machine has, about 240 kB of it.
LICENSES := $(BUILD)/licenses.txt
MESH ?= 5x5
INPUT ?= $(LICENSES)
KERNEL ?= search
# Of another kernel there is none: the command says what it may be.
ARG ?= $(if $(filter search,$(KERNEL)),free software)
PROFILE ?= t3d

$(LICENSES): $(wildcard /usr/share/common-licenses/*)
	$(Q)mkdir -p $(@D)
	$(Q)cat $(filter-out %/GPL %/LGPL %/GFDL,$^) > $@

# By the environment, so that no shell reads what is in a value.
run: export MESH := $(MESH)
run: export KERNEL := $(KERNEL)
run: export ARG := $(ARG)
run: export INPUT := $(INPUT)
run: export PROFILE := $(PROFILE)

## run: search a text on 25 boards; MESH= KERNEL= ARG= INPUT= PROFILE= QEMU=
.PHONY: run
run: build-all $(filter $(LICENSES),$(INPUT))
	@echo "running $$KERNEL '$$ARG' on a $$MESH mesh of QEMU boards"
	$(Q)$(BUILD)/quincunx run --mesh "$$MESH" --kernel "$$KERNEL" \
	  $${ARG:+--arg "$$ARG"} --profile "$$PROFILE" --report $(BUILD)/report.json \
	  --html $(BUILD)/report.html --gantt $(BUILD)/gantt.svg \
	  --trace $(BUILD)/trace.json "$$INPUT"

# A board of a mesh that runs with --gdb; what a debugger is to do there.
NODE ?= 0,0
GDB_DIR ?= $(BUILD)/gdb
GDB_ARGS ?=

## gdb: look into one board of a mesh that runs with --gdb, NODE=x,y
.PHONY: gdb
gdb: export NODE := $(NODE)
gdb: export GDB_DIR := $(GDB_DIR)
gdb: | $(GDB_DEPS)
	$(Q)socket="$$GDB_DIR/$$(printf %s "$$NODE" | tr , -)"; \
	if ! [ -S "$$socket" ]; then \
	  echo "make gdb NODE='$$NODE': no such board; \`quincunx run --gdb'" \
	    "or \`quincunx boards --gdb' starts some" >&2; exit 2; fi; \
	exec gdb-multiarch -q -d . -ex "target remote $$socket" $(GDB_ARGS) \
	  "$$GDB_DIR/image"
