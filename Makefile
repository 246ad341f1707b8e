# Everything a contributor runs. `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

GO ?= go
BIN := bin/pciatlas

# What to work on; narrow it with, for example, `make test PKGS=./internal/pve`.
PKGS ?= ./...
TESTFLAGS ?=
FUZZTIME ?= 5s
BENCH ?= .
COUNT ?= 1

# The date is that of the commit, so that building a commit twice gives the same bytes.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse --verify -q HEAD 2>/dev/null || echo unknown)
DATE ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
LDFLAGS := -s -w \
	-X pciatlas/internal/cli.version=$(VERSION) \
	-X pciatlas/internal/cli.commit=$(COMMIT) \
	-X pciatlas/internal/cli.date=$(DATE)

# One set of flags for build, test, vet, lint and tools: with different flags the
# Go cache holds, and compiles, every package twice.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath -buildvcs=%,$(shell $(GO) env GOFLAGS)) -trimpath -buildvcs=false)

# The console needs npm; all else works without.
NPM := $(shell command -v npm 2>/dev/null)
NPM_RUN := cd web && npm run --silent
CONSOLE := web/static/app/index.html
NODE_MODULES := web/node_modules/.package-lock.json

LINT := $(GO) tool -modfile=tools/lint.mod golangci-lint

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nVariables: VERSION=%s PKGS=%s TESTFLAGS=%s FUZZTIME=%s BENCH=%s COUNT=%s\n' \
		'$(VERSION)' '$(PKGS)' '$(TESTFLAGS)' '$(FUZZTIME)' '$(BENCH)' '$(COUNT)'

##@ Use

.PHONY: build
build: console ## build bin/pciatlas, one static binary with the console in it
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/pciatlas

.PHONY: demo
demo: build ## build, then run the server with simulated clusters until Ctrl-C
	$(BIN) demo

##@ Console

$(NODE_MODULES): web/package.json web/package-lock.json
	cd web && npm ci --no-progress
	@touch $@

$(CONSOLE): $(NODE_MODULES) web/index.html web/vite.config.ts web/scripts/compress.mjs $(shell find web/src web/public -type f)
	$(NPM_RUN) build

.PHONY: web
web: $(CONSOLE) ## build the console into web/static/app

# With npm, the console is part of every build; without, the binary says what it lacks.
.PHONY: console
console: $(if $(NPM),$(CONSOLE))
	@$(if $(NPM),:,$(if $(wildcard $(CONSOLE)),:,printf '\n!!! npm is missing: the binary is built WITHOUT the web console\n\n'))

.PHONY: web-check
web-check: $(if $(NPM),$(CONSOLE)) ## check the console: types, linter, unit tests, size, types of the API
	@scripts/once web-check web api docs internal scripts/web-check '@node --version' -- scripts/web-check

# What serves the browser tests more clusters than the demo has.
.PHONY: simulator
simulator:
	@$(GO) build -o bin/simulator ./test/simulator

.PHONY: web-e2e
web-e2e: build simulator ## test the console in Chromium against the demo (E2EFLAGS for Playwright)
	@scripts/once web-e2e bin web/e2e web/playwright.config.ts web/package-lock.json scripts/web-e2e \
		'@chromium --version; chromium-headless-shell --version; env | grep -E "^(LOOKS|SPEED|CHROMIUM|PCIATLAS_)"; echo $(E2EFLAGS)' -- \
		scripts/web-e2e $(E2EFLAGS)

.PHONY: pictures
pictures: build ## write a sheet of pictures for each page to web/pictures, to be looked at
	rm -rf web/pictures
	$(NPM_RUN) pictures

.PHONY: readme-pictures
readme-pictures: build ## take the pictures of README.md anew, into docs/pictures
	$(NPM_RUN) readme-pictures

##@ Check

.PHONY: test
test: ## set up what the tests need, run all of them, count them, name the skipped ones
	@scripts/test-setup
	@$(MAKE) --no-print-directory test-go
	@$(MAKE) --no-print-directory web-check web-e2e

.PHONY: test-go
test-go: ## run the Go tests alone
	@$(GO) test -json $(TESTFLAGS) $(PKGS) | $(GO) run ./scripts/testsummary

.PHONY: race
race: ## run the tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race $(TESTFLAGS) $(PKGS)

.PHONY: vet
vet: ## run go vet
	$(GO) vet $(PKGS)

.PHONY: lint
lint: ## run the linters (the first run builds them, which takes some minutes)
	$(LINT) run $(PKGS)

.PHONY: fmt
fmt: ## format all Go files as the linters ask
	$(LINT) fmt

.PHONY: fuzz
fuzz: ## run each fuzz test for FUZZTIME
	@FUZZTIME='$(FUZZTIME)' scripts/fuzz $(PKGS)

.PHONY: bench
bench: ## run the benchmarks named by BENCH, each COUNT times
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKGS)

##@ Generate

# A generated file that is committed has a go:generate line beside it, in the
# package it belongs to. Man pages and binaries go to dist/ and are not committed.
.PHONY: generate
generate: $(if $(NPM),$(NODE_MODULES)) ## write all generated files that are committed
	$(GO) generate ./...
	$(if $(NPM),$(NPM_RUN) types >/dev/null,@echo '!!! npm is missing: web/src/api/schema.d.ts is not written')

.PHONY: check-generated
check-generated: ## fail if generating changes or adds a file
	@scripts/check-generated $(MAKE) --no-print-directory generate

.PHONY: man
man: build ## write the man pages to dist/man
	@mkdir -p dist/man
	$(BIN) man dist/man

##@ Release

.PHONY: dist
dist: console ## build the static release binaries and their checksums in dist/
	@mkdir -p dist
	@rm -f dist/pciatlas_* dist/SHA256SUMS
	@for arch in amd64 arm64; do \
		out=dist/pciatlas_$(VERSION)_linux_$$arch; \
		echo "building $$out"; \
		GOOS=linux GOARCH=$$arch $(GO) build -ldflags '$(LDFLAGS)' -o "$$out" ./cmd/pciatlas; \
		scripts/check-static "$$out" "$$arch"; \
	done
	@cd dist && sha256sum pciatlas_* > SHA256SUMS && cat SHA256SUMS

.PHONY: clean
clean: ## remove bin/, dist/ and the built console
	rm -rf bin dist web/static/app web/pictures web/test-results
