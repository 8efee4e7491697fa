#!/usr/bin/env bash
# A store is used by the build of meridian that made it, wherever its file is and whatever its permissions are; by no
# other build. For the library it is the build of libmeridian.so, not that of the program that loads it.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache
cache=$dir/cache/meridian
t=demo/cold-disk
answered="answered from the store of these traces"
other="is of another build of meridian and is not used"
stores() { find "$1" -name 'world-*.store' 2>/dev/null | wc -l; }

# other_build FILE COPY: the same with another build id. The id is found by its section: a search for its bytes would
# miss an id that has a newline in it.
other_build() {
	local at
	at=$(readelf -SW "$1" | sed -n 's/.* \.note\.gnu\.build-id *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	[ -n "$at" ] || fail "$1 has no build id"
	at=$((16#${at:-0} + 16)) # behind three words and the name "GNU"
	cp "$1" "$2"
	printf '\x5a\xa5\x5a\xa5' | dd of="$2" bs=1 seek="$at" conv=notrunc 2>/dev/null
}

# ---- The program ----

cp "$m" "$dir/one"
other_build "$m" "$dir/another"
m=$dir/one
run 0 blocked -v $t
no_text "$dir/err" "$answered"
no_text "$dir/err" "$other"
run 0 blocked --store $t
cp "$dir/out" "$dir/expected"
run 0 blocked -v $t
text "$dir/err" "$answered"
no_text "$dir/err" "$other"

# The same program: other permissions, times, names, a copy.
chmod 700 "$dir/one"
run 0 blocked -v $t
text "$dir/err" "$answered"
ln "$dir/one" "$dir/linked"
touch "$dir/one"
run 0 blocked -v $t
text "$dir/err" "$answered"
cp "$dir/one" "$dir/copied" && m=$dir/copied
run 0 blocked -v $t
text "$dir/err" "$answered"

# Another build: the traces are read, a note says why, and it can have its own.
m=$dir/another
run 0 blocked -v $t
no_text "$dir/err" "$answered"
text "$dir/err" "$other"
run 0 blocked $t
same "read by another build" "$dir/out" "$dir/expected"
no_text "$dir/err" "$other"
run 0 blocked -v --no-store $t
no_text "$dir/err" "$other"
run 0 blocked -v --sync none $t
no_text "$dir/err" "$answered"
equal "nothing made for it" "$(stores "$cache")" 1
run 0 blocked -v --store $t
no_text "$dir/err" "$other"
equal "a store of each build" "$(stores "$cache")" 2
for m in "$dir/one" "$dir/another"; do
	run 0 blocked -v $t
	text "$dir/err" "$answered"
	no_text "$dir/err" "$other"
done

# Of other traces there is none.
run 0 blocked -v demo/page-cold
no_text "$dir/err" "$other"

# ---- The library ----

cat >"$dir/store.c" <<'END'
#include <meridian/session.h>
#include <stdio.h>
const char *which = WHICH;
int main(int argc, char **argv)
{
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	const char *paths[] = { argv[argc - 1] };
	struct mer_session *s;
	struct mer_result *r;
	struct mer_err err;
	o.cache_folder = argv[1];
	o.store = true;
	int rc = mer_session_new(paths, 1, &o, &s, &err);
	if (rc == 0)
		rc = mer_session_open(s, &err);
	if (rc == 0)
		rc = mer_session_table(s, "cpu", "top", NULL, &r, &err);
	if (rc)
		return printf("%s: %s\n", which, err.text), 1;
	mer_result_free(r);
	mer_session_free(s);
	return 0;
}
END
mkdir "$dir/same" "$dir/changed"
cp -L "$BUILD/libmeridian.so.1" "$dir/same/"
other_build "$BUILD/libmeridian.so.1" "$dir/changed/libmeridian.so.1"
for which in first second; do
	check "a program" cc -I"$SRC/include" -DWHICH="\"$which\"" -o "$dir/$which" "$dir/store.c" \
		-L"$BUILD" -lmeridian -Wl,--build-id
done
ask() { check "$1 with the library in $2" env LD_LIBRARY_PATH="$2" "$dir/$1" "$dir/kept" $t; }
ask first "$BUILD"
equal "the first program" "$(stores "$dir/kept")" 1
ask second "$BUILD"
ask second "$dir/same"
equal "another program, and a copy of the library" "$(stores "$dir/kept")" 1
ask second "$dir/changed"
equal "the same program with another library" "$(stores "$dir/kept")" 2

finish
