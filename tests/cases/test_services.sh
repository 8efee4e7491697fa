#!/usr/bin/env bash
# meridian requests on simulated services (docs/dev/kernelworld.md), which know every request, for whom it was sent, and what
# made some of them slow.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
[ -x "$KERNELWORLD" ] || { echo "skipped: no kernelworld"; exit 77; }
w=$dir/world

# compare NAME OPTION...: makes $w, and sets true found invented served nested sure right (services_truth.awk)
compare() {
	rm -rf "$w"
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$w" --duration 400ms "${@:2}" >"$dir/made" || fail "$1: not made"
	"$MERIDIAN" requests -q --list -n 0 --format csv "$w"/h* >"$dir/list" 2>"$dir/err" || fail "$1: $(cat "$dir/err")"
	read -r true found invented served nested sure right \
		< <(awk -f "$SRC/tests/cases/services_truth.awk" "$w/truth/services.csv" "$dir/list")
	[ "$true" -gt 300 ] || fail "$1: a world of $true requests"
}

# What these do can be told apart: all of it is right.
decided() { # NAME OPTION...
	compare "$@"
	equal "$1: found, invented, right server, nested" "$found $invented $served $nested" "$true 0 $true $true"
}
# Here it cannot, or only in part: all are found, and what is claimed holds.
honest() { # NAME OPTION...
	compare "$@"
	equal "$1: found, invented, right server" "$found $invented $served" "$true 0 $true"
	equal "$1: 95 % of those with a confidence of 0.9 are right ($right of $sure)" \
		"$((right * 100 >= sure * 95))" 1
	equal "$1: a parent that is not known has no confidence" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		($c["parent"] == "") != ($c["confidence"] == "")' "$dir/list" | wc -l)" 0
}

for seed in 1 2; do
	hosts=$((seed == 1 ? 3 : 1))
	for shape in pool prefork fork thread loop loop-few parallel; do
		every 3 || continue
		decided "$shape, seed $seed" --services $shape --seed $seed --hosts $hosts
	done
	for shape in loop-queue timers collect hand-back threads-loop go; do
		every 3 || continue
		honest "$shape, seed $seed" --services $shape --seed $seed --hosts $hosts
	done
done
decided "pool, races" --services pool --seed 3 --hosts 2 --cpus 4 --races --clients 16
honest "loop-queue, races" --services loop-queue --seed 3 --hosts 2 --cpus 4 --races --clients 16
honest "timers, races" --services timers --seed 4 --hosts 1 --cpus 4 --races --clients 16
# Under load, threads take each other's requests from memory, and no event says so.
for seed in 12 32; do
	honest "go, many clients, seed $seed" --services go --seed $seed --hosts 1 --cpus 2 --clients 24 --tail burn
done

# Where requests queue for connections, no link stands before what is sent for them: the other one alone is right 4 in 5
# times. On hosts that are not full, most are known for certain.
for clients in 8 40; do
	honest "go, $clients clients without a pause" --services go --seed 40 --hosts 1 --cpus 1 --clients $clients --think 2ms
	honest "go, $clients clients" --services go --seed 41 --hosts 2 --cpus 4 --clients $clients
	equal "go, $clients clients: certain of a fifth of all, and more ($sure of $true)" "$((sure * 5 >= true))" 1
done
# Events that are missing and that nothing counts.
for loss in 0.1% 1%; do
	compare "pool, events missing" --services pool --seed 42 --hosts 2 --lose $loss
	equal "$loss of the events missing: 95 % of those with a confidence of 0.9 are right ($right of $sure)" \
		"$((right * 100 >= sure * 95))" 1
done

# Everything had begun before the recording, with connections in use. The state dump says which tasks are threads of which
# process; what a server did before that, or in a call that was under way, is not known.
for shape in pool prefork loop parallel; do
	compare "$shape, begun before" --services $shape --seed 6 --hosts 2 --begin-cut 200ms --statedump --duration 300ms
	equal "$shape, begun before: found, invented" "$found $invented" "$true 0"
	equal "$shape, begun before: all but the first of each connection are of the right server ($served of $true)" \
		"$((served * 100 >= true * 95))" 1
	equal "$shape, begun before: what is claimed is right" "$right" "$sure"
done

# Parts add up, and children lie within their parents.
compare "parts" --services prefork --seed 5 --hosts 3
run 0 requests -q --list -n 0 --json "$w"/h*
equal "parts of each sum to its latency" "$(jq '[requests[] | select((.parts | map(.ns) | add) != .latency_ns)] | length' "$dir/out")" 0
equal "children within their parents, to 0.2 ms of clocks" "$(jq '[table("requests")[] | {key: .id, value: .}] | from_entries as $all
	| [$all[] | select(.parent) | select(.begin < $all[.parent].begin - 2e5 or .end > $all[.parent].end + 2e5)] | length' "$dir/out")" 0

# Only one side was recorded: as many as the other one saw, and nothing about it.
for host in 0 1; do
	"$MERIDIAN" requests -q --list -n 0 --format csv "$w/h$host" >"$dir/list" 2>/dev/null
	equal "h$host alone: all requests of the clients" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["client_host"] == "h0" && $c["server_host"] == "" || $c["client_host"] == "" && $c["server_port"] == 80 ||
		$c["client_host"] == "" && $c["server_comm"] == "nginx"' "$dir/list" | wc -l)" \
		"$(awk -F, 'NR > 1 && $2 == "" && $10 != ""' "$w/truth/services.csv" | wc -l)"
done

# explained TAIL SHAPE HOST PROGRAM CAUSE: most of what makes the slow ones slow
explained() {
	rm -rf "$w"
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$w" --services "$2" --tail "$1" --hosts 3 --duration 2500ms --seed 2 >/dev/null
	run 0 requests -q --explain --json "$w"/h*
	equal "$1 in $2" "$(jq -r 'groups[0].causes | max_by(.more_ns) | "\(.host) \(.program) \(.cause)"' "$dir/out")" "$3 $4 $5"
	equal "$1 in $2: the causes sum to the difference" "$(jq '[groups[] | ([.causes[].more_ns] | add) == .difference_ns] | all' "$dir/out")" true
}
explained burn pool h1 app running
explained burn thread h1 app running
explained lock fork h2 postgres locks
equal "the holder of the lock" "$(jq -r 'groups[0].causes | max_by(.more_ns).culprits[0].comm' "$dir/out")" vacuum
explained hog pool h2 postgres runnable
equal "the hog" "$(jq -r 'groups[0].causes | max_by(.more_ns).culprits[0].comm' "$dir/out")" hog
explained hog fork h2 postgres runnable
equal "the hog, while a server is forked" "$(jq -r 'groups[0].causes | max_by(.more_ns).culprits[0].comm' "$dir/out")" hog
explained disk pool h2 postgres disk
explained loss thread h1 app network
equal "segments that were sent again" "$(jq -r '[groups[0].causes | max_by(.more_ns).culprits[].what | test("sent again")] | all' "$dir/out")" true
finish
