# The daily verbs; `make help` lists them. The build itself is CMakeLists.txt.
BUILD  ?= build
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
# `make check EXTRAS=no` installs no browser and no tracer, and leaves out the tests that need one.
EXTRAS ?= yes
# `make test QUICK=yes` leaves out the tests that take long.
QUICK  ?= no
# Seconds per fuzzer of `make fuzz`; FUZZERS limits it to some.
FUZZ_SECONDS ?= 600

MAKEFLAGS += --no-print-directory
WERROR := $(if $(filter-out false,$(CI)),-DMER_WERROR=ON,)
# The recordings for the tests are unpacked once for all builds.
RECORDINGS := -DMER_RECORDINGS=$(abspath $(BUILD))/recordings
export JOBS

.PHONY: all demo install uninstall check test tests asan tsan fuzz bench fmt setup dist deb \
	screenshots fresh-machine lab clean help

all: ## the program, the library, manual pages and completions, into build/
	@tools/setup build
	@tools/build $(BUILD) "building meridian" all $(WERROR) $(RECORDINGS)

# What is missing of Debian's packages is installed first, wherever something is built: `tools/setup`.
setup: ## install the Debian packages that all of this needs
	@tools/setup build test check fuzz

demo: ## build the program and show it on a recording of two machines
	@tools/setup program
	@tools/build $(BUILD) "building meridian" meridian $(WERROR) $(RECORDINGS)
	@MERIDIAN=$(BUILD)/meridian demo/run

install: all ## install below PREFIX (/usr/local)
	@tools/install $(BUILD) $(PREFIX)

uninstall: all ## remove what install put below PREFIX
	@tools/install --remove $(BUILD) $(PREFIX)

tests: ## build the tests, and what they run
	@tools/setup build test
	@tools/build $(BUILD) "building the tests" test_programs $(WERROR) $(RECORDINGS)

test: tests ## run the tests; those that need a browser or a tracer if it is installed (QUICK=yes: not the long ones)
	@tools/run-tests $(BUILD) $(if $(filter yes,$(QUICK)),-LE long)

check: ## everything that must hold: all tests, with ASan and UBSan, too (EXTRAS=no: installs no browser, no tracer)
	@tools/setup build test $(if $(filter no,$(EXTRAS)),,check)
	@tools/check $(BUILD) $(WERROR)

asan tsan: ## build and run the tests with one sanitizer
	@tools/setup build test
	@tools/build $(BUILD)/$@ "building the tests with $@" test_programs --preset=$@ $(WERROR) $(RECORDINGS)
	@WHAT="tests with $@" tools/run-tests $(BUILD)/$@ -LE house

fuzz: ## run each fuzzer (FUZZERS: some) for FUZZ_SECONDS
	@tools/setup build fuzz
	@tools/build $(BUILD)/fuzz-clang "building the fuzzers" fuzzers --preset=fuzz
	@tools/run-fuzzers $(BUILD)/fuzz-clang/fuzz $(FUZZ_SECONDS) $(FUZZERS)

bench: ## compare the speed with another reader's
	@tools/setup build bench
	@tools/build $(BUILD) "building the benchmarks" benchmarks $(WERROR) $(RECORDINGS)
	@MERIDIAN=$(BUILD)/meridian CTFGEN=$(BUILD)/ctfgen BUILD=$(BUILD) bench/run

fmt: ## format all C files
	@tools/check-format --fix

screenshots: ## pictures of the page's views, into build/screenshots (needs node and Chromium)
	@tools/setup program
	@tools/build $(BUILD) "building meridian" meridian $(WERROR) $(RECORDINGS)
	@BUILD=$(BUILD) ui/screenshots

dist: ## make the source archive meridian-VERSION.tar.xz, of the last commit
	@tools/make-dist

deb: ## make Debian packages, beside the source folder
	@tools/setup package
	@dpkg-buildpackage -b -us -uc

lab: all ## record the demo's machines anew, in virtual machines (root; lab/README.md)
	@lab/build
	@BUILD=$(BUILD) lab/image
	@BUILD=$(BUILD) lab/record
	@lab/down

fresh-machine: ## try installing and building on minimal Debian systems (root)
	@tools/fresh-machine

clean: ## remove build/
	@rm -rf $(BUILD)

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "Variables: PREFIX=$(PREFIX) BUILD=$(BUILD) JOBS=$(JOBS) EXTRAS=$(EXTRAS) QUICK=$(QUICK); README.md and CONTRIBUTING.md say more."
