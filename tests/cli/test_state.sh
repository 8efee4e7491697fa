#!/usr/bin/env bash
# meridian state: one moment; the same from a part of the traces, a store and everything.
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

# A part of the traces, and the store, say what all of them say: each reading of everything without what another left.
t=demo/wget-cold-hot
for at in +200ms +1s +1.5s; do
	XDG_CACHE_HOME=$dir/cache-$at "$m" state -q --no-store --at $at --json $t >"$dir/first.$at"
done
"$m" path -q --comm wget $t >"$dir/path" 2>&1 # leaves states in the cache
for at in +200ms +1s +1.5s; do
	"$m" state -q --no-store --at $at --json $t >"$dir/part"
	same "from a state before $at" "$dir/part" "$dir/first.$at"
	"$m" state -q --store --at $at --json $t >"$dir/stored"
	same "from a store at $at" "$dir/stored" "$dir/first.$at"
done
# Where events were lost, some is known at the end alone.
t=demo/lost-events
for at in +300ms +700ms +1100ms +2s; do
	XDG_CACHE_HOME=$dir/cache-$at "$m" state -q --no-store --at $at --json $t >"$dir/first.$at" 2>/dev/null
	text "$dir/first.$at" '"unknown"'
done
"$m" path -q --list $t >"$dir/path" 2>&1
for at in +300ms +700ms +1100ms +2s; do
	"$m" state -q --no-store --at $at --json $t >"$dir/part" 2>/dev/null
	same "of $t from a state before $at" "$dir/part" "$dir/first.$at"
done
finish
