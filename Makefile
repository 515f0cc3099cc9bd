# SPDX-License-Identifier: Apache-2.0
# One make process for everything; `make help` lists what it can do. Rules lie
# beside what they make:
#
#   kernels/kernels.mk          which kernels are in which program
#   boot/boards.mk              the boards' firmware, by boot/BOARD/board.mk
#   boot/stm32f405/flash.mk     writing it to real boards
#   qemu/host.mk                the host command, and running it
#   qemu/pictures/pictures.mk   pictures of runs
#   qemu/install/install.mk     installing the command
#   test/test.mk                tests, benchmarks, proofs
#   test/programs.mk            the programs that these need

BUILD := build
CROSS_COMPILE ?= arm-none-eabi-
# Without this make's flags: a make that a test runs stands by itself.
PYTHON := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL /usr/bin/python3
Q := $(if $(V),,@)
comma := ,
say = @printf '  %-8s %s\n'

# So many commands at a time, unless this make was started by another one, whose
# number holds; one after the other with clean, so that `make clean all` first
# removes, then builds.
WORKERS ?= 2
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(WORKERS)
endif
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

## all: build firmware and host command; BOARD= KERNELS= PINS= BAUD=
.PHONY: all build-all
all: build-all

.DELETE_ON_ERROR:
.SUFFIXES:

# ---- what must be installed ----

# The Debian packages that building and running need; besides, what writing an
# image to a real board, looking at pages in a browser, and testing, proving and
# measuring need.
PACKAGES := gcc libc6-dev gcc-arm-none-eabi libnewlib-arm-none-eabi \
            qemu-system-arm libjansson-dev libgmp-dev nettle-dev gnuplot-nox \
            libsndfile1-dev libpng-dev libnetpbm-dev libcsv-dev \
            libserialport-dev libmicrohttpd-dev python3 python3-numpy
FLASH_PACKAGES := openocd stm32flash dfu-util
GDB_PACKAGES := gdb-multiarch
BROWSER_PACKAGES := chromium chromium-driver python3-selenium
TEST_PACKAGES := python3-pytest python3-pytest-xdist python3-hypothesis \
                 python3-serial frama-c-base libglpk-dev libunicorn-dev sox \
                 imagemagick $(FLASH_PACKAGES) $(GDB_PACKAGES)

# Every make asks dpkg, which takes 20 ms: so a package that was removed is
# missed at once, and nothing is written down that could be wrong.
INSTALLED := $(shell dpkg-query -f '$${db:Status-Status}:$${Package}\n' \
               -W $(PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES) 2>/dev/null)
missing = $(filter-out $(INSTALLED:installed:%=%),$(1))

# Order-only prerequisites of all that compiles or runs: targets that install
# the missing packages; none if no package is missing.
DEPS := $(if $(call missing,$(PACKAGES)),deps)
FLASH_DEPS := $(DEPS) $(if $(call missing,$(FLASH_PACKAGES)),flash-deps)
GDB_DEPS := $(if $(call missing,$(GDB_PACKAGES)),gdb-deps)
BROWSER_DEPS := $(if $(call missing,$(BROWSER_PACKAGES)),browser-deps)
TEST_DEPS := $(DEPS) $(if $(call missing,$(TEST_PACKAGES)),test-deps)

.PHONY: deps flash-deps gdb-deps browser-deps test-deps
## deps: install what building and running need (apt; as root or with sudo)
deps: packages = $(call missing,$(PACKAGES))
flash-deps: packages = $(call missing,$(FLASH_PACKAGES))
gdb-deps: packages = $(call missing,$(GDB_PACKAGES))
browser-deps: packages = $(call missing,$(BROWSER_PACKAGES))
## test-deps: install what testing, proving and measuring need, too
test-deps: packages = $(call missing,$(TEST_PACKAGES))
# One apt-get at a time.
flash-deps gdb-deps test-deps: | $(DEPS)
browser-deps: | $(TEST_DEPS)
deps flash-deps gdb-deps browser-deps test-deps:
	$(Q)[ -n "$(packages)" ] || exit 0; \
	echo "installing: $(packages)"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null; then sudo=sudo; \
	else echo "as root, run: apt-get update && apt-get install -y" \
	  "--no-install-recommends $(packages)" >&2; exit 1; fi; \
	$$sudo apt-get update -q && \
	DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy \
	  --no-install-recommends $(packages)

# ---- flags ----

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Werror
HOST_CC := gcc
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -I. $(WARNINGS)
HOST_LIBS := -ljansson -lnettle -lgmp -lsndfile -lpng -lnetpbm -lcsv \
             -lserialport -lmicrohttpd -lm
TARGET_CC := $(CROSS_COMPILE)gcc
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

# $(eval $(call compile,OBJECTS: SOURCE,COMMAND,STAMP,DEPS)), patterns or names.
define compile
$(1) $(BUILD)/$(3).flags | $(4)
	$$(say) CC $$<
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) -MMD -MP -c $$< -o $$@
endef

# The release that this tree is, or becomes: CHANGELOG.md has a part for each.
RELEASE := 0.2.0
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
$(eval $(call stamp,version,$$(RELEASE) $$(VERSION)))

# ---- everything ----

include kernels/kernels.mk boot/boards.mk qemu/host.mk
include boot/stm32f405/flash.mk qemu/pictures/pictures.mk
include qemu/install/install.mk test/test.mk

build-all: $(foreach b,$(BOARD),$(call images_of,$b)) $(BUILD)/quincunx

.PHONY: format check-format clean help
## format: lay all C files out anew, in place (needs clang-format)
format:
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')

## check-format: fail where clang-format would change something
check-format:
	$(Q)clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')

## clean: remove everything that was built
clean:
	rm -rf $(BUILD)

## help: this list; with any target V=1 shows commands, WORKERS=2 at a time
help:
	@sed -n 's/^## //p' $(filter Makefile %.mk,$(MAKEFILE_LIST))
