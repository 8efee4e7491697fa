#!/usr/bin/env bash
# No byte of a trace steers the terminal. Every verb, in each of its formats, is run on traces in which
# every name, text and label is hostile (hostile.scn), one of them cut off: neither what it prints nor what
# it says has a control character (C0 but line ends and tabs, DEL, C1 as U+0080 to U+009F), a change of
# direction, a byte that is not UTF-8, or a line that a name made.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80
check "the scenario" "$ctfgen" -o "$dir/hostile" "$SRC/tests/cli/hostile.scn"
client=$'c\e[31m\nFORGED\x9b\xc2\x9b'

# harmless FILE WHAT
harmless() {
	local bad
	bad=$(LC_ALL=C grep -aPn -m1 '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b\x8e\x8f\xa8-\xae]|\xef\xbb\xbf|^FORGED' "$1" |
		cut -c1-200 | cat -v)
	[ -z "$bad" ] || fail "$2: $bad"
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "$2: not UTF-8"
}
# No "1 hosts".
singular() {
	local bad
	bad=$(LC_ALL=C grep -aoEm1 '(^|[ (,])1 (more |other |of )?(hosts|traces|events|packets|tasks|rows|bytes|files|streams|messages|fields|records|periods|bins|times|processes|threads|CPUs|pairs|clocks|requests|waits|errors|warnings|findings|pieces|points|histograms|relations)\b.*' "$1" | cut -c1-80)
	[ -z "$bad" ] || fail "$2: '$bad'"
}
n_runs=0 n_shown=0
# try ARGUMENT...: any exit status but a crash
try() {
	timeout 60 "$m" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	local got=$?
	((got <= 5)) || fail "meridian $*: exit $got"
	((n_runs++))
	[ -s "$dir/out" ] && ((n_shown++))
	harmless "$dir/out" "meridian $*"
	harmless "$dir/err" "meridian $* (stderr)"
	singular "$dir/out" "meridian $*"
	singular "$dir/err" "meridian $* (stderr)"
	# JSON is JSON.
	if [[ " $* " == *" json"* ]] && [ -s "$dir/out" ] && command -v jq >/dev/null; then
		jq -e . "$dir/out" >/dev/null 2>&1 || fail "meridian $*: no JSON"
	fi
}

T=$dir/hostile
while IFS=$'\t' read -r verb _; do
	formats=$("$m" "$verb" --help | tr '\n' ' ' |
		sed -nE 's/.*--format FORMAT +([a-z, ()]*[a-z])  .*/\1/p' | tr -d ',()' | sed 's/default//; s/ or / /')
	words=("$T")
	case $verb in
	help | version | completion) continue ;; # no traces
	layout) words=("$T" "$(printf 'ask\e[31m\nFORGED\x9b\xc2\x9b')") ;;
	path | task | diff | blocked) words=(--tid 10,20 "$T") ;;
	export) words=(-o "$dir/lake" "$T") ;;
	query) words=("$T" 'select * from syscall; select * from sched') ;;
	esac
	for format in ${formats:-table}; do
		case $verb in
		top | log | freq)
			for a in cpu cpufreq sched poll io net mem faults syscall irq futex waits requests messages servers; do
				try "$verb" "$a" --format "$format" -n 0 "$T"
			done
			;;
		*)
			try "$verb" --format "$format" "${words[@]}"
			try "$verb" -v --format "$format" --host "$client" "${words[@]}"
			;;
		esac
	done
done < <("$m" --verbs)

# More of what verbs print.
try events --fields $'field\e\n\x9b\xc2\x9b,text' "$T"
try events --fields $'no\e\n\x9b' "$T"
try events -f $'nofield\e == "\e\n\x9b"' "$T"
try events --headers --format json "$T"
try events --host $'no\e\n\x9b' "$T"
try path --list "$T"
try path --children --tid 10 "$T"
try path --tid 10 --collapse 0 "$T"
try path --comm '*' --nth 1 "$T"
try path --comm $'no\e\n\x9b\xc2\x9b' "$T"
try blocked --all --tid 20 "$T"
try diff --tid 10 --nth 1 --tid-b 20 "$T"
try graph --all "$T"
try graph --requests "$T"
try graph --requests --format dot "$T"
try requests --list "$T"
try requests --tree "$T"
try requests --explain "$T"
for format in otlp perfetto folded speedscope; do try requests --format $format "$T"; done
try top io --table list "$T"
for t in files disks top_files top_disks bins_tasks map; do try top io --table "$t" "$T"; done
try top cpu --bins 5 "$T"
try log syscall --sort ret "$T"
try stats syscall "$T"
try stats io "$T"
try info --count --streams "$T"
try sync --pairs "$T"
try sync --at "$client:+10ms" "$T"
try layout "$T" nosuch
try layout "$T" "$(printf 'ask\e[31m\nFORGED\x9b\xc2\x9b')" --json
try top cpu --name $'no\e\n\x9b' "$T"
try "$(printf 'no\e\n\x9b\xc2\x9bverb')" "$T"
try info "$(printf 'no\e\n\x9b\xc2\x9b')"
cp -r "$T" "$dir/$(printf 'f\e[31m\nFORGED')"
try info "$dir/$(printf 'f\e[31m\nFORGED')"
try check "$dir/$(printf 'f\e[31m\nFORGED')"

# Pictures.
for picture in "summary" "top cpu" "top io" "log io" "sync" "graph" "latency" "requests"; do
	rm -f "$dir/p.svg"
	# shellcheck disable=SC2086
	timeout 60 "$m" $picture --plot "$dir/p.svg" "$T" >/dev/null 2>&1 </dev/null
	[ -s "$dir/p.svg" ] || continue
	((n_shown++))
	harmless "$dir/p.svg" "$picture --plot"
	if command -v xmllint >/dev/null; then
		xmllint --noout "$dir/p.svg" 2>/dev/null || fail "$picture --plot: no XML"
	fi
done
((n_runs > 80 && n_shown > 60)) || fail "only $n_runs runs, $n_shown with output"

# Where the locale is not UTF-8, everything that people read is ASCII, and JSON and pictures stay UTF-8.
ascii() {
	LC_ALL=C grep -aqP '[^\x00-\x7f]' "$dir/$1" && fail "LC_ALL=C: $2 is not ASCII: $(LC_ALL=C grep -aPm1 '[^\x00-\x7f]' "$dir/$1" | cut -c1-120 | cat -v)"
}
cat >"$dir/wide.scn" <<'EOF2'
host "zürich" { hostname "zürich" }
1ms "zürich" 0 sched_switch prev_comm="swapper/0" prev_tid=0 next_comm="größer" next_tid=42
9ms "zürich" 0 sched_switch prev_comm="größer" prev_tid=42 next_comm="swapper/0" next_tid=0
10ms "zürich" 0 tick text="naïve → …"
EOF2
check "umlauts" "$ctfgen" -o "$dir/wide" "$dir/wide.scn"
# Where there is one of everything.
cat >"$dir/one.scn" <<'EOF2'
host a
1ms 0 sched_switch prev_comm="swapper/0" next_comm="x" next_tid=1
1ms 0 lost 1
2ms 0 skip 1
3ms 0 tick n=1
EOF2
check "one of everything" "$ctfgen" -o "$dir/one" "$dir/one.scn"
for args in "info --count --streams" "stats" "check" "summary" "top cpu" "log cpu" "freq cpu" "stats cpu" "events" \
	"path --list" "path --tid 1" "task --tid 1" "blocked --all --tid 1" "graph" "diff --tid 1" "latency" "sync" "requests" "requests --list"; do
	# shellcheck disable=SC2086
	try $args -v "$dir/one"
	# shellcheck disable=SC2086
	try $args "$dir/one" "$dir/wide"
done

for args in "events" "info" "top cpu" "summary" "path --tid 42" "blocked --tid 42" "check" "stats" "log cpu" \
	"freq cpu" "top nothing" "events --host nowhere"; do
	# shellcheck disable=SC2086
	LC_ALL=C "$m" $args "$dir/wide" >"$dir/out" 2>"$dir/err" </dev/null
	ascii out "$args"
	ascii err "$args (stderr)"
done
LC_ALL=C "$m" events "$dir/wide" >"$dir/out"
grep -qF 'z\u00fcrich tick: { cpu_id = 0 }, { text = "na\u00efve \u2192 \u2026" }' "$dir/out" || fail "LC_ALL=C: no escapes"
LC_ALL=C.UTF-8 "$m" events "$dir/wide" >"$dir/out"
grep -qF 'zürich tick: { cpu_id = 0 }, { text = "naïve → …" }' "$dir/out" || fail "UTF-8: escapes"
LC_ALL=C "$m" events --format jsonl "$dir/wide" >"$dir/out"
text "$dir/out" 'naïve → …'
LC_ALL=C "$m" top cpu "$T" >"$dir/out" 2>/dev/null
ascii out "top cpu"
COLUMNS=120 LC_ALL=C "$m" top cpu "$dir/wide" >"$dir/out" 2>/dev/null
text "$dir/out" '####'
COLUMNS=120 LC_ALL=C.UTF-8 "$m" top cpu "$dir/wide" >"$dir/out" 2>/dev/null
text "$dir/out" '████'

# Cells that a spreadsheet would run.
cat >"$dir/formula.scn" <<'EOF2'
host "=1+1" { hostname "=1+1" }
1ms "=1+1" 0 sched_switch prev_comm="swapper/0" next_comm="-bash" next_tid=42
9ms "=1+1" 0 sched_switch prev_comm="-bash" prev_tid=42 next_comm="swapper/0" next_tid=0
EOF2
check "formulas" "$ctfgen" -o "$dir/formula" "$dir/formula.scn"
run 0 top cpu --format csv "$dir/formula"
text "$dir/out" '^=1\+1,42,,-bash,'
run 0 top cpu --format csv --csv-safe "$dir/formula"
text "$dir/out" "^'=1\+1,42,,'-bash,"
run 0 events --format csv --csv-safe --fields prev_comm "$dir/formula"
text "$dir/out" ",'=1\+1,0,sched_switch,'-bash$"
finish
