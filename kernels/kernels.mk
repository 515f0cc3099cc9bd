# SPDX-License-Identifier: Apache-2.0
# Which kernels are in which program: the list of them is the list of files in
# this folder, and in the folders of KERNEL_PATH.

# KERNEL_PATH=DIR:DIR..: folders of kernels outside of this tree, as the command
# line or the environment says. NAME.c is a kernel, NAME_format.c its format.
KERNEL_PATH ?=
blank := $(subst ,, )
kernel_folders := $(subst :, ,$(subst $(blank),?,$(KERNEL_PATH)))
$(foreach d,$(kernel_folders),$(if $(wildcard $d/.),,$(error \
  KERNEL_PATH=$(KERNEL_PATH): no such folder: '$d')))
own_sources := $(sort $(abspath $(wildcard $(kernel_folders:%=%/*.c))))
OWN_FORMATS := $(filter %_format.c,$(own_sources))
OWN_KERNELS := $(filter-out %_format.c,$(own_sources))
KERNEL_SOURCES := $(wildcard kernels/*.c) $(OWN_KERNELS)

# The kernels of the boards' images; the host command knows all.
ALL_KERNELS := $(sort $(basename $(notdir $(KERNEL_SOURCES))))
$(if $(call same,$(words $(ALL_KERNELS)),$(words $(KERNEL_SOURCES))),,$(error \
  KERNEL_PATH=$(KERNEL_PATH): two kernels have one name: $(foreach \
  k,$(ALL_KERNELS),$(if $(word 2,$(filter %/$k.c,$(KERNEL_SOURCES))),$(filter \
  %/$k.c,$(KERNEL_SOURCES))))))
# $(call kernel_files,NAMES): their sources.
kernel_files = $(foreach k,$(1),$(filter %/$k.c,$(KERNEL_SOURCES)))

# Formats: files of qemu/format with a kernel's name, and those of KERNEL_PATH.
FORMATS := $(filter $(ALL_KERNELS),$(basename $(notdir $(wildcard \
             qemu/format/*.c))) $(patsubst %_format,%,$(basename $(notdir \
             $(OWN_FORMATS)))))
KERNELS ?=
$(foreach k,$(filter-out $(ALL_KERNELS),$(KERNELS)),$(error KERNELS=$k: no \
  such kernel; there are: $(ALL_KERNELS)))

# $(eval $(call kernel_table,FOLDER,KERNELS)): $(BUILD)/FOLDER/kernel_table.c.
define kernel_table
$(call stamp,$(1)/kernels,$(2))
$(BUILD)/$(1)/kernel_table.c: names := $(2)
$(BUILD)/$(1)/kernel_table.c: $(BUILD)/$(1)/kernels.flags
	$$(say) TABLE $$@
	$$(Q)mkdir -p $$(@D)
	$$(Q){ \
	  echo '#include "kernels/kernel.h"'; \
	  for n in $$(names); do echo "extern const struct kernel kernel_$$$$n;"; \
	  done; \
	  echo 'const struct kernel *const kernel_table[] = {'; \
	  for n in $$(names); do echo "    &kernel_$$$$n,"; done; \
	  echo '};'; \
	  echo 'const unsigned kernel_table_count ='; \
	  echo '    sizeof kernel_table / sizeof *kernel_table;'; } > $$@
endef

$(eval $(call kernel_table,host,$(ALL_KERNELS)))

# The formats of the host command: a source as those of qemu/.
FORMAT_TABLE := $(BUILD)/format_table.c
$(eval $(call stamp,formats,$(FORMATS)))
$(FORMAT_TABLE): $(BUILD)/formats.flags
	$(say) TABLE $@
	$(Q){ echo '#include "qemu/format/table.h"'; \
	  for n in $(FORMATS); do \
	    echo "extern const struct format format_$$n;"; done; \
	  echo 'const struct format *const format_table[] = {'; \
	  for n in $(FORMATS); do echo "    &format_$$n,"; done; \
	  echo '    NULL};'; } > $@

WORDS_OF_C := auto bool break case char const continue default do double else \
              enum extern false float for goto if inline int kernel long main \
              register restrict return short signed sizeof static struct \
              switch true typedef union unsigned void volatile while

# Where its files go: into this tree, or into the first folder of KERNEL_PATH.
new_folder := $(firstword $(kernel_folders))
new-kernel: export NAME := $(NAME)
new-kernel: export TO_KERNEL := $(or $(new_folder),kernels)/$(NAME).c
new-kernel: export TO_FORMAT := $(if $(FORMAT),$(if \
              $(new_folder),$(new_folder)/$(NAME)_format.c,qemu/format/$(NAME).c))
new-kernel: export TO_TEST := $(or \
              $(new_folder),test/kernels)/test_kernel_$(NAME).py
new-kernel: export RUNS := $(if $(new_folder),make $(BUILD)/test/kernels.so and \
              BUILD=$(BUILD) PYTHONPATH=$(CURDIR)/test/lib python3 -m \
              pytest,make test T='-k kernel_$(NAME)')

## new-kernel: begin one, NAME=foo: a kernel and its test, in kernels/ and
##   test/kernels/ or in KERNEL_PATH; FORMAT=1: its format of files, too
.PHONY: new-kernel
new-kernel:
	$(Q)bad=; case "$$NAME" in [a-z]*) ;; *) bad=1;; esac; \
	case "$$NAME" in *[!a-z0-9_]*) bad=1;; esac; \
	case " $(WORDS_OF_C) " in *" $$NAME "*) \
	  echo "make new-kernel NAME='$$NAME': that is a word of C, or of" \
	    "kernel.h; must be another one" >&2; exit 2;; esac; \
	if [ -n "$$bad" ] || [ $${#NAME} -gt 15 ]; then \
	  echo "make new-kernel NAME='$$NAME': must be 1 to 15 of a-z, 0-9" \
	    "and _, a letter first" >&2; exit 2; fi; \
	for to in "kernels/$$NAME.c" "$$TO_KERNEL" "$$TO_FORMAT" "$$TO_TEST"; do \
	  if [ -e "$$to" ]; then echo "$$to exists" >&2; exit 2; fi; done; \
	pad=$$(printf '%*s' $${#NAME} ''); \
	begin() { \
	  sed "s/@NAME@/$$NAME/g; s/@PAD@/$$pad/; s/@ARG@/$(if \
	    $(FORMAT),value=97,a)/" "kernels/skeleton/$$1.in" > "$$2"; }; \
	begin kernel.c "$$TO_KERNEL"; begin test_kernel.py "$$TO_TEST"; \
	echo "$$TO_KERNEL: counts the bytes of one value; make it yours"; \
	if [ -n "$$TO_FORMAT" ]; then begin format.c "$$TO_FORMAT"; \
	  echo "$$TO_FORMAT: its format, the files and --arg of the host"; fi; \
	echo "$$TO_TEST: $$RUNS runs it"
