# The words that people and CI use. `make help` lists them.

# Debian's packages that building and testing need.
BUILD_PACKAGES = libmicrohttpd-dev libsqlite3-dev libsodium-dev libidn2-dev nlohmann-json3-dev \
  libcurl4-openssl-dev libsystemd-dev libgnutls28-dev
TEST_PACKAGES = curl python3 python3-venv openssl nginx-light caddy haproxy prometheus systemd
BENCH_PACKAGES = python3 nginx caddy lighttpd wrk strace
PACKAGES = $(BUILD_PACKAGES) $(TEST_PACKAGES)

# What `make run` serves: `make run SERVE_FLAGS='--public-address 0.0.0.0:80'`.
AASA = .build/release/aasa
DATABASE = var/aasa.db
SERVE_FLAGS =
SWIFT_SOURCES = Sources Tests migrations Package.swift
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
install = dpkg -s $(1) > /dev/null 2>&1 || $(SUDO) .ci/install-packages $(1)

.PHONY: help setup build run test contract lint format bench bench-match

help:
	@echo "make run     install what is missing, build, and serve the example domain"
	@echo "make test    install what is missing, and run every test"
	@echo "make contract  build, and try the server against its OpenAPI description"
	@echo "make lint    check format, imports and warnings"
	@echo "make format  format all Swift files"
	@echo "make bench   measure beside nginx and others: 12 minutes of an idle machine, QUICK=1 for 2"

setup:
	@command -v swift > /dev/null || { echo "Swift 6.2 or later is needed: https://swift.org/install" >&2; exit 1; }
	@$(call install,$(PACKAGES))

# With Swift's libraries in it, so that it runs where Swift is not installed, and faster. The linker's
# warning of mktemp is about Foundation.
build: setup
	swift build -c release --product aasa --static-swift-stdlib

# The example is imported once, so that what was edited since stays.
run: build
	@mkdir -p $(dir $(DATABASE))
	@[ -e $(DATABASE) ] || $(AASA) import --database $(DATABASE) --domain example.com \
	  Config/example/apple-app-site-association
	@exec $(AASA) serve --database $(DATABASE) $(SERVE_FLAGS)

test: setup
	swift build --build-tests
	swift test --skip-build
	$(MAKE) --no-print-directory contract

# The server against its description, by a program of PyPI that is installed beside the build.
CONTRACT = .build/contract
contract: setup $(CONTRACT)/installed
	swift build --product aasa
	Tests/Contract/run .build/debug/aasa $(CONTRACT)

$(CONTRACT)/installed: Tests/Contract/requirements.txt
	@python3 -m venv --clear $(CONTRACT)
	@$(CONTRACT)/bin/pip install --quiet --disable-pip-version-check --requirement $< || { \
	  echo "schemathesis could not be installed from PyPI, which make test needs." >&2; exit 1; }
	@touch $@

lint: setup
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	swift build --build-tests --explicit-target-dependency-import-check error

format:
	swift format --in-place --recursive $(SWIFT_SOURCES)

# The server beside others; writes its tables into docs/performance.md, but with QUICK=1.
BENCH = .build/bench
bench: build $(BENCH)/constant
	@$(call install,$(BENCH_PACKAGES))
	@python3 -B Tests/Benchmarks/Serving --build .build $(if $(QUICK),--quick,--docs docs $(if $(ROUNDS),--rounds $(ROUNDS)))

$(BENCH)/constant: Tests/Benchmarks/Serving/constant.c
	@mkdir -p $(BENCH)
	clang -O2 -Wall -o $@ $< -lmicrohttpd

# Resolutions a second, beside NSRegularExpression and fnmatch. CORPUS is a folder of real files.
CORPUS ?= ../shared/corpus/aasa
bench-match: setup
	swift build -c release --product MatchBenchmark
	.build/release/MatchBenchmark $(CORPUS)
