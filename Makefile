# SPDX-License-Identifier: Apache-2.0
# Entry points for people. Each target does all the set-up that it needs.
#   make run     an MoE expert's RTL behind DDR5, attention of a layer behind flash, checked, with a report
#   make test    the tests of every unit, in minutes; FILES=test/golden runs a part
#   make test-full  every test: full size, all parameters, injected faults, synthesis; FILES as above
#   make lint   every static check; CHECKS="tsc eslint" runs some
#   make diagrams  block diagrams of docs/explanation/hardware.md, from the RTL
#   make lists     file lists and FuseSoC cores of the units, from the RTL
#   make ports     docs/reference/ports.md, from the RTL, and its timing diagrams, from runs of the RTL
#   make reference docs/reference/scenarios.md, from the schema of scenarios
#   make build   all that is compiled   make bench  speeds, as ratios measured in one run
#   make fuzz   broken and absurd inputs to every command: FUZZ_INPUTS (2000) of them, from FUZZ_SEED (1)
#   make crash  kills builders, builds and explorations at moments from NEARDATA_SEED, many times
#   make fuzz-cxx  the C++ that reads bytes, with libFuzzer: FUZZ_SECONDS (60) for each of its mains
#   make sanitize  addon, benches and C++ checks under sanitizers, sessions side by side: PARTS of .ci/sanitize
#   make token   whole windows of a mixture of experts against figures made elsewhere, 32 of its steps on
#                RTL; NEARDATA_TOKEN_WINDOWS (0,20) of them
#   make prove   properties of the RTL that solvers decide, and a fault of each that they refute:
#                PROVE=--quick is the set of continuous integration; names and other flags go there, too
#   make mutants  plants faults, MUTANTS_COUNT (20) in each folder or in those of MUTANTS_IN, there in all files or
#                in MUTANTS_FILES, and says which the tests nearest to them do not find; goes on where it was stopped
#   make formats  experts in every format of weights at full size, on RTL and cycle models: an hour or two
#   make coverage  which lines, branches and situations of the RTL the tests reach
#   make docs  the documentation site with the TypeScript API and a search: build/site/dist
#   make reproduce-long  experiments of hours, kept in build/long where they go on, and recorded for the pages
#   make package  packs, installs the tarball into an empty folder and uses its entry points there
#   make doctor  what is installed and what is missing      make clean  remove what was built
# SCENARIO and OUT choose another run: make run SCENARIO=my.yaml OUT=runs/mine

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build
.PHONY: run test test-full lint build docs bench coverage prove crash mutants search nightly reproduce-long token formats fuzz fuzz-cxx sanitize clean \
  doctor diagrams lists ports reference node tools tools-lint tools-fuzz tools-prove addon units

# Names of tests that coverage runs.
COUNTED := ^(?!.*(paper's size|full width|planted|injected|caught by its reference|held to it))

SCENARIO ?= scenarios/main.yaml
OUT ?=

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)
# Everything that is built shares these jobs, the addon's make and the RTL units' builder, too.
MAKEFLAGS += -j$(CMAKE_BUILD_PARALLEL_LEVEL)

# True under `make -n`, which also runs what gets make's jobs (lines with a plus sign).
DRY := [[ "$${MAKEFLAGS%% *}" == *n* ]]

NEARDATA := node src/cli/neardata.js
TS_SOURCES := $(shell find src -name '*.ts')
ADDON_SOURCES := $(shell find native sim -name '*.h' -o -name '*.cc' -o -name '*.txt' -o -name '*.cmake' -o -name '*.py')
# npm's own record of what it installed.
MODULES := node_modules/.package-lock.json
SITE_MODULES := tools/site/node_modules/.package-lock.json
ADDON := build/native/Release/neardata.node
# Types of what the addon takes and gives, from its own layout.
LAYOUT := build/native/layout.d.ts
# The addon with the channels of an installed Ramulator 2.0 or 2.1, where the variable names one.
RAMULATOR_ADDON := $(if $(RAMULATOR2_DIR),build/native/Release/neardata_ramulator.node)

run: build units
	$(NEARDATA) run $(SCENARIO) $(if $(OUT),--out $(OUT))

# The RTL of the scenario, beside the addon.
units: build/js/.built | tools
	+@$(DRY) || NEARDATA_MAKE_JOBS=1 $(NEARDATA) run $(SCENARIO) --build-only

# Files or folders, or parts of their paths; all of the default tests without one. A file of the full set is run
# where it is named.
FILES ?=
VITEST := npx --no-install vitest run --config test/config/vitest.config.ts
DEFAULT_TESTS := --project unit --project rtl

test: build
	NEARDATA_TEST_MODELS=$(if $(FILES),needed,all) $(VITEST) $(if $(findstring .full.,$(FILES)),,$(DEFAULT_TESTS)) $(FILES)

test-full: build
	NEARDATA_TEST_FULL=1 $(VITEST) $(FILES)

# Counting models are built beside the others and never mix with them. Full-size units have no line
# that small ones lack and count for hours; planted faults and comparisons of two models are no coverage.
coverage: build
	rm -rf build/coverage && mkdir -p build/coverage
	NEARDATA_TEST_FULL=1 NEARDATA_COVERAGE=$(CURDIR)/build/coverage $(VITEST) test/rtl \
	  --exclude '**/sparf-engine-full.*' --exclude '**/sparf-injected.*' --exclude '**/clock-gates.*' \
	  --exclude '**/sparf-streams.full.*' --exclude '**/port-record.*' -t "$(COUNTED)" \
	  --hookTimeout 3600000 --testTimeout 3600000
	$(NEARDATA) coverage build/coverage --out build/coverage/coverage.html

PROVE ?=
prove: build/js/.built | tools-prove
	$(NEARDATA) prove $(PROVE)
	$(NEARDATA) prove --inject $(PROVE)

# Programs that the inputs are given to run with a data limit; see test/fuzz/main.ts for all settings.
fuzz: build
	rm -rf build/fuzz
	npx --no-install rolldown test/fuzz/main.ts --dir build/fuzz --platform node --format esm >/dev/null
	node build/fuzz/main.js

# The draw is that of MUTANTS_SEED (1), from number MUTANTS_FROM (0) on; MUTANTS_AGAIN=1 judges survivors again.
mutants: build
	npx --no-install rolldown test/mutants/main.ts --dir build/mutants --platform node --format esm \
	  --external typescript >/dev/null
	NEARDATA_TEST_FULL=1 node build/mutants/main.js

# Cases in which RTL and cycle model might disagree, for SEARCH_SECONDS; test/search/main.ts has all settings.
search: build
	npx --no-install rolldown test/search/main.ts --dir build/search/program --platform node --format esm \
	  >/dev/null
	node build/search/program/main.js

# Eight hours of cases that no run had before, each night with another seed.
nightly: export SEARCH_SECONDS ?= 28800
nightly: export SEARCH_SEED ?= $(shell date +%Y%m%d)
nightly: search

crash: build
	NEARDATA_TEST_FULL=1 NEARDATA_CRASH=1 $(VITEST) test/crash test/cli/killed test/explore/sweep \
	  --hookTimeout 3600000 --testTimeout 3600000

# All windows of the trained models' text that do not overlap.
LONG_WINDOWS := $(shell seq -s, 0 2 126)
LONG_EVAL := lm eval --windows $(LONG_WINDOWS)
TINYMOE := --model data/tinymoe/tinymoe.safetensors --assume num_experts_per_tok=4
STEPS ?= 3
STORED := fp8 int8 int4 mxfp4 mxfp8 nvfp4 mxfp8-e5m2 int4-32 int4-zero-point int4-zero-point-32
reproduce-long: build
	.ci/record instinfer-units reproduce instinfer --fidelity cycle --only instinfer/figure-16
	.ci/record instinfer-devices reproduce instinfer --fidelity cycle --only instinfer/devices
	.ci/record instinfer-prefill reproduce instinfer --fidelity cycle --only instinfer/prefill-devices
	.ci/record llmshare-seeds reproduce llmshare --only llmshare/seeds --seeds 24 --out build/long
	.ci/record trimoe-steps reproduce trimoe --fidelity cycle --only trimoe/steps --steps $(STEPS) --out build/long
	.ci/record trimoe-topologies reproduce trimoe --fidelity cycle --only trimoe/topologies
	.ci/record trimoe-layer-topologies reproduce trimoe --fidelity cycle --only trimoe/layer-topologies
	.ci/record trimoe-command-buses reproduce trimoe --fidelity cycle --only trimoe/command-buses
	.ci/record trimoe-overheads reproduce trimoe --fidelity cycle --only trimoe/overheads
	.ci/record trimoe-layer reproduce trimoe --fidelity cycle --only trimoe/layer
	.ci/record trimoe-moves reproduce trimoe --fidelity cycle --only trimoe/moves
	.ci/record trimoe-planners reproduce trimoe --fidelity cycle --only trimoe/planners --out build/long
	node src/cli/neardata.js $(LONG_EVAL) $(TINYMOE) --routes build/long/tinymoe-routes.csv
	.ci/record trimoe-router reproduce trimoe --only trimoe/router --trace build/long/tinymoe-routes.csv
	.ci/record trimoe-small-batches reproduce trimoe --fidelity cycle --only trimoe/section-5-5
	.ci/record flexgen-16-bits $(LONG_EVAL)
	.ci/record flexgen-4-bits $(LONG_EVAL) --quantise 4
	.ci/record tinylm-sparf-8 $(LONG_EVAL) --attention sparf --ratio 1/8
	.ci/record tinylm-h2o-8 $(LONG_EVAL) --attention h2o --ratio 1/8
	.ci/record tinylm-local-8 $(LONG_EVAL) --attention local --ratio 1/8
	.ci/record tinylm-sparf-32 $(LONG_EVAL) --attention sparf --ratio 1/32
	.ci/record tinymoe-dense $(LONG_EVAL) $(TINYMOE)
	.ci/record tinymoe-sparf-8 $(LONG_EVAL) $(TINYMOE) --attention sparf --ratio 1/8
	for format in $(STORED); do .ci/record tinymoe-$$format $(LONG_EVAL) $(TINYMOE) --storage $$format; done
	.ci/record tinymoe-mxfp4-sparf-8 $(LONG_EVAL) $(TINYMOE) --storage mxfp4 --attention sparf --ratio 1/8
	.ci/record tinymoe-h2o-8 $(LONG_EVAL) $(TINYMOE) --attention h2o --ratio 1/8
	.ci/record token-8-steps lm token --windows 0 --steps 8 --sensitivity
	.ci/record tinymoe-local-8 $(LONG_EVAL) $(TINYMOE) --attention local --ratio 1/8

# 240 runs, each on the RTL and on the cycle model; goes on where it was stopped.
formats: build
	mkdir -p build/formats
	$(NEARDATA) sweep scenarios/sweep-formats.yaml --resume --out build/formats/sweep.duckdb \
	  --export build/formats/sweep.csv
	node tools/formats-table.mjs build/formats/sweep.csv > build/formats/tables.md

token: build
	NEARDATA_TEST_FULL=1 NEARDATA_TOKEN=1 $(VITEST) test/lm/tinymoe --hookTimeout 3600000 --testTimeout 3600000

fuzz-cxx: | tools-fuzz
	.ci/fuzz-cxx

# Beside the others in build/sanitize, and so incremental; RTL goes to the cache of the others.
PARTS ?=
sanitize: build
	.ci/sanitize $(PARTS)

package: build/js/.built build/worker/.built $(LAYOUT)
	.ci/package

lists: $(MODULES)
	npx --no-install jiti tools/write-file-lists.ts

diagrams: $(MODULES)
	npx --no-install jiti tools/draw-blocks.ts

ports: build
	npx --no-install jiti tools/write-ports.ts

reference: build/js/.built
	$(NEARDATA) schema --markdown > docs/reference/scenarios.md

# The site of docs and of the exports in package.json. Its packages are in tools/site and are installed by this target alone.
docs: $(MODULES) $(SITE_MODULES)
	node tools/site/build.mjs

$(SITE_MODULES): tools/site/package-lock.json | node
	@.ci/step 'npm packages of the site' npm ci --prefix tools/site --no-audit --no-fund
	@touch $@

bench: build
	$(NEARDATA) bench
	$(NEARDATA) dram bench

doctor: build/js/.built
	$(NEARDATA) doctor

build: build/js/.built build/worker/.built $(ADDON) $(LAYOUT) $(RAMULATOR_ADDON)

# Compiled files whose source has moved or is gone: a package would take them along.
STALE_JS := if [ -d build/js ]; then \
  (cd build/js && find . -name '*.js' -printf '%P\n') | while read -r file; do \
    [ -e "src/$${file%.js}.ts" ] || rm -f "build/js/$${file%.js}".*; done; \
  find build/js -mindepth 1 -type d -empty -delete; fi

# Types are checked by `make lint`.
build/js/.built: $(MODULES) $(TS_SOURCES) tsconfig.json
	@$(STALE_JS)
	@.ci/step TypeScript npx --no-install tsc --noCheck
	@touch $@

# A worker of a sweep in few files: to find and read some hundred takes as long as several points.
build/worker/.built: build/js/.built
	rm -rf build/worker
	npx --no-install rolldown build/js/cli/explore/sweep-worker.js --dir build/worker \
	  --platform node --format esm >/dev/null
	@touch $@

# .ci/configure begins anew where the folder is of another checkout or of a build that was killed.
MAKE_ADDON := trap 'rm -f build/native/.building' EXIT; .ci/step
$(ADDON): $(MODULES) $(ADDON_SOURCES) | tools
	@.ci/configure build/native addon
	+@$(DRY) || { $(MAKE_ADDON) addon $(MAKE) -C build/native; }
	@touch $@

$(LAYOUT): $(ADDON) tools/write-layout.ts tools/layout-types.ts src/native/layout-mark.ts
	@npx --no-install jiti tools/write-layout.ts $(ADDON) $@

# From the same objects as the first one, so after it and configured anew.
build/native/Release/neardata_ramulator.node: $(ADDON)
	@.ci/configure build/native 'addon with Ramulator' always
	+@$(DRY) || { $(MAKE_ADDON) 'addon with Ramulator' $(MAKE) -C build/native; }
	@touch $@

$(MODULES): package-lock.json | node
	@.ci/step 'npm packages' npm ci --no-audit --no-fund
	@touch $@

# npm's packages need no more, and come while apt installs the rest.
node:
	@.ci/tools node

tools: | node
	@.ci/tools build

# One apt at a time.
tools-lint: | tools
	@.ci/tools lint

tools-prove: | tools
	@.ci/tools prove

tools-fuzz: | tools
	@.ci/tools fuzz

# Of named checks, .ci/lint says itself which tool is absent.
CHECKS ?=
lint: $(MODULES) $(LAYOUT) | $(if $(CHECKS),tools,tools-lint)
	.ci/lint $(CHECKS)

clean:
	rm -rf build tools/site/pages
