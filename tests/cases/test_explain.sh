#!/usr/bin/env bash
# meridian requests --explain where it is known what slows requests down: services of simulated hosts (kernelworld
# --tail), and recordings of services whose programs were made slow.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# Text without the line breaks of its width.
flat() {
	tr '\n' ' ' | tr -s ' '
}

# What holds of every explanation, in $dir/out: differences add up, and culprits are never more than what they explain.
adds_up() {
	equal "$1: contributions are the difference" "$(jq '[groups[] | (.causes | map(.more_ns) | add) == .difference_ns] | all' "$dir/out")" true
	equal "$1: no more than the contribution" \
		"$(jq '[groups[].causes[] | select((.culprits | map(.ns) | add // 0) > ([.more_ns, 0] | max))] | length' "$dir/out")" 0
	equal "$1: keys of a culprit" "$(jq -r '[table("culprits")[] | keys_unsorted | join(",")] | unique | join(" ")' "$dir/out")" \
		"row,host,tid,comm,what,for,request,ns,via"
}

# explained TAIL SHAPE PART CULPRIT: most of the difference is that part, of one host, and most of that the culprit's
explained() {
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$dir/$1" --hosts 3 --services "$2" --statedump --duration 1500ms --tail "$1" --seed 5 --no-truth \
		>/dev/null || fail "kernelworld $1"
	run 0 requests -q --explain --json "$dir/$1"/h*
	adds_up "$1 $2"
	equal "$1 $2: the part" "$(jq -r 'groups[0].causes[0].cause' "$dir/out")" "$3"
	equal "$1 $2: the culprit" "$(jq -r --arg who "$4" 'groups[0].causes[0] | .more_ns as $ns |
		([.culprits[] | select("\(.comm) \(.what)" | test($who)) | .ns] | add // 0) > $ns / 2' "$dir/out")" true
	if [ "$5" ]; then text "$dir/out" "\"sentence\":\"$5 \([0-9]+ % of" "$1 $2: the sentence"; fi
	rm -r "${dir:?}/$1"
}
if [ "$KERNELWORLD" ]; then
	explained burn thread running '^app on the CPU in user mode' 'In slow requests app on h1 computes [0-9.]+ [mu]?s longer'
	explained hog loop-queue runnable '^hog had the CPU' 'In slow requests postgres on h2 waits [0-9.]+ [mu]?s longer for a CPU, used by hog'
	explained lock prefork locks '^vacuum held the lock, on the CPU' 'Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for postgres on h2: vacuum held the lock'
	explained disk prefork disk '^dd .* of writes to vda before it' "Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for postgres on h2: [a-z0-9]+ behind dd's writes to vda"
	explained loss thread network ' lost segments?, sent again' 'Slow requests to [a-z]+ on h1 wait [0-9.]+ [mu]?s more for the network: segments were lost and sent again'
	# Threads that take each other's requests: no event says which one they serve.
	for shape in go pool; do
		ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$dir/$shape" --services $shape --tail burn --hosts 2 --cpus 2 --clients 16 --statedump \
			--duration 1s --seed 9 --no-truth >/dev/null || fail "kernelworld $shape"
		run 0 requests -q --explain --json "$dir/$shape"/h*
		equal "$shape: inferred who served others" "$(jq 'table("groups")[0].sentence | test("; requests change threads in app, so that it served others is inferred, not recorded$")' \
			"$dir/out")" "$([ $shape = go ] && echo true || echo false)"
		rm -r "${dir:?}/$shape"
	done
fi

# Every 25th request computes for 60 ms in the worker; others wait for the two connections to the database, or for the row
# that another one's transaction holds.
t=$lab/shop-a
if there "$t"; then
	run 0 requests --explain --json "$t/client" "$t/web" "$t/db"
	# By answer: 158 bytes are those of /cpu, which the injected ones are of; the warm-up began with the recording.
	equal "shop-a: the injected ones are a group, and the warm-up is one" "$(jq -c '[table("groups")[] | [.by, .slow_count > 3,
		(.shape_min_in_bytes == 158 and .shape_max_in_bytes == 158), (.last_begin - .first_begin < 2e8)]][:2]' "$dir/out")" \
		'[["shape",true,true,false],["burst",true,false,true]]'
	equal "shop-a: compared with others of that shape, the 60 ms that they compute are most of it" "$(jq 'groups[0] | .typical_same_shape == 1 and
		.causes[0].percent > 60 and .causes[0].more_ns > 40e6 and .causes[0].more_ns < 80e6 and .covered_percent >= .causes[0].percent' "$dir/out")" true
	for g in 0 1; do
		equal "shop-a, group $g: contributions are the difference" \
			"$(jq --argjson g $g 'groups[$g] | (.causes | map(.more_ns) | add) == .difference_ns' "$dir/out")" true
	done
	run 0 requests --explain --request r60.4 --json "$t/client" "$t/web" "$t/db"
	adds_up "shop-a, one request"
	text "$dir/out" '"sentence":"In r60\.4 shopapp on web computes [0-9.]+ ms longer \([0-9]+ % of the difference\)' "shop-a: one request"
	equal "shop-a: one request, and others of its shape" "$(jq -c 'table("groups") | [length, .[0].slow_count, .[0].typical_same_shape]' "$dir/out")" '[1,1,1]'
	# The one that pages compare it with: the same answer, and what it asked others for.
	alike=$(jq -r 'table("groups")[0].typical_request' "$dir/out")
	# Sizes of a shape are about the same.
	shape() {
		"$m" requests -q --tree --request "$1" --json "$t/client" "$t/web" "$t/db" |
			jq -c 'table("requests") | [.[0].kind, (.[0].in_bytes / 20 | floor), ([.[1:][].kind] | unique)]'
	}
	equal "shop-a: the typical one has the same to do" "$(shape "$alike")" "$(shape r60.4)"
	# One that waited for a connection of the pool: by whom, in path and blocked.
	for verb in path blocked; do
		run 0 $verb -q --request r5.1 "$t/client" "$t/web" "$t/db"
		flat <"$dir/out" >"$dir/flat"
		text "$dir/flat" 'Held up by [0-9.]+ ms shop-w2/168 on web: shop-w1/167 had the connection to db:5432 postgres for nginx -> web:8000 shopapp \(r9\.1\) [0-9.]+ ms shop-w2/168 on web: postgres/178 on db had the CPU for shopapp -> db:5432 postgres, mostly r11\.1 \([0-9.]+ ms\), while r12\.1 had the connection' \
			"shop-a: $verb names who had the connection"
		run 0 $verb -q --json --request r5.1 "$t/client" "$t/web" "$t/db"
		equal "shop-a: $verb --json" "$(jq -c 'table("held_up_by")[0] | [.waiter_tid, .tid, .request, .ns > 60e6, .via]' "$dir/out")" \
			'[168,167,"r9.1",true,null]'
		equal "shop-a: $verb --json: the wait for the connection, 120 ms" \
			"$(jq -c '[table("held_up_by")[] | select(.waiter_tid == 168 and (.via == "connection" or (.what | test("^had the connection")))) | .ns] |
				add | . > 100e6 and . < 121e6' "$dir/out")" true
	done
	# A kept connection, and a server that serves other clients meanwhile.
	run 0 path -q --comm load2-54 "$t/client" "$t/web" "$t/db"
	flat <"$dir/out" >"$dir/flat"
	text "$dir/flat" 'The server at 10\.0\.0\.2:80 served other clients meanwhile \(load2-[0-9]+/[0-9]+ and [0-9]+ others\).* path --request ID' \
		"shop-a: the path of a client goes on with other clients"
	run 0 path -q --request r5.1 "$t/client" "$t/web" "$t/db"
	no_text "$dir/out" 'served other clients' "shop-a: the path of a request does not"
	run 0 requests --explain --slowest 31 --json "$t/client" "$t/web" "$t/db"
	adds_up shop-a
	equal "shop-a: computing in the worker" "$(jq -r 'groups[0].causes[0] | [.host, .program, .cause, .of] | join(" ")' "$dir/out")" \
		"web shopapp running nginx -> web:8000 shopapp"
	equal "shop-a: in user mode" "$(jq -r 'groups[0].causes[0] | .more_ns as $ns |
		([.culprits[] | select(.what == "on the CPU in user mode") | .ns] | add) > $ns / 2' "$dir/out")" true
	text "$dir/out" '"sentence":"In slow requests shopapp on web computes [0-9.]+ ms longer \([0-9]+ % of the difference\)' \
		"shop-a: the sentence"
	equal "shop-a: the pool" "$(jq -r '[groups[].causes[]] | sort_by(-.more_ns)[] | select(.cause == "locks" and .program == "shopapp") | .culprits[0] |
		[.comm[0:6], .what, .for] | join("; ")' "$dir/out" | head -1)" \
		"shop-w; had the connection to db:5432 postgres (on the CPU); nginx -> web:8000 shopapp"
	equal "shop-a: the row, and its holder" "$(jq -r '[groups[].causes[]] | sort_by(-.more_ns)[] | select(.cause == "locks" and .program == "postgres") | .culprits[0] |
		[.host, .comm, .what[0:13], .for] | join("; ")' "$dir/out" | head -1)" \
		"db; postgres; held the lock; shopapp -> db:5432 postgres"
	run 0 requests --explain --slowest 31 "$t/client" "$t/web" "$t/db"
	flat <"$dir/out" >"$dir/flat"
	text "$dir/flat" '^load2 -> web:80 nginx 31 of 824 requests are slow \([0-9.]+ ms or more\), in [23] groups that became slow in different ways, .* 1\. [0-9]+ slow requests of one shape \(mean [0-9.]+ ms\), [0-9]+ typical ones of the same shape \(p40 to p60, mean [0-9.]+ ms\)\. In slow' \
		"shop-a: the heading"
	text "$dir/flat" ' All of these, but [0-9]+ % of all requests have an answer of 158 bytes\.' "shop-a: the shape in words"
	run 0 requests --explain --json "$t/web"
	equal "shop-a/web: nobody holds a lock while it waits for one" \
		"$(jq '[table("culprits")[].what | select(. == "held the lock, waiting for a lock")] | length' "$dir/out")" 0
	run 0 requests --explain --slowest 31 --json "$t/client" "$t/web" "$t/db"
	equal "shop-a: the injected ones have a shape" "$(jq 'table("groups")[0] | .shape_percent < 20 and .shape_slow_percent > 50' "$dir/out")" true
fi

# One event loop: what it served instead is the request that took most of that time, of all slow ones together. The parts
# of --list have the same.
t=$lab/shop-node
if there "$t"; then
	for slowest in 1 2 5 10; do
		run 0 requests --explain --slowest "$slowest" --kind 'load2 -> *' --json "$t/client" "$t/web" "$t/db"
		jq -r '[groups[0].causes[] | select(.cause == "queued" and .of == "nginx -> web:8000 node")][0].culprits[0] | "\(.tid) \(.request)"' \
			"$dir/out" >"$dir/example"
		run 0 requests --list -n 0 --json "$t/client" "$t/web" "$t/db"
		jq -r --argjson n "$slowest" '(table("requests") | map({key: .id, value: .kind}) | from_entries) as $kinds |
			[requests | map(select(.messages == 1 and .kind == "load2 -> web:80 nginx"))[:$n][] | .parts[] |
				select(.cause == "queued" and .of != null and $kinds[.request] == "nginx -> web:8000 node")] |
			group_by(.of) | max_by(map(.ns) | add) | "\(.[0].tid) \(.[0].of)"' "$dir/out" >"$dir/most"
		same "shop-node: the request that was served instead of the $slowest slowest" "$dir/example" "$dir/most"
	done
	run 0 requests --explain "$t/client" "$t/web" "$t/db"
	text "$dir/out" '^ +[0-9.]+ ms  node/163 served another one, mostly for r[0-9]+\.[0-9]+ \([0-9.]+ ms\)$' "shop-node: what it took"
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
	equal "cold-disk: the cold file" "$(jq -r 'groups[0].causes[0] | [.cause, .culprits[0].comm, .culprits[0].what[0:24]] | join("; ")' \
		"$dir/out")" "disk; python3; pread64 of /data/app.db,"
	text "$dir/out" 'pread64 of /data/app.db, not in the page cache \([0-9]+ % of' "cold-disk: the sentence"
	cp "$dir/out" "$dir/one"
	run 0 requests --explain --json "$t/client" "$t/server"
	same "cold-disk: the slowest of a few without being chosen" "$dir/out" "$dir/one"
fi
finish
