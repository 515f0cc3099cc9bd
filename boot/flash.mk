# SPDX-License-Identifier: Apache-2.0
# Writing the firmware to real boards.

# Which programs talk to probes, serial ports and USB, and which kind of probe
# they are; more options of `quincunx flash`: FLASH_OPTIONS=--partial.
OPENOCD ?= openocd
STM32FLASH ?= stm32flash
DFU_UTIL ?= dfu-util
INTERFACE ?= stlink
FLASH_OPTIONS ?=
MAP_OPTIONS ?=
# The boards that can be written to; the only one, if none is named.
FLASHED := $(strip $(foreach b,$(BOARDS),$(if $(flashed_$b),$b)))
FLASH_BOARD := $(if $(filter-out file,$(origin BOARD)),$(BOARD),$(if \
                 $(word 2,$(FLASHED)),,$(FLASHED)))
how_board = $(if $(word 2,$(FLASHED)),BOARD=NAME,[BOARD=$(FLASHED)])
IMAGE ?= $(BUILD)/$(FLASH_BOARD)/firmware.elf

# By the environment, so that no shell reads what is in a value.
flash flash-mesh: export BOARD := $(FLASH_BOARD)
flash flash-mesh: export PROBE := $(PROBE)
flash flash-mesh: export PORT := $(PORT)
flash flash-mesh: export DFU := $(DFU)
flash flash-mesh flash-map: export MAP := $(MAP)
flash flash-mesh: export IMAGE := $(IMAGE)
flash flash-mesh: export OPENOCD := $(OPENOCD)
flash flash-mesh: export STM32FLASH := $(STM32FLASH)
flash flash-mesh: export DFU_UTIL := $(DFU_UTIL)
flash flash-mesh: export INTERFACE := $(INTERFACE)

# Prerequisites: none if none of the variables $(1) is set, since the recipe
# then only says so; an image that this make has no rule for must be there.
flash_needs = $(if $(FLASH_BOARD),$(if $(1),$(BUILD)/quincunx $(filter \
                $(BOARDS:%=$(BUILD)/%/firmware.elf),$(IMAGE)) | $(FLASH_DEPS)))

# $(1): the same variables for the shell, $(2): how they are set, $(3): the
# options that they become.
define flash
	$(Q)if [ -z "$$BOARD" ] || [ -z "$(1)" ]; then \
	  echo "make $@ $(how_board) $(2)" >&2; exit 2; fi
	$(Q)$(BUILD)/quincunx flash --board "$$BOARD" $(3) \
	  --openocd "$$OPENOCD" --stm32flash "$$STM32FLASH" \
	  --dfu-util "$$DFU_UTIL" --interface "$$INTERFACE" $(FLASH_OPTIONS) \
	  "$$IMAGE"
endef

## flash: write the firmware to a board, PROBE=serial, PORT=/dev/ttyUSB0 or
##   DFU=serial; PINS= KERNELS= ... as in all; INTERFACE= FLASH_OPTIONS=
.PHONY: flash
flash: $(call flash_needs,$(PROBE)$(PORT)$(DFU))
	$(call flash,$$PROBE$$PORT$$DFU,PROBE=serial$(comma) PORT=/dev/ttyUSB0 \
	  or DFU=serial,$${PROBE:+--probe "$$PROBE"} $${PORT:+--port "$$PORT"} \
	  $${DFU:+--dfu "$$DFU"})

# Told before the image is built: whether the map is not there.
map_missing = $(if $(filter-out -,$(MAP)),$(shell test -e \
                '$(subst ','\'',$(MAP))' || echo missing))

## flash-mesh: to all boards of a map, MAP=mesh.csv
.PHONY: flash-mesh
flash-mesh: $(if $(map_missing),,$(call flash_needs,$(MAP)))
	$(Q)if [ -n '$(map_missing)' ]; then \
	  echo "make $@: MAP '$$MAP': there is no such file; \`make flash-map" \
	    "MAP=...' writes it" >&2; exit 1; fi
	$(call flash,$$MAP,MAP=mesh.csv,--map "$$MAP")

## flash-map: list probes, serial adapters and DFU devices; MAP=mesh.csv is
##   written if it is not there; MAP_OPTIONS=--ports
.PHONY: flash-map
flash-map: $(BUILD)/quincunx
	$(Q)$(BUILD)/quincunx flash-map $${MAP:+--output "$$MAP"} $(MAP_OPTIONS)
