#!/usr/bin/env bash
# An option means the same in every verb: -n, --sort and -r, --pid, --nth, HOST:TIME, --table list; what
# cannot be is refused with the right exit status, and every text has its plural right.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=100
cd "$SRC" || exit 1
demo=demo/wget-cold-hot

# -n N everywhere where there is -n, and 0 is all.
for verb in $("$m" --verbs | cut -f1); do
	"$m" "$verb" --help | grep -q -- '-n, ' || continue
	"$m" "$verb" --help | grep -q -- '-n, --limit N ' && ok || fail "$verb: -n is not --limit"
done
n() { "$m" "$@" -q $demo 2>/dev/null | wc -l; }
for args in "events" "stats" "latency -m" "blocked --comm wget" "top cpu" "log sched" "path --list" "diff --comm wget" \
	"task --tid 232" "graph"; do
	# shellcheck disable=SC2086
	one=$(n $args -n 1) all=$(n $args -n 0)
	((all > one)) && ok || fail "$args: -n 0 has $all lines, -n 1 $one"
done

# Names go from a to z, amounts from the largest, times forward; -r turns it round; + is ascending.
column() { "$m" "${@:2}" -q --format csv -n 0 $demo 2>/dev/null | awk -F, -v c="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i; next } { print $k }'; }
equal "names" "$(column comm top cpu --sort comm)" "$(column comm top cpu --sort comm | LC_ALL=C sort)"
equal "names backwards" "$(column comm top cpu --sort comm -r)" "$(column comm top cpu --sort comm | LC_ALL=C sort -r)"
equal "amounts" "$(column user_ns top cpu --sort user)" "$(column user_ns top cpu | sort -nr)"
equal "amounts backwards" "$(column user_ns top cpu --sort user -r)" "$(column user_ns top cpu | sort -n)"
equal "ascending" "$(column user_ns top cpu --sort +user)" "$(column user_ns top cpu | sort -n)"
equal "-r alone" "$(column self_ns top cpu -r)" "$(column self_ns top cpu | sort -n)"
equal "times" "$(column begin log sched --sort begin)" "$(column begin log sched)"
equal "times backwards" "$(column begin log sched -r)" "$(column begin log sched | sort -nr)"
equal "the visible heading" "$(column self_ns top cpu --sort time)" "$(column self_ns top cpu)"
for word in "System calls" system-calls System_Calls syscall; do
	equal "$word" "$(column syscall_ns top cpu --sort "$word")" "$(column syscall_ns top cpu | sort -nr)"
done
run 2 top cpu --sort nothing $demo
equal "messages" "$(column duration_ns latency -m --sort duration)" "$(column duration_ns latency -m | sort -nr)"
equal "messages, by key" "$(column duration_ns latency -m --sort duration_ns)" "$(column duration_ns latency -m | sort -nr)"
equal "messages, by heading" "$(column duration_ns latency -m --sort Took -r)" "$(column duration_ns latency -m | sort -n)"
run 0 stats --help
text "$dir/out" '--sort KEY +with an ANALYSIS'
run 2 stats -r $demo
text "$dir/err" "option --reverse does not apply to 'stats' without an analysis"

# --pid: all threads of the process; beside --tid both are meant.
equal "a process" "$(column pid top cpu --pid 154,232 | sort -u | tr '\n' ' ')" "154 232 "
threads=$(column tid top cpu --pid 150 --host client | sort -n | tr '\n' ' ')
equal "its threads" "$threads" "$("$m" top cpu -q --format csv -n 0 --host client $demo | awk -F, '$3 == 150 { print $2 }' | sort -n | tr '\n' ' ')"
[ "$(wc -w <<<"$threads")" -gt 1 ] && ok || fail "one thread only: $threads"
equal "or a thread" "$(column tid top cpu --pid 154 --tid 232 | sort -n | tr '\n' ' ')" "154 232 "
run 0 path --pid 232 $demo
text "$dir/out" '^wget/232 on client'
# Who does not know which threads a process has refuses, and does not offer it.
for words in "events --pid 154" "--pid 154 events"; do
	# shellcheck disable=SC2086
	run 2 $words $demo
	text "$dir/err" "--pid needs to know which threads a process has, which 'events' does not read: use --tid, or -f 'pid == N'"
done
run 0 events -f 'pid == 154' -n 1 $demo
text "$dir/out" 'pid = 154'
run 0 events --help
no_text "$dir/out" '--pid'
no_text <("$m" --man meridian-events) '-pid'
run 0 top --help
text "$dir/out" '--tid N .*--pid: processes'
run 2 stats --pid 154 $demo
text "$dir/err" "--pid needs to know which threads a process has, which 'stats' without an analysis does not read"
run 2 stats --tid 154 --pid 154 $demo
text "$dir/err" "use --tid, or --filter 'pid == N'"
run 2 path --pid 99999,99998 --tid 88885-88886 $demo
text "$dir/err" 'no task with pid 99999,99998 or tid 88885-88886'

# --begin HOST:TIME is that host's own clock, in every verb that takes --begin.
at=02:35:46.158747332
first() { "$m" events -q -n 1 --format jsonl "$@" $demo | sed -E 's/.*"time":([0-9]+).*/\1/'; }
equal "that instant" "$(first --begin server:$at)" "$(first --begin "$(first --begin server:$at)")"
own=$("$m" events -q --sync none --host server --begin $at -n 1 --format jsonl $demo | sed -E 's/"time":[0-9]+//')
equal "the same event" "$("$m" events -q --host server --begin server:$at -n 1 --format jsonl $demo | sed -E 's/"time":[0-9]+//')" "$own"
equal "as recorded" "$("$m" events -q --sync none --host server --begin server:$at -n 1 --format jsonl $demo | sed -E 's/"time":[0-9]+//')" "$own"
for verb in $("$m" --verbs | cut -f1); do
	"$m" "$verb" --help | grep -q -- '--begin TIME' || continue
	case $verb in
	top | log | freq) words="cpu $demo" ;;
	path | task | diff | blocked) words="--comm wget $demo" ;;
	export) words="-o $dir/lake $demo" ;;
	query) words="-f tests/cli/query.sql $demo" ;;
	*) words=$demo ;;
	esac
	# shellcheck disable=SC2086
	"$m" $verb --begin server:02:35:45.4 --end server:+6s $words >/dev/null 2>"$dir/err" </dev/null
	[ $? -eq 0 ] && ok || fail "$verb --begin HOST:TIME: $(head -2 "$dir/err")"
	# shellcheck disable=SC2086
	run 2 $verb --begin nobody:+1s $words
	text "$dir/err" "'nobody:\+1s' names no host of the traces; they have: client, server" "$verb"
done
run 2 diff --comm wget --begin-b client:+1s $demo
text "$dir/err" 'is for --begin and --end only'
run 2 events --begin x:yesterday $demo
text "$dir/err" "'x:yesterday' is not a time.* HOST:TIME"

# Tables can be listed without quotes for the shell.
for word in list help '?'; do
	run 0 top cpu --table $word $demo
	text "$dir/out" '^processes: CPU usage by process' "--table $word"
done

# Traces that lack what a verb needs: input, not usage.
check "no scheduling" "$ctfgen" -o "$dir/net" tests/tools/two-hosts.scn
for verb in path task; do
	run 3 $verb --comm wget "$dir/net/server"
	text "$dir/err" 'no scheduling events'
done

# There is time between --begin and --end, in every verb that takes them, whosever clock it is.
ends() { # ends WORDS...: without --begin and --end
	for range in "--begin +5s --end +1s" "--begin +1s --end +1s" "--begin client:+5s --end client:+1s"; do
		# shellcheck disable=SC2086
		run 2 "$@" $range
		text "$dir/err" '^meridian: --begin is not before --end' "$*"
		equal "$* $range" "$(wc -c <"$dir/out")" 0
	done
}
for verb in $("$m" --verbs | cut -f1); do
	"$m" "$verb" --help | grep -q -- '--begin TIME' || continue
	case $verb in
	top | log | freq) ends "$verb" cpu $demo ;;
	path | task | diff | blocked) ends "$verb" --comm wget $demo ;;
	export) ends "$verb" -o "$dir/lake" $demo ;;
	query) ends "$verb" -f tests/cli/query.sql $demo ;;
	*) ends "$verb" $demo ;;
	esac
done
run 2 diff --comm wget --begin-b +2s --end-b +1s $demo
text "$dir/err" '--begin-b is not before --end-b'
# What is no time names no host.
for time in 25:00:00 12:61 2024-05-03T25:00:00 client:25:00:00; do
	run 2 events --begin $time $demo
	text "$dir/err" "'$time' is not a time"
done

# The first is 1.
for args in "path --comm wget" "task --comm wget" "layout"; do
	# shellcheck disable=SC2086
	run 2 $args --nth 0 $demo $([ "$args" = layout ] && echo sched_switch)
	text "$dir/err" '--nth: the first is 1' "$args"
done

# A CPU that no host has is a mistake; one that some host has not selects nothing there.
for args in "top cpu" "log sched" "freq irq" "stats syscall" "events"; do
	# shellcheck disable=SC2086
	run 2 $args --cpu 99 $demo
	text "$dir/err" '--cpu: the traces have no CPU 99; they have: 0$' "$args"
done
run 0 top cpu --cpu 0-99 $demo
if there "$lab/cpu-mem-io"; then
	run 0 top cpu --host peer --cpu 1 "$lab/cpu-mem-io"
	text "$dir/out" '^No matching data\.'
	run 2 top cpu --host peer --cpu 2 "$lab/cpu-mem-io"
fi

# What is left out is had in one way.
hints() {
	"$m" "$@" 2>/dev/null </dev/null | grep -E '^\.\.\. ' >"$dir/hints"
	check "$*: there is more" test -s "$dir/hints"
	equal "$*" "$(grep -cv '(-n 0 shows all)$' "$dir/hints")" 0
}
hints top cpu -n 1 $demo
hints freq cpu -n 1 $demo
hints latency -m -n 1 $demo
hints latency -n 1 $demo
hints stats -n 1 $demo
hints blocked --comm wget -n 1 $demo
hints path --comm wget -n 1 $demo
hints path --list -n 1 $demo
hints task --comm wget -n 1 $demo
hints diff --comm wget -n 1 $demo
hints graph -n 1 $demo
hints summary -n 1 $demo
if there "$lab/login-tree"; then
	hints path --children --tid 382 -n 1 "$lab/login-tree"
	run 0 path --children --tid 382 -n 0 "$lab/login-tree"
	no_text "$dir/out" '^\.\.\. '
fi

# What the output names, the help has.
for verb in top log; do
	run 0 $verb --help
	text "$dir/out" '-a, --all '
done

# A field that no event has.
run 2 events --fields prev_com $demo
text "$dir/err" 'no event of these traces has a field `prev_com` \(did you mean prev_comm\?\)'
equal "nothing printed" "$(wc -c <"$dir/out")" 0
run 0 events --fields prev_comm -n 1 $demo

# A file is named once, and a full disk is.
run 3 info $demo nosuch
equal "once" "$(grep -c 'nosuch.*nosuch' "$dir/err")" 0
text "$dir/err" '^meridian: error: nosuch: cannot open'
if [ -e /dev/full ]; then
	run 5 top cpu --plot /dev/full $demo
	text "$dir/err" '/dev/full: cannot write: No space left on device'
	for args in "events" "events --format json" "top cpu --format csv" "path --comm wget" "stats"; do
		# shellcheck disable=SC2086
		"$m" $args -q $demo >/dev/full 2>"$dir/err" </dev/null
		equal "$args: status" $? 5
		text "$dir/err" 'cannot write to standard output: No space left on device' "$args"
	done
fi

# Many clocks: the worst ones, and how many more there are.
check "many hosts" "$CLOCKWORLD" --hosts 30 --duration 2s --rate 20 -o "$dir/many"
run 0 sync "$dir/many"
equal "a screenful" "$(sed -n '/^Host /,/^\.\.\./p' "$dir/out" | wc -l)" 22
text "$dir/out" '^\.\.\. and 10 more hosts with smaller bounds \(-n 0 shows all\)'
run 0 sync -n 29 "$dir/many"
text "$dir/out" '^\.\.\. and 1 more host with smaller bounds'
run 0 sync -n 0 "$dir/many"
no_text "$dir/out" '\.\.\. and'

# Notes come after the result, wrapped; where there is no result they are not there.
"$m" top cpu $demo >"$dir/out" 2>&1
equal "the last lines" "$(tail -2 "$dir/out" | grep -c 'meridian: note\|see .meridian sync')" 2
COLUMNS=60 "$m" top cpu $demo 2>"$dir/err" >/dev/null
equal "wrapped" "$(awk 'length($0) > 60' "$dir/err")" ""
run 2 top cpu --comm nobody $demo
no_text "$dir/err" 'note:'
finish
