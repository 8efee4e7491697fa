#!/usr/bin/env bash
# From a store each verb says the same as from the traces, for any window. WINDOWS: how many of each recording; SHARE:
# every so many-th output of it, in turn, so that each of four recordings that follow each other has what the others lack.
. "${0%/*}/lib.sh"
plain_only
export TZ=UTC COLUMNS=200
RANDOM=${SEED:-7}
windows=${WINDOWS:-1}
n=0 same=0 n_stores=0

some=(io disk net mem faults futex cpufreq waits requests messages servers)

# Hosts that nobody recorded, besides: other seeds each time with SEED.
worlds=()
if [ -x "${KERNELWORLD:-}" ]; then
	for options in "--hosts 2 --clock --statedump" "--reuse --races --cpus 4" "--lost 3%"; do
		worlds+=("$dir/world-$((RANDOM % 1000))")
		# shellcheck disable=SC2086
		"$KERNELWORLD" -o "${worlds[-1]}" $options --seed "$RANDOM" --tasks 6 --events 40000 --packet 16384 --no-truth >/dev/null
	done
fi

# Seconds from the first event to the last one, as info has them.
length() {
	"$m" info --json "$1" 2>/dev/null | jq -r '(.end - .begin) / 1e9'
}

# one TRACE ARGUMENT...: the same output from the store and from the traces?
one() {
	local t=$1
	shift
	((turn++ % share == 0)) || return
	XDG_CACHE_HOME=$cache "$m" "$@" --no-store "$t" >"$dir/read" 2>"$dir/read.err"
	XDG_CACHE_HOME=$cache "$m" "$@" "$t" >"$dir/stored" 2>"$dir/stored.err"
	n=$((n + 1))
	if cmp -s "$dir/read" "$dir/stored" && cmp -s "$dir/read.err" "$dir/stored.err"; then
		same=$((same + 1))
	else
		fail "meridian $* $t: $(diff "$dir/read" "$dir/stored" | head -4 | cut -c1-200) $(diff "$dir/read.err" "$dir/stored.err" | head -3)"
	fi
}

share=${SHARE:-4} turn=0 number=0
for t in "$lab"/* "${worlds[@]}"; do
	turn=$((number++))
	name=${t##*/}
	[ -z "${ONLY:-}" ] || [[ $name = *$ONLY* ]] || continue
	cache=$dir/cache-$name
	XDG_CACHE_HOME=$cache "$m" path --list --store "$t" >/dev/null 2>&1
	n_stores=$((n_stores + $(XDG_CACHE_HOME=$cache "$m" cache list --format csv 2>/dev/null | grep -c '^store,')))
	s=$(length "$t")
	[ -n "$s" ] || continue
	for ((i = 0; i < windows; i++)); do
		read -r b e < <(awk -v s="$s" -v r="$RANDOM" -v q="$RANDOM" 'BEGIN {
			w = s / (5 + q / 32768 * 300); b = r / 32768 * (s - w); printf "+%.6fs +%.6fs\n", b, b + w }')
		for a in "top cpu" "log cpu" "freq cpu" "stats cpu" "top sched" "log sched" "stats sched" \
			"top irq" "log irq" "stats irq" "top syscall" "stats syscall" "log syscall --all" "freq syscall" \
			"top poll" "log poll --all" "stats poll"; do
			# shellcheck disable=SC2086
			one "$t" $a --begin "$b" --end "$e" --format csv
		done
		for a in "${some[@]}"; do
			one "$t" top "$a" --begin "$b" --end "$e" --table all --format csv
		done
		for a in "${some[RANDOM % ${#some[@]}]}"; do # servers have no such tables: an error then, too
			one "$t" log "$a" --begin "$b" --end "$e" --all --format csv
			one "$t" stats "$a" --begin "$b" --end "$e" --format csv
			one "$t" freq "$a" --begin "$b" --end "$e" --format csv
			one "$t" top "$a" --begin "$b" --end "$e" --bins 5 --format csv
		done
		one "$t" top disk --begin "$b" --end "$e" --comm '*s*' --format csv
		one "$t" top io --begin "$b" --end "$e" --comm '*s*' --group-by program --format csv
		one "$t" top cpu --begin "$b" --end "$e" --bins 7 --format csv
		one "$t" top sched --begin "$b" --end "$e" --comm 's*' --format csv
		one "$t" path --list --begin "$b" --end "$e" --format csv
		for a in "top syscall" "log syscall" "top poll" "log io" "top io" "top net" "top waits" "log waits"; do # as text: without idle waits
			# shellcheck disable=SC2086
			one "$t" $a --begin "$b" --end "$e"
		done
		# Of periods from the first one to the last one, with a window and without.
		for a in "top cpu" "top sched" "stats syscall" "log irq" "top ${some[RANDOM % ${#some[@]}]}"; do
			# shellcheck disable=SC2086
			one "$t" $a --period 'syscall_entry_read : syscall_exit_read' --begin "$b" --end "$e" --format csv
		done
		one "$t" top syscall --period 'syscall_entry_openat : syscall_exit_openat' --begin "$b" --end "$e"
		one "$t" top cpu --period 'syscall_entry_openat : syscall_exit_openat' --format csv
		one "$t" path --children --begin "$b" --end "$e"
		one "$t" path --children --nth "$((1 + RANDOM % 9))" --begin "$b" --end "$e" --json
		one "$t" diff --comm '*' --begin "$b" --end "$e" --format json
		one "$t" task --comm '*' --nth "$((1 + RANDOM % 9))" --begin "$b" --end "$e" --json
		one "$t" task --comm '*' --nth "$((1 + RANDOM % 9))" --begin "$b" --end "$e" --all
		one "$t" task --comm '*' --nth "$((1 + RANDOM % 9))" --begin "$b" --end "$e" --format csv
		one "$t" blocked --begin "$b" --end "$e"
		one "$t" blocked --all --begin "$b" --end "$e" --format csv
		one "$t" blocked --comm 's*' --begin "$b" --end "$e" --format json
		one "$t" blocked --comm '*' --depth 6 --all --begin "$b" --end "$e" --format csv
		one "$t" summary --begin "$b" --end "$e"
		one "$t" requests --begin "$b" --end "$e" --format csv
		one "$t" requests --explain --begin "$b" --end "$e"
		one "$t" requests --explain --slowest 3 --begin "$b" --end "$e" --json
		one "$t" latency --begin "$b" --end "$e"
		one "$t" latency --json
		one "$t" latency --messages --begin "$b" --end "$e" --format csv
		one "$t" latency --method offset --sync none --begin "$b" --end "$e" --json
		one "$t" sync --begin "$b" --end "$e" --json
		one "$t" graph --requests --begin "$b" --end "$e" --format csv
	done
	rm -rf "$cache"
done
echo "$n outputs, $((n - same)) differences"
equal "outputs that differ" "$((n - same))" 0
[ "$n_stores" -gt 0 ] || [ $n -eq 0 ] || fail "cache list shows no store"
finish
