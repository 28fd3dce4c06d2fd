# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that the README promises. Only `packages` needs root (or sudo), and
# only when one is missing.

PYTHON := /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)

.PHONY: demo test test-sanitized lint setup setup-dev packages bench bench-ns3 readme clean

demo: setup
	@echo "== kernel (built once, then cached)"
	@$(BIN)/tsqlab kernel build
	@echo "== the demo: one upload over Wi-Fi, with stock TSQ, 6 ms of it, and none"
	@$(BIN)/tsqlab run cotsq-3 --jobs $(shell nproc) --out results/demo \
		--set 'length="20 s"' --set 'delay="2 s"' --set 'seed=[1, 2, 3]'

test: setup-dev lint
	@echo "== kernels (built once, then cached)"
	@$(BIN)/tsqlab kernel build --version 6.12
	@$(BIN)/tsqlab kernel build --version 6.1
	@echo "== tests"
	@$(BIN)/pytest -n $(shell nproc)

# A thousand times what `make test` does a few times, over a kernel that watches
# itself (KASAN, UBSAN, lockdep, kmemleak): an hour.
test-sanitized: setup-dev
	@$(BIN)/pytest -n $(shell nproc) --dist worksteal --sanitized tests/guest/test_stress.py

lint: setup-dev
	@echo "== lint"
	@$(BIN)/ruff check src tests bench tools
	@$(BIN)/ruff format --check --quiet src tests bench tools
	@$(BIN)/mypy

bench: setup-dev
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/speed.py
	@$(BIN)/python bench/airlink.py

# Installs ns-3 in the cache, 0.5 GB.
bench-ns3: setup-dev
	@$(BIN)/tsqlab kernel build
	@$(BIN)/python bench/ns3.py

# The README's figure and totals, from what `tsqlab run --all` left in results.
readme: setup
	@$(BIN)/tsqlab report --all --readme README.md

setup: packages $(VENV)/installed
setup-dev: packages $(VENV)/installed-dev

packages:
	@missing=$$(sed 's/#.*//' packages.txt | xargs -n1 | while read -r name; do \
		dpkg-query -W -f='$${Status}\n' "$$name" 2>/dev/null \
			| grep -q 'ok installed' || echo "$$name"; done); \
	if [ -n "$$missing" ]; then \
		echo "== Debian packages:" $$missing; \
		$(SUDO) apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq \
			--no-install-recommends $$missing; \
	fi

$(VENV)/installed: requirements.txt pyproject.toml
	@echo "== Python packages, in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.txt
	@echo "== Python packages for the tests"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
