# SPDX-License-Identifier: Apache-2.0
# Installing the command, its images, manual pages and completions.

PREFIX ?= /usr/local
DESTDIR ?=
install_to = $(DESTDIR)$(PREFIX)

# The command finds what lies beside it: its images, by board.
INSTALLED_DIR := lib/quincunx
INSTALLED_IMAGES = $(foreach b,$(BOARD),$(patsubst $(BUILD)/%,%,$(call \
                     images_of,$b)))

$(BUILD)/man/quincunx.1: $(BUILD)/quincunx qemu/install/man.py \
                         qemu/install/words.py DESIGN.md
	$(Q)$(PYTHON) qemu/install/man.py $< $(RELEASE) $(@D)

$(BUILD)/completions/%: $(BUILD)/quincunx qemu/install/completions.py \
                        qemu/install/words.py
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) qemu/install/completions.py $< $* > $@

completions := $(addprefix $(BUILD)/completions/,bash zsh fish)

## install: command, images, manual pages, completions; PREFIX= DESTDIR=
.PHONY: install uninstall
install: build-all $(BUILD)/man/quincunx.1 $(completions)
	$(Q)set -e; to='$(install_to)'; lib="$$to/$(INSTALLED_DIR)"; \
	install -d "$$to/bin" "$$lib" "$$to/share/man/man1" \
	  "$$to/share/man/man7" "$$to/share/bash-completion/completions" \
	  "$$to/share/zsh/site-functions" \
	  "$$to/share/fish/vendor_completions.d"; \
	install -m 755 $(BUILD)/quincunx $(BUILD)/zygote.so "$$lib"; \
	ln -sf ../$(INSTALLED_DIR)/quincunx "$$to/bin/quincunx"; \
	for image in $(INSTALLED_IMAGES); do \
	  install -D -m 644 "$(BUILD)/$$image" "$$lib/$$image"; done; \
	install -m 644 $(BUILD)/man/*.1 "$$to/share/man/man1"; \
	install -m 644 $(BUILD)/man/*.7 "$$to/share/man/man7"; \
	install -m 644 $(BUILD)/completions/bash \
	  "$$to/share/bash-completion/completions/quincunx"; \
	install -m 644 $(BUILD)/completions/zsh \
	  "$$to/share/zsh/site-functions/_quincunx"; \
	install -m 644 $(BUILD)/completions/fish \
	  "$$to/share/fish/vendor_completions.d/quincunx.fish"; \
	echo "installed $$to/bin/quincunx"

## uninstall: remove what `make install` put there; PREFIX= DESTDIR=
uninstall:
	$(Q)set -e; to='$(install_to)'; \
	rm -rf "$$to/$(INSTALLED_DIR)"; \
	rm -f "$$to/bin/quincunx" "$$to"/share/man/man1/quincunx.1 \
	  "$$to"/share/man/man1/quincunx-*.1 \
	  "$$to"/share/man/man7/quincunx-words.7 \
	  "$$to/share/bash-completion/completions/quincunx" \
	  "$$to/share/zsh/site-functions/_quincunx" \
	  "$$to/share/fish/vendor_completions.d/quincunx.fish"; \
	echo "removed   $$to/bin/quincunx"
