# SPDX-License-Identifier: GPL-2.0-only
#
# The doors of the project; 'make help' lists them. What they do is in scripts/
# and test/. (The kernel's build system reads Kbuild, not this file.)

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Handed on as they were typed: $(value) keeps make from expanding a '$' in them.
export IDMA_CMD := $(value CMD)
export DEVICE := $(value DEVICE)
export DMATEST := $(value DMATEST)
export QEMU_OPTS := $(value QEMU_OPTS)
export KERNEL ?= plain
export TIMEOUT
export DRYRUN

guest_run = test/guest/run --kernel '$(KERNEL)' --device "$$DEVICE" --qemu-opts "$$QEMU_OPTS"

# For people at the prompt, idma-test is there, too
guest_tool = tool=$$(scripts/build-idma-test.sh) && $(guest_run) --file "$$tool:/bin/idma-test"

.PHONY: help
help:
	@echo 'Doors (Debian 12 or 13; each fetches and builds what it needs, into $${IDMA_CACHE:-~/.cache/idma-linux}):'
	@echo '  make run                 dmatest on the emulated iDMA: sizes, transfers, failures, speed, interrupts'
	@echo '  make run-hyperlink       two guests joined by a HyperLink: windows, copies, doorbells, network; a table of what it costs'
	@echo '  make check               all tests; check-NAME runs a part:'
	@echo '                           $(shell test/check --list)'
	@echo '                           and for longer: $(shell test/check --list-long)'
	@echo "  make guest CMD='...'     boot, load the modules, run a shell command in the guest, fail if it does"
	@echo '                           (make itself ends with 2 then; test/guest/run hands back the exact status)'
	@echo "                           (idma-test is there: make guest CMD='idma-test selftest')"
	@echo '  make shell               the same guest, for you to type into'
	@echo '  make soak MINUTES=n      everything in a random order, faults included; SEED=s repeats one,'
	@echo '                           FAULTS=drop-irq-every=3,... has fault switches on all the time'
	@echo '  make bench               instructions and interrupts per transfer, beside sf-pdma and memcpy; build/report/'
	@echo '                           (BENCH="--sizes 64 --depths 1,32" and others: test/bench/run --help)'
	@echo "  make hostmem             workers staged through device memory against direct host memory, beside XRT's figures"
	@echo '                           (HOSTMEM="--time 200 --workers 4": test/bench/hostmem.py --help)'
	@echo '  make check-debug         KUnit, contract and scenarios on the kernel with all checkers; any report is a failure'
	@echo '  make stale-guesses COUNT=n   n launches while the prefetcher guesses wrong'
	@echo '  make bind-rounds COUNT=n     n rounds of bind and unbind, and nothing leaks'
	@echo '  make flaps COUNT=n       a HyperLink that goes down n times while the iDMAs of both sides copy through it'
	@echo '  make lint                checkpatch, sparse, W=1, kernel-doc, shellcheck, yamllint'
	@echo '  make bench-engine        speed of the engine beside memcpy, and whether it is what it should be'
	@echo '  make sim                 build tools/idma-sim/idma-sim: the engine as a simulator for this machine'
	@echo '  make published           what others have published of iDMA systems, and the model: build/report/published.md'
	@echo '  make modules KDIR=...    build the modules against a prepared kernel tree'
	@echo '  make in-tree-check       build the driver inside of Linux 6.1, 6.12 and the newest'
	@echo '  make setup               install the Debian packages that all of this needs (as root)'
	@echo '  make clean               remove what builds in place have left'
	@echo
	@echo 'Variables:'
	@echo "  DEVICE='prop=value,...'  properties of the device, e.g. DEVICE=drop-irq-every=3"
	@echo "                           (-device idma-desc64,help lists them: make guest QEMU_OPTS='-device idma-desc64,help' CMD=true)"
	@echo "  DMATEST='param=value'    parameters of dmatest, e.g. DMATEST='threads_per_chan=8 iterations=100'"
	@echo '  KERNEL=plain|debug|6.1|newest   debug has KASAN, lockdep and other checkers; more modules, slower'
	@echo "  QEMU_OPTS='...'          more options for QEMU     TIMEOUT=seconds   when to give a guest up"
	@echo '  DRYRUN=1                 run, setup: only say what would be done'
	@echo '  JOBS=n                   compile jobs (default: all cores)'

.PHONY: setup
setup:
	@scripts/setup.sh

.PHONY: run
run:
	@scripts/run.sh

.PHONY: run-hyperlink
run-hyperlink:
	@scripts/setup.sh run
	@test/run-hyperlink

.PHONY: guest
guest:
	@[ -n "$$IDMA_CMD" ] || { echo "make guest: say what to run: make guest CMD='...'" >&2; exit 2; }
	@scripts/setup.sh run
	@$(guest_tool) --timeout '$(or $(TIMEOUT),300)' "$$IDMA_CMD"

.PHONY: shell
shell:
	@scripts/setup.sh run
	@$(guest_tool) --shell

.PHONY: check
check:
	@scripts/setup.sh
	@test/check

check-%:
	@scripts/setup.sh
	@test/check '$*'

.PHONY: check-debug
check-debug:
	@scripts/setup.sh
	@test/check debug

.PHONY: stale-guesses bind-rounds
stale-guesses bind-rounds:
	@scripts/setup.sh run
	@test/scenarios/$@ '$(COUNT)'

.PHONY: flaps
flaps:
	@scripts/setup.sh run
	@test/scenarios/hyperlink-flaps '$(or $(COUNT),10)' '$(KERNEL)'

.PHONY: soak
soak:
	@scripts/setup.sh run
	@KERNEL='$(if $(filter file,$(origin KERNEL)),debug,$(KERNEL))' test/soak '$(MINUTES)' '$(SEED)' '$(FAULTS)'

.PHONY: bench
bench:
	@scripts/setup.sh run
	@test/bench/run --kernel '$(KERNEL)' $(BENCH)

.PHONY: hostmem
hostmem:
	@scripts/setup.sh run
	@test/bench/hostmem.py --kernel '$(KERNEL)' $(HOSTMEM)

.PHONY: lint
lint:
	@scripts/setup.sh
	@scripts/lint.sh

.PHONY: in-tree-check
in-tree-check:
	@scripts/setup.sh
	@scripts/in-tree-check.sh

# A tree for another architecture than this machine's says so in its .config.
kdir_riscv = $(if $(filter riscv64,$(shell uname -m)),,$(shell grep -qs '^CONFIG_RISCV=y' '$(KDIR)/.config' && echo y))

.PHONY: bench-engine
bench-engine:
	@scripts/setup.sh
	@$(MAKE) -s -C qemu-device/engine/test bench

.PHONY: sim idma-sim
sim idma-sim:
	@scripts/setup.sh
	@$(MAKE) -s -C tools/idma-sim
	@echo tools/idma-sim/idma-sim

.PHONY: published
published: sim
	@tools/idma-sim/idma-sim published

.PHONY: modules
modules:
	@[ -n '$(KDIR)' ] || { echo 'make modules: name a prepared kernel tree: make modules KDIR=/lib/modules/.../build' >&2; exit 2; }
	@[ -e '$(KDIR)/Makefile' ] || { echo "make modules: KDIR: '$(KDIR)' is not a kernel tree" >&2; exit 2; }
	@[ -e '$(KDIR)/.config' ] || { echo "make modules: KDIR: '$(KDIR)' is not configured" >&2; exit 2; }
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' $(if $(kdir_riscv),ARCH=$(or $(ARCH),riscv) CROSS_COMPILE=$(or $(CROSS_COMPILE),riscv64-linux-gnu-)) modules

.PHONY: clean
clean:
	@git clean -qfdX .
