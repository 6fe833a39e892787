# Each target does all of its own set-up. Python 3.11 or newer is all that a machine needs.
PYTHON ?= python3
BIN := .venv/bin
RUNTIME := .venv/.runtime
DEV := .venv/.dev
DEMO := build/demo
MODEL := .venv/.model

# As an installation does by itself, unless it is told not to (PYTHONDONTWRITEBYTECODE): else each of
# the hundreds of processes that tests and benches start would compile everything anew.
COMPILE := $(BIN)/python -m compileall -q -j 0

.PHONY: help run test quick check fix bench laws eval model lock clean compiled

help:            ## show this list
	@grep -E '^[a-z]+: .*##|^[a-z]+:  +##' Makefile | sed -E 's/:.*## /\t/'

run: $(RUNTIME) model  ## serve the demo vault at http://127.0.0.1:8420
	@mkdir -p build && { [ -d $(DEMO) ] || cp -R demo $(DEMO); }
	$(BIN)/commonplace serve $(DEMO)

# The page's tests run by themselves: the browser's driver keeps an event loop open in its process.
test: check model compiled ## everything: checks, then all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile -q --ignore tests/web
	$(BIN)/python -m pytest -q tests/web

quick: compiled  ## the fast tests alone
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not slow" --ignore tests/web

check: $(DEV)    ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

fix: $(DEV)      ## mend what a tool can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: compiled  ## measure, beside ripgrep and a bare MCP server in the same run
	$(BIN)/python -m bench
	$(BIN)/python -m bench.suggestions
	$(BIN)/python -m bench.notes

laws: compiled   ## look long for a fault in suggestions: 100,000 new examples, 1,000 rounds of all at once
	$(BIN)/python -m pytest -q tests/core/test_critic_laws.py -k thousands --hypothesis-profile laws
	COMMONPLACE_ROUNDS=1000 $(BIN)/python -m pytest -q tests/live/test_together.py

eval: $(DEV) model ## measure how well search finds things: make eval SETS=FOLDER (layout: bench/eval.py)
	@[ -n "$(SETS)" ] || { echo "Name the folder of labelled sets: make eval SETS=FOLDER"; exit 2; }
	$(BIN)/python -m bench.eval $(SETS)

model: $(RUNTIME) ## install the model for search by meaning; offline afterwards
	@[ -f $(MODEL) ] || { $(BIN)/commonplace model install && touch $(MODEL); } \
	    || echo "No model: search goes by words alone until \`make model\` works."

lock: .venv/.made ## write the hash-locked requirement files anew
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate --no-header -q -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml --group build --group dev --universal --python-version 3.11 \
	    --generate-hashes --no-emit-index-url --no-annotate --no-header -q -o requirements-dev.txt

compiled: $(DEV)
	@$(COMPILE) src tests bench

clean:           ## remove everything that was installed or built
	rm -rf .venv .node build dist .pytest_cache .ruff_cache .hypothesis

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Commonplace needs Python 3.11 or newer; name it: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

$(RUNTIME): .venv/.made requirements.txt pyproject.toml hatch_build.py $(shell find web/src -type f)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	-@$(COMPILE) .venv/lib src
	@touch $@

$(DEV): $(RUNTIME) requirements-dev.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	-@$(COMPILE) .venv/lib
	@touch $@
