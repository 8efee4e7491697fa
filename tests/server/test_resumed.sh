#!/usr/bin/env bash
# Commands are given up by who asked, at moments from their first to their last step, with a store and (clocks as recorded) without one: what is
# asked afterwards is answered as by a server of which nothing was given up, whatever of it was half done. No moment is asserted.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
traces=demo/shop-a
commands=("requests --explain --json" "requests --json" "requests --list --limit 20 --json" "blocked --json" "graph --json" "summary --json"
	"top cpu --json" "top disk --json" "stats syscall --json" "log sched --limit 20 --json" "top cpu --begin +0.1s --end +0.4s --json" "check --json")

target() { # COMMAND: its path
	local word path="${root}api/run?$clocks"
	for word in $1; do path+="&w=${word//+/%2B}"; done
	echo "$path"
}
give_up() { # COMMAND SECONDS: asks, and closes the connection after that
	exec 3<>"/dev/tcp/127.0.0.1/$port" || return
	printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$(target "$1")" "$port" >&3
	sleep "$2"
	exec 3<&- 3>&-
}
answers() { # FOLDER: of all commands
	local i
	mkdir -p "$1"
	for i in "${!commands[@]}"; do
		ask GET "$(target "${commands[i]}")" ''
		equal "${commands[i]}: answered" "$status" 200
		mv "$dir/body" "$1/$i"
	done
}
for clocks in clocks=aligned clocks=recorded; do
	serve "$traces"
	ready
	answers "$dir/wanted"
	stop
	rm -f "$XDG_CACHE_HOME"/meridian/answer-*
	serve "$traces"
	ready
	for after in 0.002 0.01 0.03 0.08 0.2; do
		for command in "${commands[@]}"; do give_up "$command" $after; done
	done
	answers "$dir/got"
	stop
	for i in "${!commands[@]}"; do same "$clocks, ${commands[i]}" "$dir/got/$i" "$dir/wanted/$i"; done
	no_text "$dir/serve.err" 'Sanitizer|runtime error'
done
finish
