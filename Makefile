# The daily verbs. The build itself is CMakeLists.txt; `make` alone builds everything.
BUILD  ?= build
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
# Seconds per fuzzer of `make fuzz`; FUZZERS limits it to some.
FUZZ_SECONDS ?= 600

MAKEFLAGS += --no-print-directory
WERROR := $(if $(filter-out false,$(CI)),-DMER_WERROR=ON,)

all: build
.PHONY: all build setup demo check test asan tsan fuzz bench fmt install clean help

# Installs the Debian packages that are missing; quick and silent when none are.
setup:
	@tools/setup build test fuzz

build:
	@tools/setup build test
	@cmake -S . -B $(BUILD) -G Ninja $(WERROR) >/dev/null
	@ninja -C $(BUILD) -j $(JOBS)

demo:
	@tools/setup build
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja >/dev/null
	@ninja -C $(BUILD) -j $(JOBS) --quiet meridian
	@if [ -x demo/run ]; then MERIDIAN=$(BUILD)/meridian demo/run; \
	else $(BUILD)/meridian events --limit 20 demo; fi

# Everything that must hold: both builds, then the tests of both. The last lines printed are the
# summary of ctest; the sanitized run before it speaks only when something fails.
check: build
	@tools/check-sanitized $(BUILD)/asan $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# The tests alone, without the sanitized build.
test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

asan tsan:
	@tools/setup build test
	@cmake --preset $@ $(WERROR) >/dev/null
	@ninja -C build/$@ -j $(JOBS)
	@ctest --test-dir build/$@ --output-on-failure -j $(JOBS)

fuzz:
	@tools/setup build fuzz
	@cmake --preset fuzz >/dev/null
	@ninja -C build/fuzz-clang -j $(JOBS)
	@tools/run-fuzzers build/fuzz-clang/fuzz $(FUZZ_SECONDS) $(FUZZERS)

bench: build
	@MERIDIAN=$(BUILD)/meridian CTFGEN=$(BUILD)/ctfgen BUILD=$(BUILD) bench/run

fmt:
	@tools/check-format --fix

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD)
