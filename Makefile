# gatewright. `make help` lists what there is.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all

GOLANGCI_LINT_VERSION := v2.15.0
BIN := bin
CLIENTS := .ci/clients
FUZZTIME ?= 60s

.PHONY: all
all: generate lint test ## Generate, lint and test

.PHONY: help
help: ## Say what each target does
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build gatewright and the servers of this repository's own protocols into bin/
	go build -trimpath -o $(BIN)/ ./cmd/gatewright $$(go list ./generated/... | grep '/cmd/')

.PHONY: generate
generate: ## Make generated/ anew from protocols/
	go generate ./protocols/

.PHONY: test
test: ## Everything that needs no network: unit, golden, must-not-compile, end to end over stdio
	go mod download # some tests make modules of their own, and look up nothing
	go test ./...

.PHONY: golden
golden: ## Write what golden files expect anew
	UPDATE=1 go test ./gen/... ./cmd/... ./templates ./runtime/server ./protocols/greenfield/e2e

.PHONY: race
race: ## The tests of the runtime under the race detector
	go test -race ./runtime/... ./protocols/...

.PHONY: e2e
e2e: $(CLIENTS)/node_modules/.package-lock.json ## The tests that drive real clients from npm
	go test -tags e2e -count=1 -run 'E2E' ./gen/diag ./protocols/...

# Without a lock file: one of the clients names an optional package that not
# every registry has, and npm takes no lock without it.
$(CLIENTS)/node_modules/.package-lock.json: $(CLIENTS)/package.json
	cd $(CLIENTS) && npm install --no-package-lock --no-audit --no-fund --loglevel=error

.PHONY: demo
demo: ## One change carried through four modes on a scratch repository
	@go run ./protocols/greenfield/demo

.PHONY: demo-tracker
demo-tracker: ## One document imported in two steps, into a scratch tracker
	@go run ./protocols/tracker/demo

.PHONY: lint
lint: $(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## go vet and golangci-lint
	go vet ./...
	go vet -tags e2e ./gen/diag ./protocols/...
	$(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION) run ./...

$(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	@mkdir -p $(BIN)
	GOBIN=$(CURDIR)/$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

.PHONY: bench
bench: ## Benchmarks, and one table of what a gate costs beside the same without one
	go test -run '^$$' -bench . -benchmem -benchtime 200ms $$(go list ./... | grep -v /runtime/bench)
	go test -run '^$$' -bench . -benchtime 500ms -timeout 30m ./runtime/bench

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZTIME (60s)
	@for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package; \
	  done; \
	done

.PHONY: clean
clean: ## Remove what the other targets built
	rm -rf $(BIN) $(CLIENTS)/node_modules
