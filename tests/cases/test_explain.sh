#!/usr/bin/env bash
# meridian requests --explain where it is known what slows requests down: services of simulated hosts (kernelworld
# --tail), and recordings of services whose programs were made slow.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
shared=../shared/traces/lab # recordings that are not packed

# Text without the line breaks of its width.
flat() {
	tr '\n' ' ' | tr -s ' '
}

# What holds of every explanation, in $dir/out: differences add up, and culprits are never more than what they explain.
adds_up() {
	equal "$1: contributions are the difference" "$(jq '(.causes | map(.ns) | add) == .difference_ns' "$dir/out")" true
	equal "$1: no more than the contribution" \
		"$(jq '[.causes[] | select((.culprits | map(.ns) | add // 0) > ([.ns, 0] | max))] | length' "$dir/out")" 0
	equal "$1: keys of a culprit" "$(jq -r '[.causes[].culprits[] | keys | join(",")] | unique | join(" ")' "$dir/out")" \
		"comm,for,host,ns,request,tid,via,what"
}

# explained TAIL SHAPE PART CULPRIT: most of the difference is that part, of one host, and most of that the culprit's
explained() {
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$dir/$1" --hosts 3 --services "$2" --statedump --duration 1500ms --tail "$1" --seed 5 --no-truth \
		>/dev/null || fail "kernelworld $1"
	run 0 requests -q --explain --json "$dir/$1"/h*
	adds_up "$1 $2"
	equal "$1 $2: the part" "$(jq -r '.causes[0].cause' "$dir/out")" "$3"
	equal "$1 $2: the culprit" "$(jq -r --arg who "$4" '.causes[0] | .ns as $ns |
		([.culprits[] | select("\(.comm) \(.what)" | test($who)) | .ns] | add // 0) > $ns / 2' "$dir/out")" true
	if [ "$5" ]; then text "$dir/out" "\"sentence\":\"$5 \([0-9]+ % of" "$1 $2: the sentence"; fi
	rm -r "${dir:?}/$1"
}
if [ "$KERNELWORLD" ]; then
	explained burn thread running '^app on the CPU in user mode' 'In slow requests app on h1 computes [0-9.]+ [mu]?s longer'
	explained hog loop runnable '^hog had the CPU' 'In slow requests postgres on h2 waits [0-9.]+ [mu]?s longer for a CPU, used by hog'
	explained lock prefork locks '^vacuum held the lock, on the CPU' 'Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for postgres on h2: vacuum held the lock'
	explained disk prefork disk '^dd .* of writes to vda before it' "Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for postgres on h2: [a-z0-9]+ behind dd's writes to vda"
	explained loss thread network ' lost segments?, sent again' 'Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for the network: segments were lost and sent again'
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
	text "$dir/out" '"sentence":"In slow requests shopapp on web computes [0-9.]+ ms longer \([0-9]+ % of the difference\)' \
		"shop-a: the sentence"
	equal "shop-a: the pool" "$(jq -r '[.causes[] | select(.cause == "locks" and .comm == "shopapp")][0].culprits[0] |
		[.comm[0:6], .what, .for] | join("; ")' "$dir/out")" \
		"shop-w; had the connection to db:5432 postgres (on the CPU); nginx -> web:8000 shopapp"
	equal "shop-a: the row, and its holder" "$(jq -r '[.causes[] | select(.cause == "locks" and .comm == "postgres")][0].culprits[0] |
		[.host, .comm, .what[0:13], .for] | join("; ")' "$dir/out")" \
		"db; postgres; held the lock; shopapp -> db:5432 postgres"
	run 0 requests --explain --slowest 31 "$t/client" "$t/web" "$t/db"
	flat <"$dir/out" >"$dir/flat"
	text "$dir/flat" '^load2 -> web:80 nginx 31 slow requests \(mean [0-9.]+ ms\), 165 typical ones \(p40 to p60, mean [0-9.]+ ms\)\. In slow' \
		"shop-a: the heading"
	text "$dir/flat" ' [0-9]+ % of the slow, but [0-9]+ % of all requests have an answer of ' "shop-a: the shape in words"
	run 0 requests --explain --json "$t/web"
	equal "shop-a/web: nobody holds a lock while it waits for one" \
		"$(jq '[.causes[].culprits[].what | select(. == "held the lock, waiting for a lock")] | length' "$dir/out")" 0
	run 0 requests --explain --slowest 31 --json "$t/client" "$t/web" "$t/db"
	equal "shop-a: the injected ones have a shape" "$(jq '.group.share < 0.2 and .group.slow_share > 0.5' "$dir/out")" true
fi

# One event loop: what it served instead is the request that took most of that time, of all slow ones together. The parts
# of --list have the same.
t=$shared/shop-node
if there "$t"; then
	for slowest in 1 2 5 10; do
		run 0 requests --explain --slowest "$slowest" --kind 'load2 -> *' --json "$t/client" "$t/web" "$t/db"
		jq -r '[.causes[] | select(.cause == "queued" and .of == "nginx -> web:8000 node")][0].culprits[0] | "\(.tid) \(.request)"' \
			"$dir/out" >"$dir/example"
		run 0 requests --list -n 0 --json "$t/client" "$t/web" "$t/db"
		jq -r --argjson n "$slowest" '(.requests | map({key: .id, value: .kind}) | from_entries) as $kinds |
			[.requests | map(select(.kind == "load2 -> web:80 nginx"))[:$n][] | .parts[] |
				select(.cause == "queued" and .of != null and $kinds[.request] == "nginx -> web:8000 node")] |
			group_by(.of) | max_by(map(.ns) | add) | "\(.[0].tid) \(.[0].of)"' "$dir/out" >"$dir/most"
		same "shop-node: the request that was served instead of the $slowest slowest" "$dir/example" "$dir/most"
	done
	run 0 requests --explain "$t/client" "$t/web" "$t/db"
	text "$dir/out" '^ +88\.0 ms  node/163 served another one, mostly for r27\.51 \(36\.2 ms\)$' "shop-node: what it took"
fi

# A daemon that sleeps in poll between two writes of its request does not send and read meanwhile.
t=$lab/mpi-3vm
if there "$t"; then
	run 0 requests --explain "$t"
	flat <"$dir/out" >"$dir/flat"
	text "$dir/flat" 'In slow requests orted on n3 waits [0-9.]+ s longer for another task in poll \(9[0-9] % of the difference\)' \
		"mpi-3vm: the wait has a name"
	text "$dir/flat" '^orted -> n1:58549 mpirun 1 slow request \([0-9.]+ s\), ' "mpi-3vm: one slow request"
fi

# A data disk with 60 requests per second, and files that were not in memory: the first fetch of two.
t=$lab/cold-disk
if there "$t"; then
	run 0 requests --explain --slowest 1 --json "$t/client" "$t/server"
	adds_up cold-disk
	equal "cold-disk: the cold file" "$(jq -r '.causes[0] | [.cause, .culprits[0].comm, .culprits[0].what[0:24]] | join("; ")' \
		"$dir/out")" "disk; python3; pread64 of /data/app.db,"
	text "$dir/out" 'pread64 of /data/app.db, not in the page cache \([0-9]+ % of' "cold-disk: the sentence"
	cp "$dir/out" "$dir/one"
	run 0 requests --explain --json "$t/client" "$t/server"
	same "cold-disk: the slowest of a few without being chosen" "$dir/out" "$dir/one"
fi
finish
