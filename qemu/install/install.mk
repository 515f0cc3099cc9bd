# SPDX-License-Identifier: Apache-2.0
# Installing the command, its images, manual pages and completions; a Debian
# package of all that, and a release.

PREFIX ?= /usr/local
DESTDIR ?=
install_to = $(DESTDIR)$(PREFIX)
ZSH_DIR ?= share/zsh/site-functions
UDEV_DIR := lib/udev/rules.d
# What builds kernels outside of this tree: `make -C` there, with KERNEL_PATH=
# and BUILD=. Times are kept, so that nothing is made anew without a need.
SOURCES_DIR := share/quincunx
SOURCES_INSTALLED = Makefile LICENSE boot hal torus scatter kernels linker \
                    qemu test/lib $(wildcard test/*.mk)

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
	  "$$to/$(ZSH_DIR)" "$$to/$(UDEV_DIR)" \
	  "$$to/share/fish/vendor_completions.d"; \
	install -m 755 $(BUILD)/quincunx $(BUILD)/zygote.so \
	  $(RANKS_OBJECT) "$$lib"; \
	ln -sf ../$(INSTALLED_DIR)/quincunx "$$to/bin/quincunx"; \
	for image in $(INSTALLED_IMAGES); do \
	  install -D -m 644 "$(BUILD)/$$image" "$$lib/$$image"; done; \
	install -m 644 $(BUILD)/man/*.1 "$$to/share/man/man1"; \
	install -m 644 $(BUILD)/man/*.7 "$$to/share/man/man7"; \
	install -m 644 $(BUILD)/completions/bash \
	  "$$to/share/bash-completion/completions/quincunx"; \
	install -m 644 $(BUILD)/completions/zsh \
	  "$$to/$(ZSH_DIR)/_quincunx"; \
	install -m 644 $(BUILD)/completions/fish \
	  "$$to/share/fish/vendor_completions.d/quincunx.fish"; \
	install -m 644 qemu/install/70-quincunx.rules "$$to/$(UDEV_DIR)"; \
	rm -rf "$$to/$(SOURCES_DIR)"; install -d "$$to/$(SOURCES_DIR)"; \
	tar -c --exclude=__pycache__ --exclude='qemu/pictures/*.*g' \
	  $(SOURCES_INSTALLED) | tar -x --no-same-owner -C "$$to/$(SOURCES_DIR)"; \
	echo "installed $$to/bin/quincunx"; \
	echo "  pages of \`man quincunx' in $$to/share/man; completions in"; \
	echo "  $$to/share/bash-completion/completions (bash),"; \
	echo "  $$to/$(ZSH_DIR) (zsh)," ; \
	echo "  $$to/share/fish/vendor_completions.d (fish);"; \
	echo "  rules for probes in $$to/$(UDEV_DIR): \`udevadm control -R';"; \
	echo "  sources for kernels of your own in $$to/$(SOURCES_DIR)"

## uninstall: remove what `make install` put there; PREFIX= DESTDIR=
uninstall:
	$(Q)set -e; to='$(install_to)'; \
	rm -rf "$$to/$(INSTALLED_DIR)" "$$to/$(SOURCES_DIR)"; \
	rm -f "$$to/bin/quincunx" "$$to"/share/man/man1/quincunx.1 \
	  "$$to"/share/man/man1/quincunx-*.1 \
	  "$$to"/share/man/man7/quincunx-words.7 \
	  "$$to/share/bash-completion/completions/quincunx" \
	  "$$to/$(ZSH_DIR)/_quincunx" \
	  "$$to/share/fish/vendor_completions.d/quincunx.fish" \
	  "$$to/$(UDEV_DIR)/70-quincunx.rules"; \
	for folder in share/man/man1 share/man/man7 share/man \
	  share/bash-completion/completions share/bash-completion \
	  $(ZSH_DIR) $(patsubst %/,%,$(dir $(ZSH_DIR))) \
	  share/fish/vendor_completions.d share/fish $(UDEV_DIR) lib/udev lib \
	  bin share; do \
	  rmdir "$$to/$$folder" 2>/dev/null || true; done; \
	echo "removed   $$to/bin/quincunx"

# ---- a Debian package ----

DEB_DIR := $(BUILD)/deb/quincunx-$(RELEASE)
DEB_TREE := Makefile LICENSE CHANGELOG.md CITATION.cff DESIGN.md README.md \
            SECURITY.md boot hal torus scatter kernels linker qemu test
# Without this make's flags: dpkg-buildpackage starts a make of its own, which
# calls what it builds by git's name for the commit.
COMMIT = $(or $(file <.version),$(shell git describe --always --dirty \
           2>/dev/null),unknown)
DEB_BUILD = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL VERSION='$(COMMIT)' \
            dpkg-buildpackage -b -us -uc -j$(WORKERS)

## deb: a Debian package, build/quincunx_RELEASE_ARCHITECTURE.deb
.PHONY: deb
deb: | $(DEB_DEPS)
	$(Q)rm -rf $(BUILD)/deb; mkdir -p $(DEB_DIR)
	$(Q)tar -c --exclude=__pycache__ $(DEB_TREE) | tar -x -C $(DEB_DIR)
	$(Q)mv $(DEB_DIR)/qemu/install/debian $(DEB_DIR)/debian
	$(Q)sed -i "s/@LIBRARIES@/$$($(NEEDS) packages build header | grep -v \
	  ^libc6 | paste -sd, | sed 's/,/, /g')/" $(DEB_DIR)/debian/control
	$(Q)printf '%s\n\n  * %s\n\n -- %s  %s\n' \
	  'quincunx ($(RELEASE)) unstable; urgency=medium' \
	  'Release $(RELEASE): see CHANGELOG.md.' \
	  "$$(sed -n 's/^Maintainer: //p' $(DEB_DIR)/debian/control)" \
	  "$$(date -R -r CHANGELOG.md)" > $(DEB_DIR)/debian/changelog
	$(Q)cd $(DEB_DIR) && $(DEB_BUILD)
	$(Q)cp $(BUILD)/deb/quincunx_*.deb $(BUILD)
	@echo "package   $$(ls $(BUILD)/quincunx_$(RELEASE)_*.deb)"

# ---- a release ----

TARBALL := $(BUILD)/quincunx-$(RELEASE).tar.gz

## tarball: the sources of the last commit, build/quincunx-RELEASE.tar.gz
.PHONY: tarball
tarball:
	$(Q)mkdir -p $(BUILD)
	$(Q)git describe --always > $(BUILD)/.version
	$(Q)git archive --prefix=quincunx-$(RELEASE)/ --add-file=$(BUILD)/.version \
	  -o $(TARBALL) HEAD
	@echo "tarball   $(TARBALL)"

## release: all tests of a commit, its golden texts and pictures, which must
##   come out as committed, its Debian package and tarball: half an hour
.PHONY: release release-begins release-as-committed
release: release-begins test test-boards golden pictures release-as-committed \
         deb tarball
	@echo "release   $(RELEASE), $$(cat $(BUILD)/.version): all tests passed"

# $(call is_committed,WHAT): stops if a file is not as committed.
is_committed = $(Q)test -z "$$(git status --porcelain)" || { git status --short; \
                 echo "make release: $(1)" >&2; exit 1; }

release-begins:
	$(call is_committed,commit these first)
	$(Q)grep -qE '^## $(subst .,\.,$(RELEASE)), [0-9]{4}-[0-9]{2}-[0-9]{2}$$' \
	  CHANGELOG.md || { echo "make release: CHANGELOG.md has no part" \
	  "'## $(RELEASE), YEAR-MONTH-DAY'" >&2; exit 1; }
release-as-committed:
	$(call is_committed,these came out anew: read and commit them)
