# Everything that a contributor runs. Needs Python 3.11 or newer, git and make; the rest is brought in by `setup`.
#
#   make demo    see it work          make test    the fast tests          make check   every gate          make help

UV_VERSION := 0.13.9
PYTHON     ?= $(shell command -v python3 || command -v python3.11)

UV    := .uv/bin/uv
BIN   := .venv/bin
STAMP := .venv/.synced

# uv is to use the Python that is there, and to keep quiet about environments other than ours.
export UV_PYTHON_DOWNLOADS := never
unexport VIRTUAL_ENV UV_PROJECT_ENVIRONMENT

TYPED  := src tests examples benchmarks
PYTEST := $(BIN)/pytest -n 2

# `make test COVERAGE=1` also measures; `make gates` judges what was measured.
COVER  := $(if $(COVERAGE),--cov --cov-report= --cov-fail-under=0)
# These are pure, so nothing excuses a line that no test reaches.
PURE   := core dialects strategies engine records
comma  := ,
empty  :=
space  := $(empty) $(empty)
PURE_FILES := $(subst $(space),$(comma),$(PURE:%=src/faithfold/%/*) src/faithfold/wire.py)

.DEFAULT_GOAL := help
.PHONY: help setup demo test laws lint gates check bench format docs build wheel-test clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-11s %s\n' "$$name" "$$what"; done

setup: $(STAMP) ## Bring in uv and the locked dependencies (every target does so by itself)

# A new UV_VERSION is a new stamp, so uv follows.
.uv/$(UV_VERSION):
	@echo "Getting uv $(UV_VERSION) ..."
	@$(PYTHON) -m venv --clear .uv
	@.uv/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(STAMP): .uv/$(UV_VERSION) pyproject.toml uv.lock
	@echo "Installing the locked dependencies ..."
	@$(UV) sync --frozen --all-extras --quiet
	@touch $@

demo: $(STAMP) ## Look into a long agent session, compact it, look again
	@mkdir -p build && rm -f build/compacted.json
	@echo "1. A coding agent's session, as it was saved: what is in it?"
	@echo "   $$ faithfold inspect examples/session.jsonl"
	@echo
	@$(BIN)/faithfold inspect examples/session.jsonl
	@echo
	@echo "2. Compact it: the first request and the newest steps stay whole, the steps between become one note."
	@echo "   $$ faithfold compact examples/session.jsonl -o build/compacted.json"
	@echo
	@$(BIN)/faithfold compact examples/session.jsonl -o build/compacted.json
	@echo
	@echo "3. The result is a conversation like the first, only shorter: what is in it now?"
	@echo "   $$ faithfold inspect build/compacted.json"
	@echo
	@$(BIN)/faithfold inspect build/compacted.json

test: $(STAMP) ## The fast tests
	@mkdir -p build
	$(PYTEST) -m "not slow" $(COVER)

laws: $(STAMP) ## The laws at 1,000 examples each, and the slow tests
	$(PYTEST) -m "laws or slow" --hypothesis-profile=ci

lint: $(STAMP) ## Format, style, types, boundaries, lock file
	$(BIN)/ruff format --check $(TYPED)
	$(BIN)/ruff check $(TYPED)
	$(BIN)/mypy $(TYPED)
	$(BIN)/pyright
	$(BIN)/lint-imports --cache-dir build/import-linter
	$(UV) lock --check --quiet

gates: $(STAMP) ## Judge the coverage of the last `make test COVERAGE=1`
	$(BIN)/coverage report --include='$(PURE_FILES)' --fail-under=100
	$(BIN)/coverage report

check: lint docs ## Every gate: lint, docs, tests with coverage
	@$(MAKE) --no-print-directory test COVERAGE=1
	@$(MAKE) --no-print-directory gates

bench: $(STAMP) ## How fast it is, beside the reference implementation in the same run
	@$(BIN)/python -m benchmarks.compact
	@echo
	@$(BIN)/python -m benchmarks.engine

format: $(STAMP) ## Put the code in form
	$(BIN)/ruff format $(TYPED)
	$(BIN)/ruff check --fix $(TYPED)

docs: $(STAMP) ## Build the documentation site into build/site; a broken link fails
	$(BIN)/zensical build --clean --strict

build: $(STAMP) ## Wheel and sdist into dist/
	@rm -rf dist
	$(UV) build --quiet --out-dir dist

wheel-test: build ## Install the wheel alone in a clean environment and use it
	.ci/wheel-test $(UV) dist/*.whl

clean: ## Remove what was built (the environments stay; remove .venv and .uv by hand)
	rm -rf build dist .cache .hypothesis
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
