# SPDX-License-Identifier: Apache-2.0
#
# Every target calls a script of scripts/ or tests/vm/, which can also be run by itself. meson builds userspace, kbuild builds
# the module, both below build/.
#
# V=1 shows the commands. Full logs of every stage are in build/logs.

SHELL := /bin/bash
export NNACCEL_BUILD ?= $(CURDIR)/build
export PREFIX DESTDIR
ifneq ($(V),1)
MAKEFLAGS += --no-print-directory
Q := @
endif

MODELS ?= models
# The project's own models are small; others may be beside it.
PEERS_MODELS := $(firstword $(wildcard ../shared/models) models)
DEVICE ?= cpu

# Quotes a value as one word for the shell.
quoted = '$(subst ','\'',$(1))'

.DEFAULT_GOAL := all
.PHONY: all bootstrap userspace module kselftest run run-sensors check check-full check-long quick check-debug check-kunit check-backends check-arm64 models-check conformance kernel-series bench bench-peers bench-layers bench-networks check-doors lint docs deb lab install uninstall shell clean distclean help

all: userspace		## userspace, and the module if kernel headers are installed
	$(Q)scripts/module.sh --if-headers

bootstrap:		## install the Debian packages that are missing
	$(Q)scripts/bootstrap.sh

userspace:		## libraries, firmware, nnctl, unit tests
	$(Q)scripts/userspace.sh

module:			## the kernel module, against KDIR or the VM's kernel
	$(Q)scripts/module.sh

kselftest:		## the kernel self tests (they run in the VM)
	$(Q)scripts/kselftest.sh

run:			## boot Debian's kernel with the card and classify pictures on it
	$(Q)scripts/demo.sh

run-sensors:		## boot it with a hub of HID sensors: the sensor service, and motion classified on the card
	$(Q)scripts/demo-sensors.sh

check:			## the gate, minutes: installs, builds, runs tests; a table, then "N passed, N failed". GROUPS="unit": only these
	$(Q)NN_MAKE_PID="$$PPID" NN_SUITE="$(SUITE)" NN_BOOTS="$(BOOTS)" scripts/check.sh $(or $(GROUPS),gate)

check-full:		## more tests, some 35 minutes, the first time 45: before an issue is resolved
	$(Q)NN_MAKE_PID="$$PPID" scripts/check.sh full

check-long:		## all tests, hours: races again and again, debug and newest kernel, fuzzers, load
	$(Q)NN_MAKE_PID="$$PPID" NN_STRESS="$(or $(STRESS),30)" scripts/check.sh long

check-doors: bootstrap userspace	## an installation, and models through C, Python, TensorFlow Lite and ONNX Runtime
	$(Q)scripts/check/doors.sh

quick:			## after an edit: builds, and runs the short tests that it concerns; under 15 seconds
	$(Q)scripts/quick.py

check-kunit:		## the driver on a mock device, in user-mode Linux: cases, and coverage
	$(Q)NN_MAKE_PID="$$PPID" scripts/check.sh kunit

check-backends:		## the driver on what is no card: the mock device, and a process that emulates one
	$(Q)NN_MAKE_PID="$$PPID" NN_SUITE=full scripts/check.sh kunit emu

check-arm64:		## for arm64: the builds, and Debian's kernels with pages of 4 and 16 KiB on an emulated board with the card
	$(Q)NN_MAKE_PID="$$PPID" NN_SUITE=full NN_BOOTS="$(BOOTS)" scripts/check.sh arm64 litmus arm64-vm

check-debug:		## the driver's tests on a kernel with lockdep and KASAN; STRESS=600: the stress test for so long
	$(Q)NN_MAKE_PID="$$PPID" NN_STRESS="$(or $(STRESS),30)" scripts/check.sh debug

models-check: bootstrap userspace	## MODELS=folder DEVICE=cpu|card|runtime|runtime-card|worker|service: accept or refuse each model
	$(Q)if [[ "$(DEVICE)" = *card ]]; then scripts/module.sh; fi
	$(Q)scripts/nnctl-check.sh models-check "$(MODELS)" "$(DEVICE)"

conformance: bootstrap userspace	## VECTORS=folder DEVICE=cpu|card|runtime|split|runtime-card|split-card|worker|worker-card|service
	$(Q)if [[ "$(DEVICE)" = *card ]]; then scripts/module.sh; fi
	$(Q)vectors="$(VECTORS)"; scripts/nnctl-check.sh verify "$${vectors:-$$(scripts/vectors.sh)}" "$(DEVICE)" \
		--jobs $$(nproc)

kernel-series:		## OUT=folder: the driver as patches for a kernel tree; TREE=folder: for this one
	$(Q)scripts/kernel-series.sh $(call quoted,$(or $(OUT),$(NNACCEL_BUILD)/kernel-series/patches)) \
		$(if $(TREE),$(call quoted,$(TREE)))

bench: bootstrap userspace module	## the benchmarks, in the VM and here; BENCH="burst trace": only these
	$(Q)scripts/bench.sh $(BENCH)

bench-peers: bootstrap userspace	## MODELS=folder JSON=file PEERS="nnaccel xnnpack" ROUNDS=15: against TensorFlow Lite and XNNPACK
	$(Q)scripts/bench-peers.sh $(if $(JSON),--json $(call quoted,$(JSON))) $(if $(PEERS),--peers $(call quoted,$(PEERS))) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(call quoted,$(if $(filter file,$(origin MODELS)),$(PEERS_MODELS),$(MODELS)))

bench-layers: bootstrap userspace	## JSON=file PEERS="nnaccel:avx512vnni" ROUNDS=15: layers of large networks, with each set of instructions
	$(Q)scripts/bench-peers.sh --layers $(if $(JSON),--json $(call quoted,$(JSON))) \
		$(if $(PEERS),--peers $(call quoted,$(PEERS))) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-networks: bootstrap userspace	## NETWORKS="resnet50_int8" JSON=file PEERS="nnaccel xnnpack" ROUNDS=15: ResNet50, BERT-base and the like
	$(Q)scripts/bench-peers.sh --networks $(if $(JSON),--json $(call quoted,$(JSON))) \
		$(if $(PEERS),--peers $(call quoted,$(PEERS))) $(if $(ROUNDS),--rounds $(ROUNDS)) $(NETWORKS)

lint: bootstrap		## shellcheck, checkpatch, sparse, W=1, clang-format, clang-tidy, the house rules
	$(Q)scripts/lint.sh

docs:			## HTML and man pages in build/docs; warnings are errors
	$(Q)scripts/bootstrap.sh docs
	$(Q)scripts/docs.sh

deb:			## Debian packages of HEAD in build/deb, by a clean Debian 12; lintian; installed and removed in another one
	$(Q)scripts/deb.sh

lab: bootstrap userspace module	## OUT=folder: nnaccel-lab to copy anywhere, with kernel and driver; its Containerfile makes an image of it
	$(Q)scripts/lab.sh stage $(call quoted,$(or $(OUT),$(NNACCEL_BUILD)/nnaccel-lab))

shell: bootstrap userspace module	## COMMAND=...: run one command in the VM with the card
	$(Q)tests/vm/vm.sh --stream -- bash tests/vm/shell.sh $(call quoted,$(or $(COMMAND),dmesg))

install: userspace	## as root: userspace, udev rule, module by DKMS; PREFIX=/elsewhere: userspace alone; DESTDIR stages; TESTS=1: with the tests of nnctl certify
	$(Q)scripts/install.sh install

uninstall:		## undo install
	$(Q)scripts/install.sh uninstall

clean:			## remove build/
	$(Q)rm -rf "$(NNACCEL_BUILD)"

distclean: clean	## and the cache with the kernel
	$(Q)source scripts/lib.sh && rm -rf "$$NN_CACHE"

help:			## this list
	$(Q)sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
