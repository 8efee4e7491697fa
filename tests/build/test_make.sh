#!/usr/bin/env bash
# What somebody meets who builds this: which packages are asked for and how, what is built for whom, what
# is said meanwhile and at the end. tools/fresh-machine tries the same on whole systems.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}
cd "$SRC" || exit 1

# Each target of the Makefile is explained.
make help >"$dir/help"
for target in $(make -pnq help 2>/dev/null | sed -n 's/^\.PHONY: //p'); do
	grep -qE "^make ([a-z-]+ )*$target " "$dir/help" || fail "make help says nothing of $target"
done
grep -q 'make install' "$dir/help" || fail "make help is empty"

# Who has no cmocka can build everything but the tests, and is told when he wants these.
if [ -z "$SANITIZE" ]; then
	cmake -S . -B "$dir/build" -G Ninja -DCMOCKA=OFF >"$dir/out" 2>&1 || fail "without cmocka: $(tail -3 "$dir/out")"
	! grep -qi warning "$dir/out" || fail "warnings of cmake: $(grep -i -A3 warning "$dir/out")"
	ninja -C "$dir/build" -t commands all | grep -o ' -o [^ ]*' >"$dir/plan"
	grep -qx ' -o meridian' "$dir/plan" || fail "the program is not built"
	grep -q 'libmeridian.so' "$dir/plan" || fail "the library is not built"
	! grep -E 'tests/|fuzz|bench/|ctfgen|clockworld|kernelworld|examples/' "$dir/plan" ||
		fail "more is built than what is installed"
	! ninja -C "$dir/build" test_programs >"$dir/out" 2>&1 || fail "tests without cmocka?"
	grep -q 'cmocka is missing' "$dir/out" || fail "nobody is told that cmocka is missing"
	# Without tests there are no fuzzers either.
	cmake -S . -B "$dir/build" -DMER_TESTS=OFF >/dev/null || fail "MER_TESTS=OFF"
	! ninja -C "$dir/build" -t targets all | grep -E '^(fuzz_|cli_test)' || fail "MER_TESTS=OFF has tests or fuzzers"
fi

# One version: of the program, the library, the packages, and the newest of the changelog.
version=$(sed -n 's/^project(meridian VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $(sed -n '1s/.*(\(.*\)-.*).*/\1/p' debian/changelog) = "$version" ]] || fail "debian/changelog is not of $version"
[[ $(sed -n '/^## /{s/^## \([0-9.]*\).*/\1/p;q}' CHANGELOG.md) = "$version" ]] || fail "the newest of CHANGELOG.md is not $version"
[[ $(awk '/define MER_VERSION_M|define MER_VERSION_PATCH/ { v = v sep $3; sep = "." } END { print v }' include/meridian/session.h) = "$version" ]] ||
	fail "the library's version is not $version"
grep -qxF "__version__ = \"$version\"" python/meridian.py || fail "python/meridian.py is not of $version"

# Recordings that tests name are in the repository, or looked for before: nobody else has what lies in ../shared.
grep -rhoE '("|\$)lab"?/[a-z0-9-]+' tests --include='test_*' | sed 's,.*/,,' | sort -u | while read -r name; do
	[ "$name" = lab ] || [ -e "tests/recordings/$name.tar.xz" ] || [ -d "demo/$name" ] && continue
	grep -lE "\\\$lab\"?/$name" tests/*/*.sh | while read -r file; do
		grep -qE "there \"?\\\$lab\"?/$name" "$file" || echo "FAILED: $file reads $name, which nobody has, and is not skipped without it"
	done
done | tee "$dir/out"
[ ! -s "$dir/out" ] || failed=1
for file in $(grep -sl -d skip '\.\./shared/traces/lab' tests/*/*); do
	[ "$file" = tests/recordings/unpack ] || [ "$file" = tests/trace/test_extent.c ] || [ "$file" = tests/build/test_make.sh ] ||
		fail "$file looks into ../shared for a recording: name it lab/NAME"
done

# What comes with an optional package is compiled for the files that look at it: nobody waits for all of it again
# because a package was installed after the first build.
if [ -z "$SANITIZE" ]; then
	compiled() { # OPTION...: "FILE COMMAND" of each
		cmake -S . -B "$dir/packages" -G Ninja "$@" >"$dir/out" 2>&1 || fail "$*: $(tail -3 "$dir/out")"
		ninja -C "$dir/packages" -t commands test_programs | sed -n 's/^\(.* -c \(.*\.c\)\)$/\2 \1/p' | sort
	}
	compiled >"$dir/with"
	cp "$dir/out" "$dir/said"
	compiled -DMER_EXPAT=OFF -DMER_ELF=OFF -DMER_OTF2=OFF -DMER_NCURSES=OFF -DSCDOC=OFF >"$dir/without"
	[ "$(wc -l <"$dir/without")" -gt 900 ] || fail "compiled: $(wc -l <"$dir/without") files"
	grep -lrE 'MER_(HAS_EXPAT|HAS_ELF|HAS_OTF2|CURSES)' src tests tools bench fuzz work examples --include='*.[ch]' | sort >"$dir/looking"
	! grep '\.h$' "$dir/looking" || fail "a header depends on a package: all that includes it is compiled again"
	comm -13 "$dir/with" "$dir/without" | cut -d' ' -f1 | sed "s,^$SRC/,," | sort -u >"$dir/again"
	n=$(grep -vcxFf "$dir/looking" "$dir/again")
	[ "$n" -le 15 ] || fail "$n files more than need be are compiled again when packages come: $(grep -vxFf "$dir/looking" "$dir/again" | head -3)"
	grep -qE 'is missing|is not there' "$dir/said" || comm -23 "$dir/looking" "$dir/again" | while read -r file; do
		echo "FAILED: $file looks for a package that CMakeLists.txt does not define for it"
	done | tee "$dir/out"
	[ ! -s "$dir/out" ] || failed=1
fi

# A machine with nothing on it: who is not root and has no sudo gets a line that can be copied.
mkdir "$dir/bin"
for program in bash env dirname uname grep sed awk mktemp mkfifo rm; do
	ln -s "$(command -v $program)" "$dir/bin/$program"
done
printf '#!%s\necho 1000\n' "$(command -v bash)" >"$dir/bin/id"
printf '#!%s\necho "apt-get was called: $*"; exit 1\n' "$(command -v bash)" >"$dir/bin/apt-get"
chmod +x "$dir/bin/id" "$dir/bin/apt-get"
PATH=$dir/bin bash tools/setup program >"$dir/out" 2>&1 && fail "setup says that there is a compiler"
grep -qE '^missing packages; as root: apt-get install .*gcc .*cmake .*ninja-build' "$dir/out" ||
	fail "advice: $(cat "$dir/out")"
[ "$(wc -l <"$dir/out")" = 1 ] || fail "more than one line of advice: $(cat "$dir/out")"
! grep -qE 'cmocka|jq|clang|scdoc' "$dir/out" || fail "what only tests need is asked for: $(cat "$dir/out")"
# With sudo that asks for no password: first the lists, where there are none; and what it says is shown.
printf '#!%s\n[ "$1" != -n ] || exit 0\necho "E: sudo $*"; exit 1\n' "$(command -v bash)" >"$dir/bin/sudo"
chmod +x "$dir/bin/sudo"
PATH=$dir/bin bash tools/setup program >"$dir/out" 2>&1 && fail "setup ends well when nothing could be installed"
grep -q 'E: sudo .*apt-get' "$dir/out" || fail "why nothing was installed is not said: $(cat "$dir/out")"

# Long work is never silent, and what it says by itself is not lost.
(
	PROGRESS_EVERY=1
	. tools/progress.sh
	heard() { if [[ $1 = half* ]]; then doing=$1; else tell "seen: $1"; fi; }
	follow heard bash -c 'echo half of it; sleep 2.5; printf "last words"; exit 7'
	echo "status $?"
) >"$dir/out"
[ "$(grep -c '^half of it$' "$dir/out")" -ge 2 ] || fail "silent for seconds: $(cat "$dir/out")"
grep -qx 'seen: last words' "$dir/out" || fail "the last line is lost"
grep -qx 'status 7' "$dir/out" || fail "the status is lost"

# What was skipped is never passed, and why is said.
env -u RECORDINGS "$BUILD/tests/cases_test_lab_waits" >"$dir/out" 2>&1
[ $? = 77 ] || fail "a program all of whose tests are skipped does not end with 77"
mkdir "$dir/t"
cat >"$dir/t/CTestTestfile.cmake" <<T
add_test(a.good "$BUILD/tests/base_test_bits")
add_test(a.skips "env" "-u" "RECORDINGS" "$BUILD/tests/cases_test_lab_waits")
add_test(a.script "bash" "-c" "echo 'skipped: there is no y'; exit 77")
add_test(a.part "bash" "-c" "echo 'skipped: there is no z'")
add_test(a.bad "bash" "-c" "echo words; exit 3")
add_test(a.slow "sleep" "20")
set_tests_properties(a.skips a.script PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(a.slow PROPERTIES TIMEOUT 1)
T
JOBS=2 tools/run-tests "$dir/t" >"$dir/out" 2>&1 && fail "run-tests ends well"
n=$("$BUILD/tests/base_test_bits" 2>&1 | grep -c '\[       OK \]')
[ "$(tail -1 "$dir/out")" = "$((n + 1)) passed, 2 failed, 3 skipped" ] || fail "count: $(tail -1 "$dir/out"), $n"
for line in 'FAILED: a.bad (Failed)' words 'FAILED: a.slow (Timeout)' '    1  there is no y (a.script)' \
	'    1  there is no z (a.part)'; do
	grep -qxF "$line" "$dir/out" || fail "run-tests does not say: $line"
done
grep -q '    1  RECORDINGS is not set.* (a.skips)$' "$dir/out" || fail "why a case was skipped is not said"
# What may fail because the machine is busy runs once more, alone; what fails again has failed, and so has everything
# where something else did.
again() { # NAME LABEL: a test that fails at first
	printf 'add_test(%s "bash" "-c" "echo at first; test -e %s || { touch %s; exit 1; }")\n' "$1" "$dir/t/$1" "$dir/t/$1"
	printf 'set_tests_properties(%s PROPERTIES LABELS "b;%s")\n' "$1" "$2"
}
unset WHAT # of the run that this test is in
rm -r "$dir/t"
mkdir "$dir/t"
printf 'add_test(a.good "true")\nadd_test(a.cases "bash" "-c" "cat %s; test -e %s || { touch %s; exit 1; }")\n' \
	"$dir/cases" "$dir/t/cases" "$dir/t/cases" >"$dir/t/CTestTestfile.cmake"
printf 'set_tests_properties(a.cases PROPERTIES LABELS live)\n' >>"$dir/t/CTestTestfile.cmake"
printf '[ RUN      ] x\n[       OK ] x\n' >"$dir/cases"
again a.busy live >>"$dir/t/CTestTestfile.cmake"
tools/run-tests "$dir/t" >"$dir/out" 2>&1 || fail "a second try: $(cat "$dir/out")"
[ "$(tail -2 "$dir/out")" = $'2 of the programs passed only when they ran again, alone\n3 passed, 0 failed, 0 skipped' ] ||
	fail "a second try: $(tail -3 "$dir/out")"
grep -A1 -x 'PASSED ONLY WHEN IT RAN AGAIN, ALONE: a.busy; at first it printed:' "$dir/out" | grep -qx 'at first' ||
	fail "the first try is not shown: $(cat "$dir/out")"
rm "$dir/t/a.busy" "$dir/t/cases"
again b.other dead >>"$dir/t/CTestTestfile.cmake"
tools/run-tests "$dir/t" >"$dir/out" 2>&1 && fail "a test that is not live has a second try"
[ "$(tail -1 "$dir/out")" = "1 passed, 3 failed, 0 skipped" ] || fail "count: $(tail -1 "$dir/out")"
printf 'add_test(a.bad "false")\nset_tests_properties(a.bad PROPERTIES LABELS live)\n' >"$dir/t/CTestTestfile.cmake"
tools/run-tests "$dir/t" >"$dir/out" 2>&1 && fail "what fails twice has passed"
[ "$(tail -1 "$dir/out")" = "0 passed, 1 failed, 0 skipped" ] || fail "count: $(tail -1 "$dir/out")"
grep -q 'ONLY' "$dir/out" && fail "what failed twice is said to have passed"
# A minimal system without /proc has no /dev/fd either, which <(...) needs.
grep -nE '^[^#]*[<>]\(' tools/setup tools/build tools/install tools/progress.sh demo/run && fail "building needs /dev/fd"
exit $failed
