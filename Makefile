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

.PHONY: help run test quick engines check fix bench laws lanes savers eval model lock clean compiled package picture site release soak

help:            ## show this list
	@grep -E '^[a-z]+: .*##|^[a-z]+:  +##' Makefile | sed -E 's/:.*## /\t/'

run: $(RUNTIME) model  ## serve the demo vault at http://127.0.0.1:8420
	@mkdir -p build && { [ -d $(DEMO) ] || { cp -R demo $(DEMO) && $(BIN)/python scripts/sample_assistant.py $(DEMO); } \
	    || echo "The sample assistant could not work in the demo: there is nothing to review in it yet."; }
	$(BIN)/commonplace serve $(DEMO)

# Thousands of small vaults, none of which outlives its test: in memory, where there is enough, and
# where programs may be started from it, as they may not in many containers.
SCRATCH := $(shell ! grep -qs "^[^ ]* /dev/shm .*noexec" /proc/mounts && [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $$4 }')" -gt 4000000 ] 2>/dev/null \
    && echo /dev/shm || echo "$${TMPDIR:-/tmp}")

# Files go to whichever worker is free, in the order that tests/conftest.py gives them. Half of the
# tests wait for other processes or for the disk: six workers keep two processors busy. What pytest
# makes of test files is kept, as the compiled files are. A worker that dies ends the run: its
# successor would be given the same test again, and pytest-xdist can then wait for ever.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTEST_DEBUG_TEMPROOT=$(SCRATCH) $(BIN)/python -m pytest -q -n 6 --dist loadfile --no-loadscope-reorder --max-worker-restart=0

CHECKS := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright && $(BIN)/lint-imports

# The checks run beside the tests and are told after them: `make check` is for who wants them at once.
# What goes by the clock comes last and by itself: a browser that draws without a graphics card wants
# both processors.
test: model compiled site ## everything: checks and all tests
	@mkdir -p build; { $(CHECKS); } > build/check.txt 2>&1 & check=$$!; \
	$(PYTEST) -m "not timed" --ignore tests/engines; tests=$$?; \
	wait $$check; checks=$$?; cat build/check.txt; exit $$((tests || checks))
	$(BIN)/python -m pytest -q -m timed $$(grep -rl --include "test_*.py" "mark\.timed" tests)
	@echo "Left out: the tests over real databases (Neo4j, PostgreSQL). With a JDK 17 and Maven: make engines"

quick: compiled  ## the fast tests alone
	$(PYTEST) -m "not slow" --ignore tests/web --ignore tests/engines

# One line for each engine that gets ready; then the tests of all of them, and of the agent that most people have.
engines: compiled ## the tests over real databases, and Claude Code in the page; needs a JDK 17 and Maven for Neo4j, and PostgreSQL
	@$(BIN)/python -m tests.engines.postgres.server
	@$(BIN)/python -m tests.engines.neo4j_server
	COMMONPLACE_ENGINES=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --max-worker-restart=0 -m engines tests/engines tests/web/test_page_claude.py

check: $(DEV)    ## lint, format, types, layers
	$(CHECKS)

fix: $(DEV)      ## mend what a tool can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: compiled  ## measure, beside ripgrep and a bare MCP server in the same run
	$(BIN)/python -m bench
	$(BIN)/python -m bench.suggestions
	$(BIN)/python -m bench.notes

# Each of their tests may take as long as it wants.
LONG := $(BIN)/python -m pytest -q -o faulthandler_timeout=0

laws: compiled   ## look long for a fault in suggestions and history: 100,000 new examples, 20,000 sequences, 5,000 saves in an editor, 1,000 rounds of all
	$(LONG) tests/core/critic/test_laws.py -k thousands --hypothesis-profile laws
	$(LONG) tests/core/history/test_laws.py --hypothesis-profile laws
	$(LONG) tests/vault/documents/test_histories.py -k hundreds --hypothesis-profile laws
	$(LONG) tests/tools/test_pending_laws.py --hypothesis-profile laws
	COMMONPLACE_SAVES=5000 $(LONG) tests/vault/suggestions/test_editor_law.py
	COMMONPLACE_ROUNDS=1000 $(LONG) tests/live/test_together.py
	COMMONPLACE_SEEDS=100 $(LONG) tests/vault/remote_copy/test_copy_laws.py

lanes: compiled  ## both ways of a message, compared: 10,000 exchanges, 100,000 malformed messages
	LANES_MESSAGES=10000 LANES_MALFORMED=100000 $(LONG) tests/server/mcp/direct

savers: compiled ## programs that save notes while people type in them: make savers SAVES=20000
	@mkdir -p build
	$(BIN)/python -m tests.live.savers $(or $(SAVES),2000) build $(wildcard /dev/shm)

# What may happen to the nodes of a team's server, and to its database.
TEAM_FAULTS := $(patsubst %,tests/engines/postgres/test_%.py,busy_team kills faults network slow_reader)

soak: compiled   ## kills, hostile updates, malformed messages, slow readers for a while: make soak MINUTES=60 TURNS=200; of a team's server in full: TEAM=1
ifdef TEAM
	@$(BIN)/python -m tests.engines.postgres.server
	COMMONPLACE_KILLS=200 COMMONPLACE_KILL_NOTES=500 COMMONPLACE_STOP_SECONDS=30 \
	    $(LONG) -s -m engines $(TEAM_FAULTS)
else
	$(BIN)/python -m tests.live.soak $(or $(MINUTES),5) $(or $(TURNS),1)
endif

eval: $(DEV) model ## measure how well search finds things: make eval SETS=FOLDER (layout: bench/eval.py)
	@[ -n "$(SETS)" ] || { echo "Name the folder of labelled sets: make eval SETS=FOLDER"; exit 2; }
	$(BIN)/python -m bench.eval $(SETS)

model: $(RUNTIME) ## install the model for search by meaning; offline afterwards
	@[ -f $(MODEL) ] || { $(BIN)/commonplace model install && touch $(MODEL); } \
	    || echo "No model: search goes by words alone until \`make model\` works."

package: $(DEV) site  ## build wheel, source, the bundle for Claude Desktop; check them; into dist/
	$(BIN)/python -m release

release: package ## make package, and everything that is tried before a release
	COMMONPLACE_RELEASE=1 $(BIN)/python -m pytest -q tests/distribution tests/foreign tests/web/test_page_claude.py

picture: $(DEV)  ## film the page for README: docs/suggestion.gif
	$(BIN)/python -m release.film build/frames
	$(BIN)/python -m release.encode build/frames docs/suggestion.gif

site: $(DEV)     ## write the guide as a site, into build/site
	$(BIN)/commonplace site demo build/site --title "Commonplace, the guide"

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
