# Two commands for a newcomer: `make run` and `make test`. Both print what they install.
# Everything is set up in .venv; system packages only where .ci/system-packages finds one missing.
SHELL := /bin/bash
# Tests start thousands of processes. Where the environment forbids compiled modules, each would compile the product anew.
export PYTHONDONTWRITEBYTECODE :=
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ROUNDS ?= 0
RULEBOOK ?= md-uth
SPEED ?= 20
BROKER ?= auto
KILLS ?= 1000
CUTS ?= 200
SOAK_ROUNDS ?= 100000
HOURS ?= 24
SETTLED_ROUNDS ?= 1000000
MODULE ?=
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11) and "tablewarden needs Python 3.11 or newer: make PYTHON=python3.11 ...")

.PHONY: run test panel compiled lint kill powercut hands rounds edges bench screenshots soak faults torture mutants lock deb docs bill audit clean setup rankers system guest

# A broker is mosquitto where it is, else one that pip installs: no root, no compiler.
run: $(VENV)/.run
	@[ $(BROKER) != auto ] || $(BIN)/python -c 'import sys; from simulators.bench.broker import is_there; sys.exit(not is_there())' || \
	  { echo "no mosquitto here: installing iotcore, checked by hash, as the broker of the bench"; \
	    $(BIN)/pip install -q --disable-pip-version-check --only-binary :all: --require-hashes -r requirements-bench.lock; } || true
	$(BIN)/tablewarden bench --demo --rulebook $(RULEBOOK) --rounds $(ROUNDS) --speed $(SPEED) --broker $(BROKER) --recorder --panel --watch

test: setup rankers system guest
	$(MAKE) --no-print-directory -j2 lint compiled
	$(BIN)/pytest -q -n 4 --dist worksteal --cache-clear || { [ $$? -eq 1 ] && $(BIN)/python -m tests.support.alone; }

# The tests are compiled once, beside the linters; else each worker does so for itself.
compiled: setup
	@TABLEWARDEN_ONLY_COMPILED=1 $(BIN)/pytest -q --collect-only > $(VENV)/collected || [ $$? -eq 5 ] || { cat $(VENV)/collected; exit 1; }

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The full forms; `make test` holds a short form of each.
# A daemon with all devices is killed at each append and at KILLS random instants, a writer at each write: an hour or so. Then
# as many records are deleted, renamed, rolled back, cut or lose their log at random moments, also beside a kill: some minutes.
kill: setup system
	KILLS=$(KILLS) $(BIN)/pytest -q -m full -k kill
	$(BIN)/python -m tests.disasters.run --count $(KILLS) $(if $(SEED),--seed $(SEED))

# Power goes at random instants of a bench in a machine of its own, and each disk that is left is judged: some ten minutes.
powercut: setup system guest
	$(BIN)/python -m tests.powercut.run --cuts $(CUTS) $(if $(SEED),--seed $(SEED))

hands: setup rankers
	$(BIN)/pytest -q -m full tests/controller/cards

# The house's part of every wager, from the pay tables as they stand: some twenty minutes.
edges: setup
	$(BIN)/pytest -q -m full tests/edges
	$(BIN)/python -m tests.edges

soak: setup
	$(BIN)/python -m tests.soak.run --rounds $(SOAK_ROUNDS) $(if $(SEED),--seed $(SEED)) \
	  $(if $(filter command line,$(origin RULEBOOK)),--rulebook $(RULEBOOK)) $(if $(DAY),--day $(DAY))
	$(BIN)/pytest -q -m full -k every_byte tests/drivers
	$(BIN)/pytest -q -m full tests/controller/cli/test_odd_bodies.py

# Each fault in each state of a session, then whole tables under faults by chance, on virtual time; HOURS=24 by default.
faults: setup
	$(BIN)/python -m tests.faults.gaps || true
	$(BIN)/pytest -q -m full -n 2 tests/faults
	$(BIN)/pytest -q tests/controller/control/test_shares.py
	$(BIN)/python -m tests.faults.soak --hours $(HOURS) $(if $(SEED),--seed $(SEED))
	$(BIN)/python -m tests.faults.soak --hours 0.25 --pause 10 --tables 1 --progressive modbus $(if $(SEED),--seed $(SEED))

# Recorder and PostgreSQL are killed KILLS times (100 by make torture), the broker 4, tables 9: some ten minutes.
torture: setup system
	KILLS=$(if $(filter command line,$(origin KILLS)),$(KILLS),100) $(if $(SEED),SEED=$(SEED)) \
	  $(BIN)/pytest -q -m full tests/controller/backoffice/recording/test_torture.py

rounds: setup
	$(BIN)/python -m tests.settling.rounds --rounds $(SETTLED_ROUNDS) $(if $(SEED),--seed $(SEED))

# One file, such as MODULE=controller/rules/model.py, or all that has changed since it was tried; ALL=1 takes hours.
mutants: $(VENV)-mutants/.ready
	$(VENV)-mutants/bin/python -m tests.mutants.run $(MODULE) $(if $(ALL),--all)

bench: setup rankers system
	$(BIN)/python -m tests.bench.figures

# ROUNDS rounds of each game (200; fewer are printed and not judged) by touch in a real browser: docs/dealer.md.
panel: setup system
	PANEL_ROUNDS=$(if $(filter command line,$(origin ROUNDS)),$(ROUNDS),200) $(BIN)/pytest -q -s -m full tests/controller/panel

# Each view of the panel in a few planted states, for the guides.
screenshots: setup system
	$(BIN)/python -m tests.screens.pictures

# Debian packages for Debian 12 and 13, in dist/: no debhelper, no root; `pytest -m full tests/debian` installs them in clean roots.
deb: setup
	PYTHONPATH=. $(BIN)/python debian/build.py $(RELEASE)

# The site of docs/ with the references made from the code, in build/site; a link or a heading that is not there fails.
docs: setup
	$(BIN)/python docs/site/make_site.py

# What a release brings from others: dist/*.cdx.json (CycloneDX) and the list of licences; one that is not allowed fails.
bill: setup
	$(BIN)/python -m supply.bill

# Licences and bill, then the locks against published advisories: NOT RUN (exit code 3 of the command) where no source answers.
audit: setup
	$(BIN)/python -m supply.bill
	@[ -x $(VENV)-audit/bin/pip-audit ] || { echo "installing into $(VENV)-audit: pip-audit, checked by hash"; $(PYTHON) -m venv $(VENV)-audit \
	  && $(VENV)-audit/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements-audit.lock; } || true
	$(BIN)/python -m supply.audit $(VENV)-audit/bin/pip-audit requirements.lock debian/requirements.lock requirements-bench.lock

# The lock for pyproject.toml; UPGRADE=1 brings each package to its newest release within the bounds.
lock: COMPILE = uv pip compile -q $(if $(UPGRADE),--upgrade)
lock:
	$(COMPILE) --generate-hashes --extra dev --extra peers --extra backoffice --extra panel --python-version 3.11 \
	  --no-header --no-annotate pyproject.toml -o requirements.lock
	$(COMPILE) --generate-hashes --extra panel --group run -c requirements.lock --python-version 3.11 \
	  --no-header --no-annotate pyproject.toml -o requirements-run.lock
	$(COMPILE) --generate-hashes --extra panel --extra backoffice -c requirements.lock --python-version 3.11 \
	  --no-header --no-annotate pyproject.toml -o debian/requirements.lock
	echo 'iotcore>=0.4,<0.5' | $(COMPILE) --generate-hashes --only-binary :all: --python-version 3.11 \
	  --no-header --no-annotate - -o requirements-bench.lock
	$(COMPILE) --generate-hashes --group rankers --python-version 3.11 \
	  --no-header --no-annotate -o requirements-rankers.lock
	$(COMPILE) --generate-hashes --extra dev --extra backoffice --extra panel --group mutants --python-version 3.11 \
	  --no-header --no-annotate pyproject.toml -o requirements-mutants.lock
	$(COMPILE) --generate-hashes --group audit --python-version 3.11 \
	  --no-header --no-annotate -o requirements-audit.lock

# What a table needs to run, and no tool of the tests. Where all is installed already, nothing is done.
$(VENV)/.run: requirements-run.lock pyproject.toml
	@if [ -e $(VENV)/.ready ]; then $(MAKE) --no-print-directory setup; else \
	  echo "installing into $(VENV): the packages of requirements-run.lock, each checked by hash"; \
	  $(PYTHON) -c '$(NEW_ENOUGH)' && $(PYTHON) -m venv $(VENV) \
	  && $(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-run.lock \
	  && $(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .; fi
	@touch $@

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	@echo "installing into $(VENV): the packages of requirements.lock, each checked by hash"
	$(PYTHON) -c '$(NEW_ENOUGH)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

rankers: $(VENV)/.rankers

$(VENV)/.rankers: $(VENV)/.ready requirements-rankers.lock
	@echo "installing into $(VENV): hand rankers by others, for tests and bench only, each checked by hash"
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-rankers.lock
	@touch $@

$(VENV)-mutants/.ready: requirements-mutants.lock
	@echo "installing into $(VENV)-mutants: the packages of requirements-mutants.lock, each checked by hash"
	$(PYTHON) -m venv $(VENV)-mutants
	$(VENV)-mutants/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements-mutants.lock
	@touch $@

system: setup
	@.ci/system-packages
	@.ci/promtool $(VENV)/promtool

guest: setup
	@.ci/guest-kernel $(VENV)/guest

clean:
	rm -rf build dist $(VENV) $(VENV)-mutants $(VENV)-audit mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis
