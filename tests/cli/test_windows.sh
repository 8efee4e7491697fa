#!/usr/bin/env bash
# Reading only the window: with the states that an earlier reading left in the cache folder, each verb says the same as
# one that reads everything, for any window. WINDOWS: how many of each recording; SHARE: every so many-th output of it,
# in turn, so that each of four recordings that follow each other has what the others lack.
. "${0%/*}/lib.sh"
plain_only
export TZ=UTC COLUMNS=200
RANDOM=${SEED:-7}
windows=${WINDOWS:-1}
n=0 same=0 n_states=0 n_waits=0 n_facts=0 n_accounts=0

# Analyses of which facts are kept.
kept=(io disk net mem faults futex cpufreq servers)

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

# one TRACE ARGUMENT...: the same output with states and without?
one() {
	local t=$1
	shift
	((turn++ % share == 0)) || return
	rm -f "$dir"/none/meridian/{states,waits,accounts}-* # but not the clocks, which take longer
	XDG_CACHE_HOME=$dir/none HOME=/nonexistent "$m" "$@" "$t" >"$dir/whole" 2>"$dir/whole.err"
	XDG_CACHE_HOME=$cache "$m" "$@" "$t" >"$dir/part" 2>"$dir/part.err"
	n=$((n + 1))
	if cmp -s "$dir/whole" "$dir/part" && cmp -s "$dir/whole.err" "$dir/part.err"; then
		same=$((same + 1))
	else
		fail "meridian $* $t: $(diff "$dir/whole" "$dir/part" | head -4 | cut -c1-200) $(diff "$dir/whole.err" "$dir/part.err" | head -3)"
	fi
}

share=${SHARE:-4} turn=0 number=0
for t in "$lab"/* "${worlds[@]}"; do
	turn=$((number++))
	name=${t##*/}
	[ -z "${ONLY:-}" ] || [[ $name = *$ONLY* ]] || continue
	cache=$dir/cache-$name
	# What the first readings leave; without synchronization all verbs would have to wait for it again.
	XDG_CACHE_HOME=$cache "$m" path --list "$t" >/dev/null 2>&1
	XDG_CACHE_HOME=$cache "$m" top irq "$t" >/dev/null 2>&1
	XDG_CACHE_HOME=$cache "$m" blocked "$t" >/dev/null 2>&1
	XDG_CACHE_HOME=$cache "$m" task --comm '*' --nth 1 "$t" >/dev/null 2>&1
	XDG_CACHE_HOME=$cache "$m" task --comm '*' --nth 1 --table accounting "$t" >/dev/null 2>&1
	XDG_CACHE_HOME=$cache "$m" top syscall "$t" >/dev/null 2>&1
	# Their facts are kept by kind.
	first=$((RANDOM % 8)) # half of them, in turn: all would take long
	some=("${kept[@]:first:4}" "${kept[@]:0:$((first > 4 ? first - 4 : 0))}")
	for a in "${some[@]}"; do
		XDG_CACHE_HOME=$cache "$m" top "$a" --table all --format csv "$t" >/dev/null 2>&1
	done
	for a in log freq stats; do
		XDG_CACHE_HOME=$cache "$m" $a io "$t" >/dev/null 2>&1
	done
	XDG_CACHE_HOME=$cache "$m" cache list --format csv >"$dir/kept" 2>/dev/null
	n_states=$((n_states + $(grep -c '^states,' "$dir/kept")))
	n_waits=$((n_waits + $(grep -c '^waits,' "$dir/kept")))
	n_accounts=$((n_accounts + $(grep -c '^accounts,' "$dir/kept")))
	n_facts=$((n_facts + $(grep -c '^facts,' "$dir/kept")))
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
		for a in "${some[RANDOM % 4]}"; do # servers have no such tables: an error then, too
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
		for a in "top syscall" "log syscall" "top poll" "log io" "top io" "top net"; do # as text: without idle waits
			# shellcheck disable=SC2086
			one "$t" $a --begin "$b" --end "$e"
		done
		# Of periods from the first one to the last one, with a window and without.
		for a in "top cpu" "top sched" "stats syscall" "log irq" "top ${some[RANDOM % 4]}"; do
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
	done
	rm -rf "$cache" "$dir/none"
done
share=1
# What is damaged or not there is read again, with the same answer and the same warnings; and kept again.
# damaged RECORDING ANALYSIS BEGIN END
damaged() {
	local t=$lab/$1 size file
	cache=$dir/cache-damaged-$2
	XDG_CACHE_HOME=$cache "$m" top "$2" "$t" >/dev/null 2>&1
	for file in "$cache"/meridian/facts-*; do
		size=$(stat -c %s "$file")
		cp "$file" "$dir/sound"
		printf '\377\377\377\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
		one "$t" top "$2" --begin "$3" --end "$4" --format csv
		cp "$dir/sound" "$file"
		truncate -s $((size / 2)) "$file"
		one "$t" top "$2" --begin "$3" --end "$4" --format csv
		rm -f "$file"
		one "$t" top "$2" --begin "$3" --end "$4" --format csv
		[ -e "$file" ] || fail "facts that were not there are not kept"
	done
}
# The same of what is kept for the cost of tasks.
damaged_accounts() {
	local t=$lab/$1 size file
	cache=$dir/cache-accounts
	XDG_CACHE_HOME=$cache "$m" task --comm '*' --nth 2 "$t" >/dev/null 2>&1
	for file in "$cache"/meridian/accounts-*; do
		size=$(stat -c %s "$file")
		printf '\377\377\377\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
		one "$t" task --comm '*' --nth 2 --begin "$2" --end "$3" --json
		rm -f "$file"
		one "$t" task --comm '*' --nth 2 --begin "$2" --end "$3" --json
		[ -e "$file" ] || fail "accounts that were not there are not kept"
	done
}
damaged_accounts reader-zoo +0.2s +0.6s
damaged reader-zoo disk +0.2s +0.6s
damaged long-ntp net +50s +60s
echo "$n outputs, $((n - same)) differences"
equal "outputs that differ" "$((n - same))" 0
[ "$n_states" -gt 0 ] || [ $n -eq 0 ] || fail "cache list shows no states"
[ "$n_waits" -gt 0 ] || [ $n -eq 0 ] || fail "cache list shows no waits"
[ "$n_accounts" -gt 0 ] || [ $n -eq 0 ] || fail "cache list shows no accounts"
[ "$n_facts" -gt 0 ] || [ $n -eq 0 ] || fail "cache list shows no facts"
finish
