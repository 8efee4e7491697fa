#!/usr/bin/env bash
# Inputs that are odd, large or hostile: they are read, or refused with a message that says where; memory
# and file descriptors stay bounded; and check says "sound" exactly where events exits with 0.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
head='/* CTF 1.8 */
typealias integer { size = 8; } := u8;
typealias integer { size = 32; } := u32;
typealias integer { size = 64; } := u64;
trace { major = 1; minor = 8; byte_order = le; };'
# make NAME METADATA [STREAM]: a trace; STREAM in the escapes of printf
make() {
	mkdir -p "$dir/$1"
	printf '%s\n%s\n' "$head" "$2" >"$dir/$1/metadata"
	# shellcheck disable=SC2059
	[ -z "${3-}" ] || printf "$3" >"$dir/$1/s"
}
event='event { name = e; fields := struct { u8 a; }; };'
# sound NAME: check and events agree, and the trace is sound
sound() {
	run 0 check "$dir/$1"
	text "$dir/out" ' sound' "$1"
	run 0 events "$dir/$1"
}
# unsound NAME PATTERN: they agree, and both say why
unsound() {
	run 1 check "$dir/$1"
	text "$dir/err" "$2" "check $1"
	run 3 events "$dir/$1"
	text "$dir/err" "$2" "events $1"
}
# Memory can be limited only where no sanitizer has it all reserved.
limited() { [ -z "${SANITIZE:-}" ] && (ulimit -v "$1" && shift && "$@"); }

# Many fields, deep structures, large enumerations and variants.
make fields "event { name = e; fields := struct { $(printf 'u8 f%d; ' {1..70000})}; };"
head -c 70000 /dev/zero >"$dir/fields/s"
sound fields
text "$dir/out" 'f70000 = 0 }'
for n in 1024 1100; do
	make deep$n "event { name = e; fields := struct { $(printf 'struct { %.0s' $(seq $n))u8 x;$(printf '} y; %.0s' $(seq $n))}; };" 'a'
done
sound deep1024
text "$dir/out" 'x = 97 }'
unsound deep1100 'metadata:6:[0-9]+: types are nested more than'
make labels "event { name = e; fields := struct { enum : u32 { l0$(seq -f ',l%.0f' 1 99999 | tr -d '\n') } t;
	variant <t> { $(seq -f 'u8 l%.0f;' 0 99999 | tr '\n' ' ')} v; }; };" '\001\000\001\000a\002\000\000\000b'
sound labels
text "$dir/out" '"l65537" : container = 65537 \), v = \{ 97 \}'
text "$dir/out" '"l2" : container = 2 \), v = \{ 98 \}'

# A value that is too large to be decoded is found by check too.
make elements 'event { name = e; fields := struct { u32 n; u8 s[n]; }; };' '\000\000\000\002'
head -c 33554432 /dev/zero >>"$dir/elements/s"
unsound elements 'more values than fit into memory'

# Times beyond 64 bits, with a clock of 1 GHz and another: they stand at the last one, never before others.
for freq in 1000000000 999999999; do
	make over$freq "clock { name = c; freq = $freq; offset_s = 1700000000; };
	typealias integer { size = 64; map = clock.c.value; } := ts;
	stream { event.header := struct { ts timestamp; }; };
	$event" '\012\000\000\000\000\000\000\000a\005\000\000\000\000\000\000\200b\377\377\377\377\377\377\377\377c'
	unsound over$freq 'times in this packet are beyond 64-bit nanoseconds'
	run 3 events --format csv "$dir/over$freq"
	equal "times at $freq Hz" "$(cut -d, -f1 "$dir/out" | tail -n +3 | sort -u)" 9223372036854775806
	no_text "$dir/out" ',-?[0-9]*,-' # nothing negative
done
make nobase "clock { name = c; freq = 1000000000; offset_s = 9223372036854775807; offset = 9223372036854775807; };
	typealias integer { size = 64; map = clock.c.value; } := ts;
	stream { event.header := struct { ts timestamp; }; };
	$event" '\012\000\000\000\000\000\000\000a'
unsound nobase "clock's offset is beyond what 64-bit seconds can hold"

# What stands where stream files do and is none, and folders that cannot be searched.
make odd "$event" 'a'
ln -s /nonexistent "$dir/odd/dangling"
unsound odd 'odd/dangling: skipped: dangling symbolic link'
rm "$dir/odd/dangling"
mkfifo "$dir/odd/fifo"
unsound odd 'odd/fifo: skipped: a FIFO, not a regular file'
rm "$dir/odd/fifo"
ln -s /dev/null "$dir/odd/null"
unsound odd 'odd/null: skipped: a character device'
rm "$dir/odd/null"
sound odd
mkdir -p "$dir/set/dead"
cp -r "$dir/odd" "$dir/set/one"
ln -s /nonexistent "$dir/set/dead/metadata"
unsound set 'set/dead/metadata: skipped: dangling symbolic link'
rm -r "$dir/set/dead"
deep=$dir/set/$(printf 'd/%.0s' {1..300})
mkdir -p "$deep"
unsound set 'folders are nested too deep'
rm -r "$dir/set/d"
mkdir -p "$dir/set/$(printf 'd/%.0s' {1..100})"
cp -r "$dir/odd" "$dir/set/$(printf 'd/%.0s' {1..100})two"
sound set
equal "a trace 100 folders down" "$(wc -l <"$dir/out")" 2
if [ "$(id -u)" != 0 ]; then
	mkdir "$dir/set/closed"
	chmod 0 "$dir/set/closed"
	unsound set 'set/closed: skipped: cannot open the folder: Permission denied'
	chmod 700 "$dir/set/closed"
fi

# Packets of another trace.
mkdir "$dir/uuid"
printf '/* CTF 1.8 */\ntypealias integer { size = 8; } := u8;\ntrace { major = 1; minor = 8; byte_order = le;
	uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"; packet.header := struct { u8 uuid[16]; }; };\n%s\n' "$event" >"$dir/uuid/metadata"
printf '\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037a' >"$dir/uuid/s"
unsound uuid 'its UUID is 10111213-1415-1617-1819-1a1b1c1d1e1f, that of the metadata 00010203-0405-0607-0809-0a0b0c0d0e0f'
run 0 events --ignore-uuid "$dir/uuid"
equal "the packet is read" "$(cat "$dir/out")" 'e: { a = 97 }'
run 0 check --ignore-uuid "$dir/uuid"

# More stream files than may be mapped, with few file descriptors.
make files "$event"
(cd "$dir/files" && awk 'BEGIN { for (i = 0; i < 66000; i++) { f = "s" i; printf "a" > f; close(f) } }')
if [ "$(ulimit -n 24 && lines events "$dir/files")" = 66000 ]; then ok; else fail "66,000 stream files: $(lines events "$dir/files") lines"; fi
run 0 check "$dir/files"

# A packet costs 64 bytes, a long string nothing, many classes are refused where they begin.
make packets 'stream { packet.context := struct { u8 packet_size; }; };'
head -c 4194304 /dev/zero | tr '\0' '\010' >"$dir/packets/s"
make string 'event { name = e; fields := struct { string s; }; };'
{ head -c 300000000 /dev/zero | tr '\0' a && printf '\0'; } >"$dir/string/s"
make classes "$(seq -f 'stream { id = %.0f; };' 0 262144)"
if [ -z "${SANITIZE:-}" ]; then
	if [ -z "$(limited 420000 "$m" events -q "$dir/packets" 2>&1)" ]; then ok; else fail "4 Mi packets in 420 MB"; fi
	equal "a string of 300 MB" "$(limited 420000 "$m" events "$dir/string" 2>&1 | wc -c)" 300000014
	limited 200000 "$m" events "$dir/classes" >"$dir/out" 2>&1 && fail "classes: exit 0"
	text "$dir/out" 'metadata:262150:1: more than 262144 streams'
else
	echo "sanitized: memory is not limited"
fi

# Files that may not grow: a message, and no copies of a part of the traces.
(
	ulimit -f 60
	"$m" sync --write "$dir/copies" "$SRC/demo/wget-cold-hot" >/dev/null 2>"$dir/err"
	echo "$?" >"$dir/status"
)
equal "exit of sync --write" "$(cat "$dir/status")" 5
text "$dir/err" 'metadata: cannot write: File too large; the copies are removed'
if [ -e "$dir/copies" ]; then fail "copies are left"; else ok; fi
(
	ulimit -f 60
	"$m" events "$SRC/demo/wget-cold-hot" >"$dir/out" 2>"$dir/err"
	echo "$?" >"$dir/status"
)
equal "exit of events" "$(cat "$dir/status")" 5
text "$dir/err" 'cannot write to standard output: File too large'
finish
