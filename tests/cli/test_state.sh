#!/usr/bin/env bash
# meridian state: one moment; the same from a store and from the traces.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

run 2 state demo/wget-cold-hot
text "$dir/err" 'at is missing'
run 2 state --at +1000s demo/wget-cold-hot
text "$dir/err" 'is after the end of the recording, which is from 20.* to 20'
run 0 state --at +1s demo/wget-cold-hot
text "$dir/out" '^CPUs$'
text "$dir/out" '^client +0 '
run 0 state --at +1s --comm wget --format csv demo/wget-cold-hot
text "$dir/out" '^table,host,tid,'

# Whoever is on a CPU has it, by himself.
both() { # TIME TRACE: tasks on CPUs, by either table
	"$m" state -q --at "$1" --json "$2" 2>/dev/null >"$dir/state"
	jq -r '.tables[0].rows[] | select(.tid) | "\(.host) \(.cpu) \(.tid) \(.state) \(.since)"' "$dir/state" | sort >"$dir/cpus"
	jq -r '.tables[1].rows[] | select(.state == "user" or .state == "syscall" or .state == "running" or
		.state == "thread" or .state == "interrupted") | "\(.host) \(.cpu) \(.tid) \(.state) \(.since)"' \
		"$dir/state" | sort >"$dir/tasks"
	same "$2 at $1" "$dir/cpus" "$dir/tasks"
}
for t in demo/*/; do
	for at in +10ms +500ms +700ms; do both $at "$t"; done
done

# The store says what the traces say; where events were lost, too.
for t in demo/wget-cold-hot demo/lost-events; do
	for at in +200ms +300ms +700ms +1100ms +1.5s +2s; do
		"$m" state -q --no-store --at $at --json $t >"$dir/read" 2>/dev/null
		"$m" state -q --store --at $at --json $t >"$dir/stored" 2>/dev/null
		same "of $t from a store at $at" "$dir/stored" "$dir/read"
	done
done
text "$dir/read" '"unknown"'
finish
