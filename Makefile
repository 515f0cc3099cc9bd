# SPDX-License-Identifier: Apache-2.0
# One make process for everything; `make help` lists what it can do. Rules lie
# beside what they make:
#
#   kernels/kernels.mk          which kernels are in which program
#   boot/boards.mk              the boards' firmware, by boot/BOARD/board.mk
#   boot/flash.mk               writing it to real boards
#   qemu/host.mk                the host command, and running it
#   qemu/pictures/pictures.mk   pictures of runs
#   qemu/install/install.mk     installing the command
#   test/test.mk                tests, benchmarks, proofs
#   test/programs.mk            the programs that these need

BUILD := build
CROSS_COMPILE ?= arm-none-eabi-
# Without this make's flags: a make that a test runs stands by itself. Compiled
# tests are kept: rewriting their assertions takes 5 s of each worker's time.
PYTHON := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PYTHONDONTWRITEBYTECODE \
          /usr/bin/python3
Q := $(if $(V),,@)
comma := ,
say = @printf '  %-8s %s\n'
define newline


endef

# So many commands at a time, as many as there are processors, unless this make
# was started by another one, whose number holds; one after the other with
# clean, so that `make clean all` first removes, then builds, and with release,
# whose steps have an order.
WORKERS := $(or $(WORKERS),$(shell nproc 2>/dev/null || echo 2))
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(WORKERS)
endif
ifneq ($(filter clean release,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

## all: build firmware and host command; BOARD= KERNELS= PINS= BAUD=, which hold
##   for the board until others are named; KERNELS= alone: the usual ones again
.PHONY: all build-all
all: build-all

.DELETE_ON_ERROR:
.SUFFIXES:

# ---- what must be installed ----

HOST_CC := gcc
TARGET_CC := $(CROSS_COMPILE)gcc

# What qemu/install/needs.txt lists and is not there, as FOR:PACKAGE. Every make
# looks, which takes 40 ms: so what was removed is missed at once, and nothing
# is written down that could be wrong.
NEEDS := HOST_CC='$(HOST_CC) $(CPPFLAGS)' CROSS_COMPILE='$(CROSS_COMPILE)' \
         sh qemu/install/needs.sh
MISSING := $(shell $(NEEDS) missing)
missing = $(strip $(foreach what,$(1),$(patsubst $(what):%,%,$(filter \
            $(what):%,$(MISSING)))))

# Order-only prerequisites of all that compiles or runs: targets that install
# what is missing; none if nothing is.
DEPS := $(if $(call missing,build),deps)
TEST_NEEDS := test gallery flash gdb mpi
# Frama-C, where test-boards is to prove what changed: 800 MB.
LONG_NEEDS := browser deb $(if $(filter test-boards \
                release,$(MAKECMDGOALS)),$(if $(shell $(PYTHON) \
                test/prove/prove.py --changed),prove))
FLASH_DEPS := $(DEPS) $(if $(call missing,flash),flash-deps)
GDB_DEPS := $(if $(call missing,gdb),gdb-deps)
GALLERY_DEPS := $(DEPS) $(if $(call missing,gallery),gallery-deps)
TEST_DEPS := $(DEPS) $(if $(call missing,$(TEST_NEEDS)),test-deps)
BROWSER_DEPS := $(if $(call missing,browser),browser-deps)
PROVE_DEPS := $(DEPS) $(if $(call missing,prove),prove-deps)
DEB_DEPS := $(DEPS) $(if $(call missing,deb),deb-deps)
LONG_TEST_DEPS := $(TEST_DEPS) $(if $(call \
                    missing,$(LONG_NEEDS)),long-test-deps)

DEPS_TARGETS := deps flash-deps gdb-deps gallery-deps test-deps browser-deps \
                prove-deps deb-deps long-test-deps
.PHONY: $(DEPS_TARGETS) lint-deps
## deps: install what building and running need (apt; as root or with sudo)
deps: what = build
## test-deps: install what testing needs, too
test-deps: what = $(TEST_NEEDS)
long-test-deps: what = $(LONG_NEEDS)
$(foreach d,flash gdb gallery browser prove deb,$(eval \
  $(d)-deps: what = $(d)))
# One apt-get at a time.
flash-deps gdb-deps gallery-deps test-deps prove-deps deb-deps: | $(DEPS)
browser-deps long-test-deps: | $(TEST_DEPS)
$(DEPS_TARGETS):
	$(Q)sh qemu/install/needs.sh install $(call missing,$(what))
# Lint says what cannot be had, and does the rest.
lint-deps:
	-$(Q)sh qemu/install/needs.sh install $(call missing,lint)

# ---- flags ----

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Werror
# CPPFLAGS, CFLAGS and LDFLAGS are set by whoever builds: a distribution's, or
# where a system's libraries lie elsewhere (CPPFLAGS=-I..., LDFLAGS=-L...).
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -I. $(WARNINGS) $(CPPFLAGS) \
               $(CFLAGS)
HOST_LDFLAGS := -Wl,-z,relro,-z,now $(LDFLAGS)
# The host command reads files and bytes of boards that nobody has checked: what
# dpkg-buildflags hardens in a package, every build has.
HARDEN := -fPIE -fstack-protector-strong $(if $(filter -O0,$(CFLAGS)),, \
            -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HOST_LIBS := -ljansson -lnettle -lsndfile -lpng -lnetpbm -lturbojpeg -ltiff \
             -lcsv -lgmp -lserialport -lmicrohttpd -larchive -lz -lm
TARGET_CFLAGS := -std=c11 -Os -flto=auto -g -I. $(WARNINGS) \
                 -ffunction-sections -fdata-sections -fstack-usage \
                 -ffile-prefix-map="$$PWD"=.
TARGET_LDFLAGS := -Os -flto=auto --specs=nano.specs -nostartfiles \
                  -Wl,--gc-sections -Wl,--fatal-warnings

# $(eval $(call stamp,NAME,TEXT)): $(BUILD)/NAME.flags holds the text, and is
# written whenever that has changed: what depends on it is made anew.
same = $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x))
define stamp
stamp_$(1) := $$(subst ','\'',$$(strip $(2)))
$(BUILD)/$(1).flags: $$(if $$(call same,$$(strip $(2)),$$(strip \
                         $$(file <$(BUILD)/$(1).flags))),,.FORCE)
	@mkdir -p $$(@D); printf '%s\n' '$$(stamp_$(1))' > $$@
endef
.PHONY: .FORCE

# $(eval $(call compile,FOLDER,COMMAND,DEPS)): how $(BUILD)/FOLDER/X.o is made,
# of X.c or of $(BUILD)/FOLDER/X.c; $(BUILD)/FOLDER.flags is their stamp.
define compile
$(call stamp,$(1),$(2))
$(call compile_from,$(1),%.c,$(2),$(3))
$(call compile_from,$(1),$(BUILD)/$(1)/%.c,$(2),$(3))
endef
define compile_from
$(BUILD)/$(1)/%.o: $(2) $(BUILD)/$(1).flags | $(4)
	$$(say) CC '$$<$(if $(filter $(BOARDS),$(1)), for $(1))'
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(3) $$(own) -MMD -MP -c $$< -o $$@
endef

# $(call with_own,OBJECTS,FLAGS): what these are compiled with besides. X.o has
# a stamp X.flags for that.
own :=
with_own = $(foreach o,$(1),$(eval $(call own_rules,$o,$(2))))
define own_rules
$(call stamp,$(1:$(BUILD)/%.o=%),$(2))
$(1): own := $(2)
$(1): $(1:.o=.flags)
endef

# $(eval $(call linked,PROGRAM,OBJECTS,COMMAND)): what $(BUILD)/PROGRAM depends
# on. The objects are in its stamp: it is linked anew without one that is gone.
define linked
$(call stamp,$(1),$(3) $(2:$(BUILD)/%.o=%))
$(BUILD)/$(1): $(2) $(BUILD)/$(1).flags
-include $(patsubst %.o,%.d,$(filter %.o,$(2)))
endef

# The release that this tree is, or becomes: CHANGELOG.md has a part for each.
# What comes of a working tree has a `+' behind it, and a sum of the sources in
# the folders that it is made of: so two that differ have two names, and a page
# that changes makes nothing anew. VERSION= in place of that: a package's is the
# name that git has for its commit, and so is a tarball's, in its file .version.
RELEASE := 0.3.0
VERSION ?= $(file <.version)
sum_of = $(shell find $(1) -name '*.[chS]' | LC_ALL=C sort | xargs cat | \
           cksum | { read -r sum _; printf '%08x' "$$sum"; })
version_of = $(or $(VERSION),$(RELEASE)+$(call sum_of,$(1)))

# ---- everything ----

include kernels/kernels.mk boot/boards.mk qemu/host.mk
include boot/flash.mk qemu/pictures/pictures.mk
include qemu/install/install.mk test/test.mk

build-all: $(foreach b,$(BOARD),$(call images_of,$b)) $(BUILD)/quincunx
	$(foreach b,$(BOARD),$(if $(choice_$b),$(say) CHOSEN '$b: $(subst \
	  ',,$(subst chosen_,,$(choice_$b)))'$(newline)))

.PHONY: lint fix lines clean help
## lint: look at sources and pages; only a broken structure is a failure
lint: lint-deps
	$(Q)$(PYTHON) test/house/lint.py

## fix: mend what can be mended: layout, order of includes, blanks, paragraphs
fix: lint-deps
	$(Q)$(PYTHON) test/house/lint.py --fix

# $(call lines_of,FOLDERS): lines of all that people write there.
lines_of = $$(git ls-files $(1) | grep -v ^qemu/pictures/ | grep -E \
             '\.(c|h|S|ld|mk|py|js|css|html|sh|md|txt)$$' | xargs cat | wc -l)

## lines: how many lines the firmware, the host command and the tests have
lines:
	@echo "firmware  $(call lines_of,boot hal torus scatter kernels linker)"; \
	echo "host      $(call lines_of,qemu)"; \
	echo "tests     $(call lines_of,test)"

## clean: remove everything that was built
clean:
	rm -rf $(BUILD)

## help: this list; with any target V=1 shows commands, WORKERS=2 at a time
help:
	@sed -n 's/^## //p' $(filter Makefile %.mk,$(MAKEFILE_LIST))
