# A menu: every verb is a line or two that call what does the work.

SHELL := bash
.DEFAULT_GOAL := help
JOBS ?= 2

# Python keeps what it has compiled, whatever the shell says: it starts hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
# Files that git tracks or would track, and that are there.
FILES = $(wildcard $(shell git ls-files --cached --others --exclude-standard --deduplicate $(1)))
CPP = $(call FILES,'*.cpp' '*.h')
CMAKE = $(call FILES,'CMakeLists.txt' '*/CMakeLists.txt' '*.cmake')
SHELL_SCRIPTS = $(shell grep --files-with-matches '^\#!.*sh$$' $(call FILES,'tools/*' '.ci/*'))
GERSEMI = $(BIN)/gersemi --indent 2 --line-length 100
NINJA = @tools/compile -j $(JOBS) -C
# PART=check: what `make check` runs of a suite; PART=rest: what it leaves to `make check-all`.
PART ?= all
# A test that fails is run once more, alone, to tell the unsteady from the broken; the check fails
# in both cases (tests/unsteady.toml). Nothing runs twice under a sanitizer, nor does a unit test.
PYTEST = $(BIN)/pytest --quiet -rs --part=$(PART)
again = $(BIN)/python -m tools.run_failed_again $(1) --part=$(PART)
# Tests that check what is right, and not how long it takes, run several at a time: most of them
# wait.
TOGETHER = --numprocesses $(shell echo $$((4 * $(JOBS))))
alone = $(PYTEST) $(1) $(2) || $(call again,$(1)) $(2)
together = $(PYTEST) $(TOGETHER) $(1) $(2) || $(call again,$(1)) $(2)
# For which each target is fuzzed.
SECONDS ?= $(if $(filter check,$(PART)),2,60)
# For which servers are soaked, and with which random numbers.
MINUTES ?= 30
SEED ?= 1
SPHINX = $(BIN)/sphinx-build --quiet --nitpicky --fail-on-warning --conf-dir docs
OF_ONE_THREAD = *Session*:*Client*:*Request*:*Parser*:*Halves*:*Parts*:Schedule*:ArrivalQueue*
UNITS = ctest --output-on-failure --no-tests=error --parallel $(JOBS) --test-dir

help: ## print this
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## install what demo and check need: Debian packages, and Python packages into .venv
	@tools/setup

build: build/release/build.ninja ## build the native programs into build/release
	$(NINJA) build/release serverlab-programs

demo: ## from nothing to a first report
	@echo 'about 5 minutes on two cores: 1 to install, 1.5 to build, 2.5 to measure'
	@tools/setup demo
	@$(MAKE) --no-print-directory build
	$(BIN)/serverlab run experiments/quickstart.toml

setup-cluster: ## what check-cluster needs beside setup: iproute2, and Ray into .venv
	@tools/setup-cluster

contestants: build ## build the servers of others that this machine can build
	$(BIN)/python -m tools.build_contestants

setup-go: ## build the Go programs that tests of `make check-all` ask for, into build/go
	@tools/setup-go

check: ## set up and check what every change has to pass, the quick things first
	@tools/check

check-all: ## after `make check`: all that it leaves out, every test with every engine
	@tools/check rest

fmt: ## format C++, CMake and Python
	$(BIN)/clang-format -i $(CPP)
	$(GERSEMI) --in-place $(CMAKE)
	$(BIN)/ruff format --quiet .

fmt-check: ## is everything formatted?
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(GERSEMI) --check $(CMAKE)
	$(BIN)/ruff format --check --quiet .

lint: lint-scripts lint-cpp ## every linter

lint-scripts: ## ruff over Python, bash -n over shell scripts
	$(BIN)/ruff check --quiet .
	set -e; for script in $(SHELL_SCRIPTS); do bash -n $$script; done

lint-cpp: build/release/build.ninja ## clang-tidy over C++; remembers what has passed
	$(BIN)/python tools/lint_cpp.py --jobs $(JOBS) build/release

alone: build/debug/all ## each source compiled alone: does it include what it needs?

types: ## mypy, strictly
	$(BIN)/mypy

imports: ## do Python's modules keep to their layers?
	$(BIN)/lint-imports

# Each has one process: two at a time take the time of one. What an output says stays together.
texts: build ## types, tidy and docs at the same time
	@$(MAKE) --no-print-directory --jobs $(JOBS) --output-sync=target types tidy docs

tidy: build ## limits, layers, words, documents against programs
	$(BIN)/pytest --quiet tests/tidy

unit: build/release/all ## the C++ unit tests
	$(UNITS) build/release

lab: TOGETHER = --numprocesses $(shell echo $$((2 * $(JOBS)))) # they compute more than they wait
lab: build ## the laboratory's own tests
	$(call together,tests/lab)

conformance: build/release/all ## every engine with every service
	$(call together,tests/conformance,--engines-each=2)

hostile: build/release/all ## every engine against peers that do their worst
	$(call together,tests/hostile)

faults: build/release/all ## calls that fail, kills and jumps of the clock
	$(call together,tests/faults)

check-distributions: ## README's two commands on bare Debian 12, 13 and sid: an hour
	@tools/check-distributions

check-cluster: build setup-cluster ## hosts inside this machine, and a Ray cluster of them
	$(BIN)/pytest --quiet -rs tests/cluster

soak: build/release/all ## every engine under hostile and good clients, MINUTES=30
	$(BIN)/python -m tools.soak --minutes $(MINUTES) --seed $(SEED)

sbom: build ## what serverlab is made of, into build/sbom.json
	$(BIN)/python -m tools.sbom build/sbom.json

check-consistency: build ## 30 s of posters and readers for every engine: is any reply wrong?
	SERVERLAB_CONSISTENCY_S=30 $(BIN)/pytest --quiet tests/conformance/test_forum_consistency.py

check-churn: build ## 100 000 short connections to every engine: does anything stay behind?
	SERVERLAB_CHURN=100000 $(BIN)/pytest --quiet tests/conformance/test_short_connections.py

instrument: build/release/all ## does the load generator measure what is there?
	$(call alone,tests/instrument)

# Of what uses sockets `make check` has the hostile suite alone, in which sanitizers find most: what
# fuzzing found, for every engine and service, and perturbed hand-overs, each test with one engine.
# `make check-all` has both suites, each test with some engines; under the thread sanitizer these
# are of several threads. By themselves these steps have every test with every engine.
SANITIZED = SERVERLAB_BUILD=$@ $(PYTEST) $(TOGETHER) tests/hostile
ifeq ($(PART),rest)
SANITIZED += tests/conformance --part=check --engines-each=6
else ifeq ($(PART),all)
SANITIZED += tests/conformance
endif

asan: build/asan/all ## the unit tests and what uses sockets under the address sanitizer
	$(if $(filter rest,$(PART)),,$(UNITS) build/$@)
	$(SANITIZED)

# `make check` leaves the unit tests of what one thread has to itself.
tsan: build/tsan/all ## the same under the thread sanitizer
	$(if $(filter all,$(PART)),,GTEST_FILTER='$(if $(filter check,$(PART)),-)$(OF_ONE_THREAD)') \
	  $(UNITS) build/$@
	$(SANITIZED) $(if $(filter all,$(PART)),,--threaded)

docs: build ## the site and the manual pages, into build/docs; a link to nothing is an error
	$(SPHINX) --builder html . build/docs/site
	$(SPHINX) --builder man . build/docs/man

fuzz: build/fuzz/build.ninja ## libFuzzer on every target, SECONDS=60 each
	$(NINJA) build/fuzz serverlab-fuzz
	$(BIN)/python -m tools.fuzz --seconds $(SECONDS) --jobs $(JOBS)

fuzz-keep: build/fuzz/build.ninja ## the same, and add to fuzz/corpus what reaches further
	$(NINJA) build/fuzz serverlab-fuzz
	$(BIN)/python -m tools.fuzz --seconds $(SECONDS) --jobs $(JOBS) --keep

bench-abstraction: build/release/all ## what the erased session costs, against a hand-written echo
	$(BIN)/python -m bench.abstraction

bench-duels: build ## how often a duel calls a server different from itself, and finds 3 % planted
	$(BIN)/python -m bench.duels

bench-edges: build ## what each engine costs more than its neighbour, into docs/edges.json
	$(BIN)/python -m bench.edges 45

bench-engines: build ## what a request costs each engine, beside Tokio, Go, libuv and Asio
	$(BIN)/python -m bench.engines

bench-idle-node: build setup-cluster ## what an idle Ray node beside a server costs it
	$(BIN)/python -m bench.idle_node

bench-parts: build ## a load in parts, beside one generator
	$(BIN)/python -m bench.parts

bench-kv: build/release/all ## what a request to kv-resp costs, beside Debian's redis-server
	$(BIN)/python -m bench.kv

bench-load: build/release/all ## the generator, against other people's
	$(BIN)/python -m bench.load

bench-memory: build ## what an idle connection costs each engine, in user space and in the kernel
	$(BIN)/python -m bench.memory

bench-planted: build ## whether the ledger finds planted costs at their size
	$(BIN)/python -m bench.planted

bench-lanes: build ## whether the lanes of explain --tail add up to the latency
	$(BIN)/python -m bench.lanes

bench-slices: build ## the same server twice, in slices: how exact is the ruler?
	$(BIN)/python -m bench.same_server_twice

check-scale: build ## 200 000 connections on this machine: opened, alive, connect rate, memory
	$(BIN)/python -m bench.scale

check-alarms: build ## how often is an engine called different from itself, in runs and duels?
	$(BIN)/python -m bench.alarms $(ENGINES)
	$(BIN)/python -m bench.duels 20 0

clean: ## remove what was built
	rm -rf build

# What `make demo` does not install is installed by the first target that needs it.
$(BIN)/pytest:
	@tools/setup

fmt fmt-check lint-scripts lint-cpp types imports tidy unit lab conformance hostile faults \
  instrument asan tsan fuzz docs: | $(BIN)/pytest

build/%/all: build/%/build.ninja FORCE
	$(NINJA) build/$*

# Always, since what CMake did not find may be there now; it takes a tenth of a second.
build/%/build.ninja: FORCE
	@cmake --preset $* >/dev/null

.PRECIOUS: build/%/build.ninja
.PHONY: FORCE help setup setup-go build demo check check-all fmt fmt-check lint lint-scripts \
  lint-cpp alone types imports texts tidy docs unit lab conformance hostile faults soak sbom \
  check-churn check-consistency check-cluster check-distributions setup-cluster contestants \
  instrument asan tsan fuzz fuzz-keep bench-abstraction bench-duels bench-edges bench-engines \
  bench-idle-node bench-kv bench-load bench-lanes bench-memory bench-parts bench-planted \
  bench-slices check-alarms check-scale clean
