# Needs git, make and Python 3.11, 3.12 or 3.13 with venv; everything else is installed into .venv at pinned versions.
#   make reports      every dataset and paper, from the raw logs (reports/index.html)
#   make check        every study held against its sidecars and SHA256SUMS; what is rendered, against what is published
#   make test         what CI runs: lint, types, layers, all tests
#   make quick        a cut through all tests, about a minute on two cores
#   make random       the tests that draw their cases, ten times, each time with others (ROUNDS=100 make random)
#   make fuzz         a million damaged logs, hours, and on where it was stopped (START=1000000 COUNT=1000 for others)
#   make audit        the pinned dependencies against a database of known vulnerabilities, where one can be reached
#   make lowest       quick tests with the oldest packages that pyproject.toml permits (needs uv and Python 3.11)
#   make pythons      quick tests on each Python that is here of those that are supported, with the pinned packages
#   make docs         the documentation, with its snippets run and figures drawn (build/site/index.html)
#   make lab          the notebooks in JupyterLab, which is installed the first time
#   make benchmarks   how fast, as Markdown tables (docs/speed.md)
#   make lock         resolve requirements/*.txt anew (needs uv)
#   make clean        remove .venv and the caches; reports and raw data stay
# Another interpreter: make reports PYTHON=/path/to/python3.12. Other options of pytest: make test PYTEST="-n 4".
# Papers side by side: one more than there are cores, or make reports JOBS=1.

PYTHONS ?= python3.13 python3.12 python3.11
PYTHON ?= $(PYTHONS) python3
# Tests wait for programs and for the disk a quarter of their time: three workers keep two cores busy.
PYTEST ?= -n 3 --dist worksteal
JOBS ?= 0
ROUNDS ?= 10
START ?= 0
COUNT ?= 1000000
VENV := .venv
RUN := $(VENV)/bin/python
# What is imported is compiled then: of 200 MB of source that is a quarter.
PIP := $(RUN) -m pip --disable-pip-version-check install --quiet --no-compile
UV ?= uv
# No package runs code of its own when it is installed but those named: tests/audit.py says why.
WHEELS := --only-binary :all: --no-binary antlr4-python3-runtime

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export DVC_NO_ANALYTICS := 1
# A hundred programs start in a run: each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: reports check test quick lowest pythons random fuzz audit lab lint docs benchmarks lock clean

reports: $(VENV)/reports.stamp
	$(RUN) -m storagelab reports --jobs $(JOBS)

# All studies are looked at, also behind one that is wrong, by two programs at a time.
check: $(VENV)/reports.stamp
	@printf '%s\n' $(dir $(wildcard raw/*/study.yaml)) | xargs -r -n 3 -P 2 $(RUN) -m storagelab check

# Many small matrices: threads of BLAS would only wait for each other.
test quick random: export OPENBLAS_NUM_THREADS := 1
test: lint
	$(RUN) -m pytest $(PYTEST)

quick: $(VENV)/test.stamp
	$(RUN) -m pytest $(PYTEST) -m "not slow and not costly" --hypothesis-profile quick

# What fails here is drawn by luck: pin it as an @example, so that it is tried from then on.
random: $(VENV)/test.stamp
	for round in $$(seq $(ROUNDS)); do $(RUN) -m pytest $(PYTEST) -m hypothesis --hypothesis-profile random || exit 1; done

# Each mutant has a number: START=1000000 goes on where a run of a million ended.
fuzz: $(VENV)/test.stamp
	$(RUN) -m tests.fuzz --start $(START) --count $(COUNT) --kept $(VENV)/fuzz-mutants.jsonl
	$(RUN) -m tests.fuzz --cuts --start $(START) --count $$(($(COUNT) / 10)) --kept $(VENV)/fuzz-cuts.jsonl

audit: $(VENV)/test.stamp
	$(RUN) -m tests.audit

lab: $(VENV)/lab.stamp
	$(RUN) -m jupyterlab notebooks

# Warnings that packages of that age give of each other are no faults of ours.
lowest:
	$(UV) venv --quiet --clear --python 3.11 $(VENV)/lowest
	$(UV) pip install --quiet --python $(VENV)/lowest/bin/python --resolution lowest-direct --only-binary darshan \
	  --editable ".[all,darshan,cluster]"
	$(UV) pip install --quiet --python $(VENV)/lowest/bin/python hypothesis psutil pytest pytest-xdist ruamel.yaml sphinx
	$(VENV)/lowest/bin/python -m pytest $(PYTEST) -m "not slow and not costly" --hypothesis-profile quick \
	  -W ignore::DeprecationWarning -W ignore::FutureWarning -W "ignore:numpy.ndarray size changed"

# Each has a folder of its own beside the others, and what fails on one is not hidden by the next.
pythons:
	status=0; for python in $(PYTHONS); do \
	  command -v "$$python" >/dev/null || { echo "make: $$python is not here" >&2; continue; }; \
	  $(MAKE) --no-print-directory quick PYTHON="$$python" VENV=$(VENV)/`basename "$$python"` || status=1; \
	done; exit $$status

lint: $(VENV)/test.stamp
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/test.stamp
	$(RUN) -m sphinx --fail-on-warning --keep-going --nitpicky --quiet -d build/site.made docs build/site

benchmarks: $(VENV)/test.stamp
	$(RUN) -m benchmarks

# A stamp is older than a changed requirements file, so the second run of a command installs nothing.
$(VENV)/reports.stamp: requirements/reports.txt pyproject.toml | $(RUN)
	@echo "installing into $(VENV): once, a minute or two, about 700 MB"
	$(PIP) --use-pep517 --require-hashes $(WHEELS) --requirement requirements/reports.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/test.stamp: requirements/test.txt $(VENV)/reports.stamp
	$(PIP) --use-pep517 --require-hashes $(WHEELS) --requirement requirements/test.txt
	@touch $@

$(VENV)/lab.stamp: requirements/lab.txt $(VENV)/reports.stamp
	$(PIP) --use-pep517 --require-hashes $(WHEELS) --requirement requirements/lab.txt
	@touch $@

$(RUN):
	@command -v git >/dev/null || { echo "make: git is missing: install git first" >&2; exit 1; }
	@for python in $(PYTHON); do \
	  "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || continue; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || { without=$$python; continue; }; \
	  echo "creating $(VENV) with `command -v "$$python"`"; \
	  exec "$$python" -m venv $(VENV); \
	done; \
	if test -n "$$without"; then \
	  echo "make: $$without has no venv module (on Debian and Ubuntu: apt install python3-venv)"; \
	else \
	  echo "make: found no Python 3.11, 3.12 or 3.13 (tried: $(PYTHON)); install one, or say make PYTHON=/path/to/python"; \
	fi >&2; exit 1

# One resolution for Python 3.11 and later; the reports' pins are those of the tests, and JupyterLab changes none.
lock:
	$(UV) pip compile pyproject.toml requirements/build.in --extra all --extra test --extra docs $(LOCK) --output-file requirements/test.txt
	$(UV) pip compile pyproject.toml requirements/build.in --extra all --constraint requirements/test.txt $(LOCK) \
	  --output-file requirements/reports.txt
	$(UV) pip compile pyproject.toml requirements/build.in --extra all --extra lab --constraint requirements/test.txt $(LOCK) \
	  --output-file requirements/lab.txt
LOCK := --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-emit-index-url \
  --no-emit-find-links --no-header --no-annotate

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
