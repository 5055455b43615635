# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0

SHELL  := /bin/sh
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# What the tests need, and which tests run.
EXTRAS := nodes,cupynumeric,test
MARKS  := not slow
# Processes of `make sanitize`.
JOBS   ?= 2
# Processes that test: one more than cores, as some tests wait; each may take 2 GB of memory.
TESTERS ?= $(shell cores=$$(nproc) && echo $$((cores < 7 ? cores + 1 : 8)))
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq --no-input
# Modules are compiled when they are first imported, which most never are.
INSTALL := $(PIP) install --no-compile
# Of Lux's library, what needs no package is compiled while pip installs them.
AHEAD := { $(BIN)/python -m legate_config.ahead lux/runtime/mapper & } && $(INSTALL)
TYPED  := $(wildcard lux legate_config perfmodel)

# The legate launcher runs the first "python" and "mpirun" on PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Open MPI refuses the superuser unless told twice.
ifeq ($(shell id -u),0)
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
endif

# Tests start a hundred processes: none should compile the same modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: fuzz faults soak sanitize networkx-suite help run check check-tests test quick-tests test-newest test-all lint ruff mypy pyright format bench graph500 docs doctor clean
.DELETE_ON_ERROR:

help:
	@echo "make run     install what is needed into .venv and rank a generated graph's pages"
	@echo "make check   lint, type-check and run a few tests of everything: a minute or two once kernels are compiled"
	@echo "make test    lint, type-check and run the tests"
	@echo "make test-all  the same with those that take long and add little"
	@echo "make test-newest  run those for one process on the newest Legate, in .venv-newest"
	@echo "make fuzz    read 20,000 mutated files of every format: each is a graph, or an error of Lux"
	@echo "make faults  kill, stop and cut off processes, nodes and launchers; resume from checkpoints and compare"
	@echo "make soak    call each public function 100,000 times, or for 25 s: memory must not grow"
	@echo "make networkx-suite  run NetworkX's own tests with Lux: 0 may fail, and at most 15 more than without be expected to"
	@echo "make sanitize  run CUDA kernels on CPU cores, and the mapper, with the compiler's checks of addresses and of undefined behaviour"
	@echo "make lint    ruff, mypy and pyright only"
	@echo "make format  rewrite the sources as ruff wants them"
	@echo "make bench   run the benchmarks"
	@echo "make graph500  run the Graph500 benchmark at scale 18 on two cores, validated"
	@echo "make docs    make a site of the documentation in docs/build, with the notebooks run"
	@echo "make doctor  say what works on this machine"
	@echo "make wheel   build a wheel with compiled kernels in dist/"
	@echo "make clean   remove .venv and caches"
	@echo "PYTHON=python3.12 chooses an interpreter (3.11 to 3.13)"

run: $(VENV)/.run
	$(BIN)/legate --cpus 2 apps/pagerank.py --generate kronecker:18 --parts 2

# Only files that have such a test are collected, and ruff and mypy run beside them; make keeps their outputs apart.
check: $(VENV)/.test
	@begun=$$(date +%s) && $(MAKE) --no-print-directory --output-sync=target --jobs=3 ruff mypy check-tests && \
	  echo "make check: $$(($$(date +%s) - begun)) s"

check-tests: $(VENV)/.test
	LUX_TEST_QUICK=1 $(BIN)/python -m pytest -q -m check $$(grep -rl --include='test_*.py' 'mark\.check' tests)

# Several processes, each a file at a time, in the order of tests/conftest.py: most of a first run is compiling, which
# takes one core.
test: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint quick-tests

quick-tests: $(VENV)/.test
	LUX_TEST_QUICK=1 $(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 -m "$(MARKS)"

# The newest Legate that pyproject.toml admits; its wheels have no networking.
test-newest:
	$(MAKE) --no-print-directory VENV=.venv-newest EXTRAS=test MARKS="not slow and not multirank" quick-tests

test-all: lint
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# A new seed every day; a failure names the input, which stays in the folder that the first line names.
fuzz: $(VENV)/.test
	$(BIN)/python tests/fuzz/bombs.py
	$(BIN)/python tests/fuzz/fuzz.py 20000 $$(date +%Y%m%d) --jobs 2

# Jobs that lose a process, a node or their launcher, and 130 kills at random moments, each resumed and compared.
faults: $(VENV)/.test
	$(BIN)/python -m pytest -q tests/runtime/test_heartbeat.py tests/cluster/test_faults.py
	$(BIN)/python tests/faults/faults.py

# Memory of processes that call one public function 100,000 times, or for 25 seconds.
soak: $(VENV)/.test
	$(BIN)/python -m benchmarks.soak --jobs 2

# NetworkX's own tests with Lux, and those that are expected to fail without it.
networkx-suite: $(VENV)/.test
	$(BIN)/python tests/networkx_backend/networkx_suite.py --jobs 2

# CUDA kernels on CPU cores, and the mapper with its tasks, compiled with checks of addresses (ASan) and of all that C++
# leaves undefined (UBSan), but for addresses that kernels count from before an array (pointer-overflow). The first line
# compiles the library, as the compiler is slow where ASan is preloaded. A few tests launch every kind of task; those of
# forked processes, of memory and of interrupts are not for ASan.
SANITIZED := -fsanitize=address,undefined -fno-sanitize=vptr,pointer-overflow -fno-sanitize-recover=undefined
sanitize: export CXX := g++ $(SANITIZED)
sanitize: export ASAN_OPTIONS := detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1
sanitize: $(VENV)/.test
	$(BIN)/python -c 'from lux.runtime import mapper_library; mapper_library.built()'
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so.6)" \
	  $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile tests/cuda \
	  tests/engine/cpu/test_many_partitions.py tests/engine/repartition tests/runtime/test_launcher.py \
	  tests/runtime/test_team.py -m "$(MARKS) and not multirank" --ignore tests/cuda/test_memory_of_runs.py

lint: ruff mypy pyright

ruff: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

mypy: $(VENV)/.test
	$(BIN)/mypy $(TYPED)

# What editors make of users' programs. basedpyright is pyright with all that it needs in its wheels: it fetches nothing.
pyright: $(VENV)/.test $(VENV)-pyright/.done
	$(VENV)-pyright/bin/basedpyright --pythonpath $(BIN)/python --level error -p examples

$(VENV)-pyright/.done:
	$(PYTHON) -m venv $(VENV)-pyright
	$(VENV)-pyright/bin/python -m pip --disable-pip-version-check -qq --no-input install basedpyright==1.40.2
	@touch $@

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

graph500: $(VENV)/.run
	$(BIN)/legate --cpus 2 apps/graph500.py --scale 18

# A site in docs/build/, with the notebooks run; nothing is fetched.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W -q -b html docs docs/build
	@echo "open docs/build/README.html"

doctor: $(VENV)/.run
	$(BIN)/python -m legate_config doctor

clean:
	rm -rf .venv .venv-newest .venv-pyright build docs/api docs/build legate_config/compiled *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.pip:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Lux needs Python 3.11, 3.12 or 3.13, and there is no $(PYTHON):" \
	       "apt-get install python3 python3-venv, or make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "Lux needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is $$($(PYTHON) --version 2>&1):" \
	       "make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade 'pip>=26'
	@touch $@

$(VENV)/.run: pyproject.toml $(VENV)/.pip
	$(AHEAD) --editable '.[nodes]'; code=$$?; wait; exit $$code
	@$(MAKE) --no-print-directory native CALLS=--usual
	@touch $@

$(VENV)/.test: pyproject.toml $(VENV)/.pip
	$(AHEAD) --editable '.[$(EXTRAS)]'; code=$$?; wait; exit $$code
	@$(MAKE) --no-print-directory native
	@touch $@ $(VENV)/.run

$(VENV)/.bench: pyproject.toml $(VENV)/.pip
	$(AHEAD) --editable '.[$(EXTRAS),benchmarks]'; code=$$?; wait; exit $$code
	@$(MAKE) --no-print-directory native
	@touch $@ $(VENV)/.run $(VENV)/.test

$(VENV)/.docs: pyproject.toml $(VENV)/.pip
	$(INSTALL) --editable '.[nodes,docs]'
	@$(MAKE) --no-print-directory native
	@touch $@ $(VENV)/.run

# The driver's stand-in, Lux's library in Legate, kernels; and, by the doctor on its way, the link to libmpi.so. What is
# there already stays: `make run` compiles for calls with default arguments, and the other targets add the rest.
.PHONY: native
native:
	$(BIN)/python -m lux.app.precompile $(CALLS)
	$(BIN)/python -m legate_config doctor

# Its compiled code is for this Python and Numba, any NumPy, each Legate that pyproject.toml admits, and any x86-64 processor
# with AVX2: others compile at run time.
.PHONY: wheel
wheel: $(VENV)/.run
	$(BIN)/python -m lux.app.precompile --portable --each-legate
	$(PIP) wheel --no-deps --wheel-dir dist .
	@$(MAKE) --no-print-directory native
