#!/usr/bin/env bash
# meridian part --full: what is known of hosts' tasks, each made where its traces lie, answers every question as all
# traces do, byte for byte; what does not belong together is refused, and questions that need events say so.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=150
if [ ! -x "${KERNELWORLD:-}" ]; then
	echo "skipped: there is no kernelworld"
	exit 77
fi

# make_full NAME FOLDER: of each host in a folder, $dir/NAME/HOST.full, from its traces and the others' parts alone
make_full() {
	local to=$dir/$1 h o others
	mkdir -p "$to"
	for h in "$2"/*/; do
		run 0 part --rate 0 "$h" -o "$to/$(basename "$h").part"
	done
	run 0 sync "$to"/*.part --save "$to/all.sync"
	for h in "$2"/*/; do
		others=()
		for o in "$2"/*/; do [ "$o" = "$h" ] || others+=("$to/$(basename "$o").part"); done
		run 0 part --full --sync "$to/all.sync" "$h" "${others[@]}" -o "$to/$(basename "$h").full"
	done
}
# Paths differ, where findings name streams.
without_paths() { sed 's/"path":"[^"]*"//g' "$1" >"$1.out"; }
# questions NAME FOLDER: those of standard input
questions() {
	while read -r -a words; do
		every 4 || continue
		"$m" "${words[@]}" -q --no-store --sync "$dir/$1/all.sync" "$2" >"$dir/all" 2>/dev/null
		run $? "${words[@]}" -q --sync "$dir/$1/all.sync" "$dir/$1"/*.full
		cp "$dir/out" "$dir/full"
		without_paths "$dir/all"
		without_paths "$dir/full"
		same "${words[*]} of $1" "$dir/all.out" "$dir/full.out"
		[ -s "$dir/all" ] && ok || fail "${words[*]} of $1 says nothing"
	done
}
all_questions() {
	questions "$1" "$2" <<'END'
requests
requests --json
requests --all --format csv
requests --explain
requests --cost --json
requests --bins 7 --json
requests --begin +500ms --end +900ms
requests r1.1 --json
top requests --json
log requests --format csv
stats requests
log messages --format csv
top messages --json
log waits --format csv
stats waits --json
stats net --json
top net --table all --json
freq net
log net --format csv
top servers --json
blocked --flat --json
blocked
path --list --json
latency --json
top cpu --json
top syscall --bins 5
stats sched --json
END
}

"$KERNELWORLD" -o "$dir/pool" --services pool --hosts 3 --seed 17 --duration 1s --statedump --no-truth >/dev/null || fail "kernelworld"
rm -rf "$dir/pool/truth" # no host
make_full p "$dir/pool"
all_questions p "$dir/pool"
"$KERNELWORLD" -o "$dir/lossy" --hosts 3 --tasks 6 --cpus 2 --duration 700ms --seed 23 --lost 3% --statedump --no-truth >/dev/null
rm -rf "$dir/lossy/truth"
make_full l "$dir/lossy"
all_questions l "$dir/lossy"
for recording in web-load web-lossy stock-shop; do
	! is_part && there "$lab/$recording" || continue
	make_full "$recording" "$lab/$recording"
	all_questions "$recording" "$lab/$recording"
done

# ---- Of a host the parts of those alone that it exchanged messages with ----

"$KERNELWORLD" -o "$dir/ring" --hosts 6 --tasks 6 --cpus 2 --duration 500ms --seed 8 --statedump --clock --no-truth >/dev/null
rm -rf "$dir/ring/truth"
mkdir "$dir/r"
for h in h0 h1 h2 h3 h4 h5; do run 0 part --rate 0 "$dir/ring/$h" -o "$dir/r/$h.part"; done
run 0 sync "$dir"/r/*.part --save "$dir/r/all.sync"
most=0
for h in h0 h1 h2 h3 h4 h5; do
	peers=()
	while read -r o; do peers+=("$dir/r/$o.part"); done < <(jq -r --arg h $h '.pairs[] | select(.a == $h or .b == $h) | if .a == $h then .b else .a end' "$dir/r/all.sync")
	[ ${#peers[@]} -gt $most ] && most=${#peers[@]}
	run 0 part --full --sync "$dir/r/all.sync" "$dir/ring/$h" "${peers[@]}" -o "$dir/r/$h.full"
	run 2 part --full --sync "$dir/r/all.sync" "$dir/ring/$h" "${peers[@]:1}" -o "$dir/x.full"
	text "$dir/err" "$h exchanged messages with $(basename "${peers[0]}" .part), whose part is missing: give it, too"
done
[ "$most" -lt 5 ] && ok || fail "all of the ring's hosts exchange messages: nothing is left out"
all_questions r "$dir/ring"
run 0 requests "$dir"/r/*.full --json # by the clocks in them
cp "$dir/out" "$dir/own"
run 0 requests "$dir"/r/h[543210].full --sync "$dir/r/all.sync" --json
same "clocks that were put together" <(jq 'del(.sync.file)' "$dir/own") <(jq 'del(.sync.file)' "$dir/out")
run 3 requests "$dir"/r/h[0-4].full
text "$dir/err" 'made together with h5, too'

# ---- With and without the file of clocks, a part in place of a host, in any order ----

set -- "$dir"/p/*.full
run 0 requests -q "$@" --format csv
cp "$dir/out" "$dir/own"
run 0 requests -q "$3" "$1" "$2" --format csv --sync "$dir/p/all.sync"
same "the clocks are in the parts" "$dir/own" "$dir/out"
run 2 requests "$1" "$2" "${3%.full}.part"
text "$dir/err" 'the clocks of hosts without a full part are in none of these: give the file of clocks'
run 0 requests "$1" "$2" "${3%.full}.part" --sync "$dir/p/all.sync" --json
jq -e '.tables[0].rows | length > 0' "$dir/out" >/dev/null && ok || fail "without a host: $(head -c 300 "$dir/out")"
run 3 requests "$1"
text "$dir/err" 'made together with h1, h2, too: give the full parts of all hosts'
run 3 requests "$1" "$2"
text "$dir/err" 'made together with h2, too'
run 3 requests "$@" --sync none
text "$dir/err" 'of other hosts, with other clocks'
run 0 requests -q "$@" "$1" --format csv
same "one is given twice" "$dir/own" "$dir/out"

# ---- Without facts ----

mkdir "$dir/n"
for h in h0 h1 h2; do
	others=()
	for o in h0 h1 h2; do [ $o = $h ] || others+=("$dir/p/$o.part"); done
	run 0 part --full --no-facts --sync "$dir/p/all.sync" "$dir/pool/$h" "${others[@]}" -o "$dir/n/$h.full"
	[ "$(stat -c %s "$dir/n/$h.full")" -lt $(($(stat -c %s "$dir/p/$h.full") * 3 / 4)) ] && ok || fail "facts are left out, but it is as large"
done
cp "$dir/p/all.sync" "$dir/n"
questions n "$dir/pool" <<'END'
requests --json
path --list --json
blocked --flat --json
requests --cost --json
requests --explain
END
run 2 top cpu "$dir"/n/*.full
text "$dir/err" "'cpu' needs facts, and these full parts were made without them"
run 2 summary "$1" "$2" "$dir/n/h2.full"
run 0 requests -q "$1" "$2" "$dir/n/h2.full" --format csv
same "some without facts" "$dir/own" "$dir/out"

run 0 requests -q "${1%.full}.part" "$@" "${2%.full}.part" --format csv
same "parts beside full parts" "$dir/own" "$dir/out"

# ---- What needs events says so ----

for question in 'events' 'graph' 'top mpi' 'top vm' 'check' 'events -n 1'; do
	# shellcheck disable=SC2086
	"$m" $question "$@" >"$dir/out" 2>"$dir/err" && fail "$question answers without events"
	text "$dir/err" 'full parts of recordings (have none|do not have)' "$question"
done
run 0 info "$@"

# ---- What does not belong together ----

h=$(basename "${1%.full}")
run 2 part --full "$dir/pool/$h" "$2" -o "$dir/x.full"
text "$dir/err" 'full parts are among these'
run 2 part --full "${1%.full}.part" -o "$dir/x.full"
text "$dir/err" 'these are parts only'
run 2 part --full --rate 3 "$dir/pool/$h" -o "$dir/x.full"
run 0 part "$dir/pool/$(basename "${2%.full}")" -o "$dir/some.part"
run 2 part --full "$dir/pool/$h" "$dir/some.part" -o "$dir/x.full"
text "$dir/err" 'some of the messages only: make the parts of all hosts with --rate 0'
[ ! -e "$dir/x.full" ] && ok || fail "a file although it was refused"
equal "files that are left" "$(find "$dir" -maxdepth 1 -name 'x.full*')" ""
# Its own part beside its traces is left out.
run 0 part --full --sync "$dir/p/all.sync" "$dir/pool/$h" "$dir"/p/*.part -o "$dir/x.full"
run 0 requests -q "$dir/x.full" "$2" "$3" --format csv
same "its own part beside its traces" "$dir/own" "$dir/out"
"$m" part --full --sync "$dir/p/all.sync" "$dir/pool/$h" "$dir"/p/*.part -o - >"$dir/y.full" 2>/dev/null
run 0 requests -q "$dir/y.full" "$2" "$3" --format csv
same "standard output" "$dir/own" "$dir/out"

# ---- Damage ----

size=$(stat -c %s "$1")
for cut in 1 9 $((size / 2)) $((size - 5)); do
	head -c $((size - cut)) "$1" >"$dir/cut.full"
	run 3 requests "$dir/cut.full" "$2" "$3"
	text "$dir/err" 'cut.full' "cut by $cut"
done
# A changed byte in what is saved, in an archive that is sound.
mkdir "$dir/open"
tar -xzf "$1" -C "$dir/open"
bytes=$(stat -c %s "$dir/open/world")
for ((i = 1; i < 12; i++)); do
	cp "$dir/open/world" "$dir/world.was"
	printf '\377' | dd of="$dir/open/world" bs=1 seek=$((bytes * i / 12)) conv=notrunc status=none
	(cd "$dir/open" && tar --format=ustar -czf "$dir/odd$i.full" meridian-part -- notes clocks [0-9]* world)
	"$m" requests "$dir/odd$i.full" "$2" "$3" --format csv >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status -eq 3 ] || grep -q 'full part is damaged' "$dir/err" || cmp -s "$dir/out" "$dir/own" && ok || fail "a changed byte at $i/12: exit $status: $(head -2 "$dir/err")"
	mv "$dir/world.was" "$dir/open/world"
done
finish
