# Each target makes what it needs: from a fresh clone `make demo` or `make test` is the only command.
PYTHON ?= python3
BIN    := .venv/bin
KERNEL := comch_next/driver/emulated/_kernel

# A change in any of these asks for a new installation (which also compiles the ring and the C faces again).
FACES  := comch_next/capi
INPUTS := pyproject.toml setup.py comch_next/_version.py $(KERNEL)/build.py $(filter-out $(KERNEL)/_ring_c.c,$(wildcard $(KERNEL)/*.[ch])) \
	$(wildcard comch_next/api/*.json comch_next/api/*.py $(FACES)/_building/*.py $(FACES)/_sources/*) \
	comch_next/_attributes.c comch_next/_method.c comch_next/driver/protocol/_shield.c \
	$(wildcard comch_next/driver/native/_kernel/*.[ch]) comm_channel_compat/_launcher/audit.c

.DEFAULT_GOAL := help
.PHONY: help venv demo test compilers lint stress repeat bench docs clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

venv: .venv/installed  ## .venv with the project (editable) and its test tools

demo: .venv/installed  ## an old pair is migrated and verified, its messages are drawn; the files stay in build/demo
	@$(BIN)/python -m tools.demo

# Each worker begins with the tests of whole files, so that what they share is made once; idle ones take over the rest.
# Tests wait for processes, and these for each other, so two workers share a core.
test: compilers lint  ## ruff, mypy --strict and every test, by two workers for each core, eight at most
	@$(BIN)/python -m pytest --numprocesses $$((2 * $$(nproc))) --maxprocesses 8 --dist worksteal

# The tests compile the C and C++ programs of users.
compilers:
	@PYTHON="$(PYTHON)" sh tools/check_prerequisites.sh gcc g++

lint: .venv/installed  ## ruff and mypy --strict only
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m mypy

# COMCH_STRESS_SEED=n repeats a run, as far as the machine does.
stress: export COMCH_STRESS_SECONDS ?= 600
stress: .venv/installed  ## clients that are killed, hostile peers, threads and interrupts, calls in any order, migrated programs, for COMCH_STRESS_SECONDS (600) each
	@$(BIN)/python -m pytest -s tests/stress tests/fuzz tests/orders_model tests/threads tests/interrupts \
		tests/migrate/generated tests/migrate/test_control_paths.py tests/migrate/test_scopes.py

# COMCH_REPEAT_PART=1/2, then 2/2, split it into two runs.
repeat: .venv/installed  ## every old program is verified COMCH_REPEAT_TIMES (20) times: no false alarm; hours
	@$(BIN)/python -m tests.verify.repeated --times $${COMCH_REPEAT_TIMES:-20} --part $${COMCH_REPEAT_PART:-1/1}

bench: .venv/installed-bench  ## speed beside other libraries, in the same run; writes build/bench.json and pictures, build/bench*.svg
	@$(BIN)/python -m benchmarks

docs: .venv/installed-docs  ## the documentation as a site, build/site/index.html; a broken link or an undocumented name fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

clean:  ## take away what the other targets made
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf */capi/lib */capi/include */capi/pkgconfig */capi/cc-* */capi/comm_channel-*
	find comch_next comm_channel_compat migrate '(' -name '*.so' -o -name _ring_c.c ')' -delete

# The environment itself is made afresh only when it is not there or its Python has gone. Editable in the manner
# "compat" is one line of a path; in the other manners every interpreter that starts imports a finder first.
.venv/installed: $(INPUTS)
	@PYTHON="$(PYTHON)" sh tools/check_prerequisites.sh
	@$(BIN)/python -c 'import pip' 2>/dev/null || "$(PYTHON)" -m venv --clear .venv
	@echo "installing into .venv (once; about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--config-settings editable_mode=compat --editable '.[test]'
	@touch $@

.venv/installed-docs: .venv/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --config-settings editable_mode=compat --editable '.[docs]'
	@touch $@

# A rival that cannot be had is tried again next time, and the report names it; the others are measured.
.venv/installed-bench: .venv/installed
	@$(BIN)/python -m benchmarks._install && touch $@ || echo "measuring without what pip could not install"
