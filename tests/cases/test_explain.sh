#!/usr/bin/env bash
# meridian requests --explain where it is known what slows requests down: services of simulated hosts (kernelworld
# --tail), and recordings of services whose programs were made slow.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
shared=../shared/traces/lab # recordings that are not packed

# What holds of every explanation, in $dir/out: differences add up, and culprits are never more than what they explain.
adds_up() {
	equal "$1: contributions are the difference" "$(jq '(.causes | map(.ns) | add) == .difference_ns' "$dir/out")" true
	equal "$1: no more than the contribution" \
		"$(jq '[.causes[] | select((.culprits | map(.ns) | add // 0) > ([.ns, 0] | max))] | length' "$dir/out")" 0
	equal "$1: keys of a culprit" "$(jq -r '[.causes[].culprits[] | keys | join(",")] | unique | join(" ")' "$dir/out")" \
		"comm,for,host,ns,request,tid,what"
}

# explained TAIL SHAPE PART CULPRIT: most of the difference is that part, of one host, and most of that the culprit's
explained() {
	"$KERNELWORLD" -o "$dir/$1" --hosts 3 --services "$2" --statedump --duration 1500ms --tail "$1" --seed 5 --no-truth \
		>/dev/null || fail "kernelworld $1"
	run 0 requests -q --explain --json "$dir/$1"/h*
	adds_up "$1 $2"
	equal "$1 $2: the part" "$(jq -r '.causes[0].cause' "$dir/out")" "$3"
	equal "$1 $2: the culprit" "$(jq -r --arg who "$4" '.causes[0] | .ns as $ns |
		([.culprits[] | select("\(.comm) \(.what)" | test($who)) | .ns] | add // 0) > $ns / 2' "$dir/out")" true
	if [ "$5" ]; then text "$dir/out" "\"sentence\":\"Slow requests to [a-z]+ on h1 wait [^\"]* $5 \([0-9]+ %" "$1 $2: the sentence"; fi
	rm -r "${dir:?}/$1"
}
if [ "$KERNELWORLD" ]; then
	explained burn thread running '^app on the CPU in user mode' 'more for app on h1: computing in user mode'
	explained hog loop runnable '^hog had the CPU' 'more for postgres on h2: hog had the CPU'
	explained lock prefork locks '^vacuum held the lock, on the CPU' 'more for postgres on h2: vacuum held the lock'
	explained disk prefork disk '^dd .* of writes to vda before it' "more for postgres on h2: [a-z0-9]+ behind dd's writes to vda"
	explained loss thread network ' lost segments?, sent again' 'a segment was lost and sent again'
fi

# Every 25th request computes for 60 ms in the worker; others wait for the two connections to the database, or for the row
# that another one's transaction holds.
t=$shared/shop-a
if there "$t"; then
	run 0 requests --explain --slowest 31 --json "$t/client" "$t/web" "$t/db"
	adds_up shop-a
	equal "shop-a: computing in the worker" "$(jq -r '.causes[0] | [.host, .comm, .cause, .of] | join(" ")' "$dir/out")" \
		"web shopapp running nginx -> web:8000 shopapp"
	equal "shop-a: in user mode" "$(jq -r '.causes[0] | .ns as $ns |
		([.culprits[] | select(.what == "on the CPU in user mode") | .ns] | add) > $ns / 2' "$dir/out")" true
	text "$dir/out" '"sentence":"Slow requests to nginx on web wait [0-9.]+ ms more for shopapp on web: computing in user mode' \
		"shop-a: the sentence"
	equal "shop-a: the pool" "$(jq -r '.causes[] | select(.cause == "locks" and .comm == "shopapp") | .culprits[0] |
		[.comm[0:6], .what, .for] | join("; ")' "$dir/out")" \
		"shop-w; had the connection to db:5432 postgres; nginx -> web:8000 shopapp"
	equal "shop-a: the row, and its holder" "$(jq -r '.causes[] | select(.cause == "locks" and .comm == "postgres") | .culprits[0] |
		[.host, .comm, .what[0:13], .for] | join("; ")' "$dir/out")" \
		"db; postgres; held the lock; shopapp -> db:5432 postgres"
	equal "shop-a: the injected ones have a shape" "$(jq '.group.share < 0.2 and .group.slow_share > 0.5' "$dir/out")" true
fi

# A data disk with 60 requests per second, and files that were not in memory: the first fetch of two.
t=$lab/cold-disk
if there "$t"; then
	run 0 requests --explain --slowest 1 --json "$t/client" "$t/server"
	adds_up cold-disk
	equal "cold-disk: the cold file" "$(jq -r '.causes[0] | [.cause, .culprits[0].comm, .culprits[0].what[0:24]] | join("; ")' \
		"$dir/out")" "disk; python3; pread64 of /data/app.db,"
	text "$dir/out" 'pread64 of /data/app.db, not in the page cache \([0-9]+ % of' "cold-disk: the sentence"
fi
finish
