#!/usr/bin/env bash
# The one rule of exit statuses, over all verbs: an empty answer is an answer (0) and says why it is empty; what was not
# recorded cannot be answered (3); what the traces do not have was mistyped (2), with what was meant most likely.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80

# A program of user space, of which the kernel knows nothing; two hosts with a CPU each; one request.
cat >"$dir/user.scn" <<'EOF2'
host u
trace u/ust { domain ust }

0ms u 0 app:begin id=1
1s u 0 app:end id=1
EOF2
cat >"$dir/idle.scn" <<'EOF2'
epoch 1700000000s
host web
trace web/kernel { declare sched_waking; declare sched_wakeup; declare syscall_entry_read; declare syscall_exit_read; declare net_dev_queue; declare net_if_receive_skb }
host db
trace db/kernel { declare sched_waking; declare sched_wakeup; declare syscall_entry_read; declare syscall_exit_read; declare net_dev_queue; declare net_if_receive_skb }

0ms web 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="nginx" next_tid=100 next_prio=20
10ms web 0 sched_switch prev_comm="nginx" prev_tid=100 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
0ms db 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="postgres" next_tid=200 next_prio=20
20ms db 0 sched_switch prev_comm="postgres" prev_tid=200 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
EOF2
check "user space" "$ctfgen" -o "$dir/user" "$dir/user.scn"
check "hosts" "$ctfgen" -o "$dir/idle" "$dir/idle.scn"
user=$dir/user idle=$dir/idle

# shellcheck disable=SC2086
{
	# Not recorded: 3, in every form, and what to record.
	for words in "top cpu" "log cpu" "freq cpu" "stats cpu" "top io" "top irq" "log syscall" "top disk" "top net" "top faults" \
		"requests" "requests --list" "requests --tree" "requests --explain" "requests --cost" "requests --cost --list" "graph"; do
		run 3 $words $user
		text "$dir/out" 'lttng enable-event --kernel' "$words"
		case $words in *--tree | *--explain) continue ;; esac
		run 3 $words --json $user
		text "$dir/err" 'the traces lack the events that .* needs' "$words --json"
		run 3 $words --json -q $user
		equal "$words -q" "$(wc -c <"$dir/err")" 0
	done
	for words in "path --comm x" "path --list" "blocked --comm x" "task --comm x" "diff --comm x"; do
		run 3 $words $user
		text "$dir/err" 'no scheduling events .*meridian check' "$words"
	done
	printf 'host a\ntrace a/kernel\nhost b\ntrace b/kernel\n\n0ms a 0 x_y a=1\n1ms b 0 x_y a=1\n' >"$dir/apart.scn"
	check "hosts without packets" "$ctfgen" -o "$dir/apart" "$dir/apart.scn"
	for words in sync latency "latency -m" "sync --json"; do
		run 3 $words "$dir/apart"
		text "$dir/err" 'no packets were recorded, .*lttng enable-event' "$words"
	done
	# These describe what there is.
	for words in info events stats check summary; do
		run 0 $words $user
	done

	# Recorded, and none occurred: 0.
	for words in requests "requests --json" latency "latency --json" sync "stats syscall --json"; do
		run 0 $words --sync none $idle
	done
	run 0 requests --sync none $idle
	text "$dir/out" 'No requests: nothing was sent on a connection and answered'
	run 0 stats syscall --sync none $idle
	text "$dir/out" 'The events were recorded, but none occurred'
	run 0 latency --sync none "$idle/web"
	text "$dir/out" 'the traces are of one host'

	# None matches: 0, with what was asked for.
	run 0 events --sync none --cpu 0 --tid 77 $idle
	text "$dir/err" 'no event matches --cpu, --tid'
	run 0 events -q --sync none --tid 77 $idle
	equal "a quiet answer" "$(wc -c <"$dir/err")" 0
	run 0 log cpu --sync none --min 1s $idle
	text "$dir/out" 'No matching data'

	# Mistyped: what was meant. A constant in a filter is a hint only: other traces may have it.
	run 2 top cpu --host wbe $idle
	text "$dir/err" "no host 'wbe' \(did you mean web\?\); they have: "
	run 0 events --sync none -f '$host == "wbe"' $idle
	text "$dir/err" "no host 'wbe' \(did you mean web\?\)"
	run 0 events --sync none -f 'name != "sched_swich" && $host == "web"' -n 1 $idle
	text "$dir/err" "is named 'sched_swich' \(did you mean sched_switch\?\)"
	run 0 events --sync none -f 'name == "sched_*" && $host == "w*"' -n 1 $idle
	no_text "$dir/err" 'did you mean|no host'
	run 0 events --sync none -f 'name =~ "^sched_(switch|waking)$"' -n 1 $idle
	no_text "$dir/err" 'did you mean|is named'
	run 2 events -f '$name == "sched_switch"' $idle
	text "$dir/err" 'the name of the event has no \$'
	run 2 events --name sched_swich $idle
	text "$dir/err" "is named 'sched_swich' \(did you mean sched_switch\?\)"
	run 0 events --sync none --name 'sched_sw*,nothing_*' $idle
	equal 'events of patterns' "$(wc -l <"$dir/out")" 4
	equal "events of a name" "$("$m" events -q --sync none --name sched_switch --host web $idle | wc -l)" 2
	equal "counted" "$("$m" stats -q --sync none --name sched_switch --format csv $idle | grep -c 'sched_switch,2,')" 2
	equal "of a CPU and thread" "$("$m" stats -q --sync none --cpu 0 --tid 100 --format csv $idle | grep -c 'sched_switch,2,')" 1
	run 2 stats --by host --cpu 0 $idle
	text "$dir/err" '--cpu counts events by name'

	# Times outside of the recording.
	for words in "top cpu" "events" "requests" "path --comm nginx" "sync" "latency" "summary" "graph" "blocked" "task --comm nginx"; do
		run 2 $words --begin +1000s $idle
		text "$dir/err" '--begin: \+1000s is after the end of the recording, which is from ' "$words"
		run 2 $words --end @5 $idle
		text "$dir/err" '--end: @5 is before the start of the recording' "$words"
	done
	run 2 state --at +1000s $idle
	text "$dir/err" '--at: \+1000s is after the end'

	# Options that a verb does not have.
	run 2 top cpu --jsn $idle
	text "$dir/err" 'unknown option --jsn \(did you mean --json\?\)'
	run 2 requests --cpu 1 $idle
	text "$dir/err" "option --cpu does not apply to 'requests', but to: events, stats, top, log, freq, state"
	run 2 state --at +1s --begin +1s $idle
	text "$dir/err" "option --begin does not apply to 'state': --at TIME is the moment"
	run 2 top cpu --since 1s $idle
	text "$dir/err" 'unknown option --since: use --begin TIME'
	run 2 top cpu -f x $idle
	text "$dir/err" 'write --filter'
	run 2 top cpu -s x $idle
	text "$dir/err" 'unknown option -s'
	run 2 top cpu --sync hull $idle
	text "$dir/err" "'hull' is a method: 'meridian sync --method hull --save FILE"
}

# Names that no request has; and those of one host. (A client, and a server with nginx and a program behind it.)
demo=demo/wget-cold-hot
# shellcheck disable=SC2086
{
	run 0 requests --to ngnix $demo
	text "$dir/err" "--to: no request has 'ngnix' \(did you mean nginx\?\); there are: "
	run 0 requests --kind 'gopher*' $demo
	text "$dir/err" '--kind: no request has'
	run 0 requests --to nginx --min 100s $demo
	no_text "$dir/err" 'no request has'
	run 2 top syscall --name opnat $demo
	text "$dir/err" "named 'opnat' \(did you mean openat\?\)"
	equal "requests of a host" "$("$m" requests -q --list --host client --format csv -n 0 $demo | wc -l)" \
		"$("$m" requests -q --list --from client --format csv -n 0 $demo | wc -l)"
	equal "requests of the other" "$("$m" requests -q --list --host server --format csv -n 0 $demo | wc -l)" \
		"$("$m" requests -q --list --format csv -n 0 $demo | wc -l)"
}

# What docs/options.md says. UPDATE=1 writes the table anew.
"$m" --option-table >"$dir/table"
if [ -n "${UPDATE:-}" ]; then
	awk -v table="$dir/table" '/^\| verb \|/ { while ((getline line < table) > 0) print line; skip = 1; next }
		skip && /^\|/ { next } { skip = 0; print }' docs/options.md >"$dir/new" && cp "$dir/new" docs/options.md
fi
sed -n '/^| verb |/,/^$/p' docs/options.md | sed '/^$/d' >"$dir/documented"
same "docs/options.md" "$dir/documented" "$dir/table"
# Options that only the manual page describes are named on the screen of --help.
for verb in top path requests summary blocked; do
	run 0 $verb --help
	text "$dir/out" "^Common options \(man meridian-$verb: --store, --jobs, --progress"
done
text <("$m" --man meridian) 'cannot be answered from these traces'
finish
