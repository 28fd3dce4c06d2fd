# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that the README and CONTRIBUTING.md promise. Only `packages` needs root (or sudo),
# and only when one is missing.
#
# One file of tests, or one test, without make:
#	.venv/bin/pytest tests/unit/metrics/test_knee.py
#	.venv/bin/pytest tests/guest -k sniffer

PYTHON := /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin

# `make` alone runs the demo. What stands behind ## is what `make help` prints.
.PHONY: demo check test test-kernels test-host test-wheel test-sanitized wheels lint unit kernel bench bench-ns3 bench-pairs \
	bench-compare bench-record flame readme setup setup-dev packages clean help

demo: setup	## installs what is missing, builds the kernel once, runs a short experiment
	@echo "== kernel (built once, then cached)"
	@$(BIN)/tsqlab kernel build
	@echo "== the demo: one upload over Wi-Fi from the papers' host and from one of today,"
	@echo "== with stock TSQ, with what mac80211 sets, with 6 ms of it, and with none"
	@$(BIN)/tsqlab run hosts --jobs $(shell nproc)

check: lint unit	## lint, types, and the tests that need no kernel: before each commit

test: setup	## `check`, and the tests that boot guests: ten minutes from nothing
	@# While a kernel's source is unpacked, or it is linked, one CPU would have nothing to do.
	@$(MAKE) --no-print-directory -j2 check kernel
	@echo "== tests that boot guests"
	@$(BIN)/pytest -n $(shell nproc) --dist worksteal -m "not kernels" tests/guest tests/kernel

# A kernel without CoTSQ to compare with, 6.1, and each patch of the series by itself.
test-kernels: setup-dev kernel	## tests that build further kernels, and checkpatch; CI runs it after `test`
	@echo "== another kernel (built once, then cached)"
	@$(BIN)/tsqlab kernel build --version 6.1 --guided last
	@echo "== tests that build kernels"
	@$(BIN)/pytest -n $(shell nproc) -m kernels tests/guest tests/kernel

test-host: setup-dev kernel	## tsq on Debian's own kernels in qemu: ten minutes; .ci/nightly
	@tools/packages.sh tests/host/packages.txt
	@$(BIN)/pytest tests/host

wheels: setup-dev	## dist/: the wheels of tsqlab and tsqlab-kernels
	@$(BIN)/python -m build --no-isolation --wheel --outdir dist .
	@$(BIN)/python tools/kernels_wheel.py dist

test-wheel: wheels	## both wheels on bare roots of Debian 12 and 13: ten minutes, not in CI
	@tools/packages.sh tests/wheel/packages.txt
	@$(BIN)/pytest -s tests/wheel

test-sanitized: setup-dev	## a thousand times what `test` does a few times: an hour
	@# Over a kernel that watches itself (KASAN, UBSAN, lockdep, kmemleak).
	@$(BIN)/pytest -n $(shell nproc) --dist worksteal --sanitized \
		tests/guest/test_stress.py tests/guest/test_fuzz.py tests/guest/test_live.py \
		tests/guest/test_injection.py tests/guest/test_moves.py tests/guest/test_no_memory.py \
		tests/guest/test_bbrs_stress.py tests/guest/test_registers.py

lint: setup-dev	## ruff, mypy, and the limits of tools/check_tree.py
	@echo "== lint"
	@$(BIN)/ruff check src tests bench tools tsq packaging
	@$(BIN)/ruff format --check --quiet src tests bench tools tsq packaging
	@$(BIN)/mypy
	@$(BIN)/python tools/check_tree.py

unit: setup-dev	## the tests that need no kernel
	@echo "== tests that need no kernel"
	@$(BIN)/pytest -n $(shell nproc) tests/unit

kernel: setup
	@echo "== kernel (built once, then cached)"
	@# By a profile, if there is one: to train one takes longer than the tests gain by it.
	@$(BIN)/tsqlab kernel build --guided last

bench: setup-dev	## what a cell and a frame cost
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/speed.py
	@$(BIN)/python bench/airlink.py

bench-ns3: setup-dev	## the same uploads in ns-3, which it installs in the cache (0.5 GB)
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/ns3.py

BEFORE ?= HEAD
bench-pairs: setup-dev	## this tree beside BEFORE=REVISION and ns-3, and whether results are the same
	@$(BIN)/python bench/pairs.py $(BEFORE) --ns3

bench-compare: setup-dev	## what a frame costs beside the last commits of bench/record.csv; CI runs it
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/record.py

bench-record: setup-dev	## the same, and adds this commit to bench/record.csv
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/record.py --append

flame: setup-dev	## docs/flame-*.svg: where the time of three cells goes (needs perf)
	@$(BIN)/python bench/flame.py

readme: setup	## the README's figure and totals, from what `tsqlab run --all` left in results
	@$(BIN)/tsqlab report --all --readme README.md

setup: packages $(VENV)/installed	## the Debian packages, and tsqlab in .venv
setup-dev: packages $(VENV)/installed-dev	## and what the tests need

packages:
	@tools/packages.sh packages.txt

$(VENV)/installed: requirements.txt pyproject.toml
	@echo "== Python packages, in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tsqlab needs Python 3.11 \
	or newer, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=/path/to/another")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.txt
	@echo "== Python packages for the tests"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

clean:	## removes .venv and the tools' caches; kernels stay in ~/.cache/tsqlab
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

help:	## prints this
	@awk -F ':.*\t## ' '/^[a-z0-9-]+:.*\t## / { printf "%-16s%s\n", $$1, $$2 }' Makefile
