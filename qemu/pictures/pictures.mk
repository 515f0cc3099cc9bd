# SPDX-License-Identifier: Apache-2.0
# Pictures for the pages, and what README.md shows of the first run, from runs.

# Where points of the figures are measured, if anywhere: minutes on boards,
# seconds on native nodes, whose software costs no time.
MEASURE ?=

# Eight times as much text, for 625 boards.
$(BUILD)/licenses8.txt: $(LICENSES)
	$(Q)for i in 1 2 3 4 5 6 7 8; do cat $<; done > $@

## pictures: pages' pictures and README's first run; MEASURE=qemu|native
.PHONY: pictures
pictures: MEASURE := $(or $(MEASURE),qemu)
pictures: build-all figures gallery $(LICENSES) $(BUILD)/licenses8.txt \
          | $(BROWSER_DEPS)
	$(Q)$(BUILD)/quincunx run --mesh 5x5 --kernel search \
	  --arg 'free software' --profile t3d \
	  --gantt qemu/pictures/gantt-25.svg --html $(BUILD)/page.html \
	  $(LICENSES) > $(BUILD)/first-run.txt
	$(Q)$(PYTHON) qemu/pictures/first_run.py $(BUILD)/first-run.txt $(RELEASE)
	$(Q)$(PYTHON) test/lib/browser.py $(BUILD)/page.html $(BUILD)/page.png \
	  1000 1130
	$(Q)convert $(BUILD)/page.png -colors 64 -strip \
	  -define png:exclude-chunks=date,time PNG8:qemu/pictures/page.png
	$(Q)$(BUILD)/quincunx run --mesh 25x25 --kernel spin --arg 32 \
	  --profile t3d --gantt qemu/pictures/gantt-625.svg \
	  $(BUILD)/licenses8.txt
	$(Q)$(BUILD)/quincunx run --mesh 5x5 --kernel spin --arg 32 \
	  --profile t3d --inject slow8@1,1 \
	  --gantt qemu/pictures/slow-planned.svg $(LICENSES)
	$(Q)$(BUILD)/quincunx run --mesh 5x5 --kernel spin --arg 32 \
	  --profile t3d --inject slow8@1,1 --schedule farm \
	  --gantt qemu/pictures/slow-farm.svg $(LICENSES)
	$(Q)sed 's/[ \t]*$$//' $(BUILD)/figures/figure-9.svg \
	  > qemu/pictures/rounds.svg

## figures: the paper's figures into build/figures; MEASURE=qemu|native
##   adds points of meshes that run
.PHONY: figures
figures: build-all | $(GALLERY_DEPS)
	$(Q)$(PYTHON) qemu/pictures/figures.py $(BUILD)/quincunx \
	  $(BUILD)/figures $(addprefix --measure=,$(MEASURE))

## gallery: the README's three jobs, from input to picture
.PHONY: gallery
gallery: build-all | $(GALLERY_DEPS)
	$(Q)$(PYTHON) qemu/pictures/gallery.py $(BUILD)/quincunx qemu/pictures \
	  $(BUILD)/gallery
