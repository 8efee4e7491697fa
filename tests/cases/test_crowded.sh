#!/usr/bin/env bash
# meridian requests --explain on crowded hosts: of services whose requests wait for each other (a pool of connections, an event
# loop), with 1 and 4 CPUs, the first sentence names what was done to the database's host, and its rows have the time that
# it took by the truth of the simulation.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
[ "$KERNELWORLD" ] || { echo "skipped: no kernelworld"; exit 77; }
w=$dir/w

# world TAIL SHAPE CPUS SEED, and its explanation in $dir/out
world() {
	rm -rf "$w"
	ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$w" --services "$2" --hosts 3 --cpus "$3" --clients 18 --think 4ms --duration "${duration:-1s}" \
		--tail "$1" --seed "$4" >/dev/null || fail "kernelworld $*"
	run 0 requests -q --explain --json --kind 'load -> *' "$w"/h*
	equal "$*: contributions are the difference" "$(jq '[groups[] | (.causes | map(.more_ns) | add) == .difference_ns] | all' "$dir/out")" true
	equal "$*: culprits are no more than the contribution" \
		"$(jq '[groups[].causes[] | select((.culprits | map(.ns) | add // 0) > ([.more_ns, 0] | max))] | length' "$dir/out")" 0
}

# Slow requests may be of several groups. What a culprit took of the mean of all of them.
n_slow() {
	jq '[table("groups")[].slow_count] | add' "$dir/out"
}
of_all() {
	jq --arg by "$1" '([groups[] | .slow_count as $n | .causes[] | select(.by == $by) | .more_ns * $n] | add // 0) / ([table("groups")[].slow_count] | add) | floor' \
		"$dir/out"
}

# crowded TAIL NAME CPUS SEED SHAPE...
crowded() {
	local tail=$1 name=$2 cpus=$3 seed=$4 shape truth row by=$2
	[ "$tail" = loss ] && by='lost segments'
	shift 4
	for shape; do
		world "$tail" "$shape" "$cpus" "$seed"
		equal "$tail in $shape, $cpus CPUs, seed $seed: the sentence of the first group" "$(jq --arg name "$name" 'table("groups")[0].sentence | test($name)' "$dir/out")" true
		row=$(of_all "$by")
		if [ "$tail" = loss ]; then # segments are on the way for 40 ms; nothing else takes that long
			truth=$(jq 'table("groups") | (map(.slow_count * .difference_ns) | add) / (map(.slow_count) | add) | floor' "$dir/out")
		else
			truth=$(awk -v tail="$tail" -v n="$(n_slow)" -f "$SRC/tests/cases/crowded_truth.awk" \
				"$w"/truth/{tasks,states,services}.csv)
		fi
		equal "$tail in $shape, $cpus CPUs, seed $seed: its row has $row of $truth ns" "$((10 * row >= 8 * truth))" 1
	done
}
crowded hog hog 1 41 pool loop-queue
crowded hog hog 4 42 thread
# Most is a wait for others, and for the network: the sentence goes on to who had the CPU.
crowded hog hog 4 302 loop
crowded disk dd 1 43 pool loop-queue
crowded disk dd 4 44 loop thread
crowded lock vacuum 1 45 pool thread
crowded lock vacuum 4 46 loop thread
crowded loss 'lost and sent again' 1 47 loop thread
crowded loss 'lost and sent again' 4 48 pool loop-queue

# All three at once, at times of their own: each has its row. (When vacuum waits for the CPU itself the truth does not say
# whether it has the lock.)
for shape in thread loop-queue; do
	world mixed "$shape" 1 49
	for tail in hog:hog disk:dd; do
		row=$(of_all "${tail#*:}")
		truth=$(awk -v tail="${tail%:*}" -v n="$(n_slow)" -f "$SRC/tests/cases/crowded_truth.awk" \
			"$w"/truth/{tasks,states,services}.csv)
		equal "$tail of three in $shape: its row has $row of $truth ns" "$((10 * row >= 8 * truth))" 1
	done
	equal "of three in $shape: one row each" \
		"$(jq '[groups[] | [.causes[].by | select(. == "hog" or . == "dd" or . == "vacuum")] | length == (unique | length)] | all' "$dir/out")" true
done

# Each in a window of its own, at random: each is what the sentence of some group names first, with its row first. hog has the
# time that sched_switch gives it in the requests of its group.
windows() {
	local shape=$1 cpus=$2 seed=$3 tail name group row truth
	for tail in hog:hog disk:dd lock:vacuum; do
		name=${tail#*:}
		equal "windows in $shape, $cpus CPUs, seed $seed: a group by $name" "$(jq --arg name "$name" \
			'[groups[] | select(.causes[0].by == $name and (.sentence | test($name)))] | length > 0' "$dir/out")" true
	done
	[ "$cpus" = 1 ] || return 0
	group=$(jq -r '[groups[] | select(.causes[0].by == "hog")][0] | "\(.slow_count) \(.first_begin) \(.last_begin) \([.causes[] | select(.by == "hog") | .slow_ns] | add)"' "$dir/out")
	row=${group##* }
	truth=$(awk -v n="$(cut -d' ' -f1 <<<"$group")" -v first="$(cut -d' ' -f2 <<<"$group")" -v last="$(cut -d' ' -f3 <<<"$group")" \
		-f "$SRC/tests/cases/crowded_window.awk" "$w"/truth/{tasks,states,services}.csv)
	equal "windows in $shape, seed $seed: hog took $row ns, by sched_switch $truth" \
		"$((10 * row >= 8 * truth && 10 * row <= 12 * truth))" 1
}
for of in pool:1:61 loop:1:62 thread:4:68; do
	IFS=: read -r shape cpus seed <<<"$of"
	duration=3s world hog,disk,lock "$shape" "$cpus" "$seed"
	windows "$shape" "$cpus" "$seed"
done

# What is called network was under way: it takes less than 3 ms, though a hog makes others wait for 30. A loop with as many
# connections as clients never waits for one.
world hog loop-queue 1 50
run 0 requests -q --list -n 0 --json "$w"/h*
equal "loop-queue: no wait for others is the network's" \
	"$(jq '[table("parts")[] | select(.cause == "network" and .ns > 3000000)] | length' "$dir/out")" 0
equal "loop-queue: waits for a connection say which request had it" \
	"$(jq '[table("parts")[] | select(.meanwhile == "connection")] | length > 100 and all(.had != null)' "$dir/out")" true
# So does what held up one of them.
id=$(jq -r '[requests[] | select(.parent == null and ([.parts[] | select(.meanwhile == "connection") | .ns] | add // 0) > 5e6)][0].id' "$dir/out")
for verb in path blocked; do
	run 0 $verb -q --request "$id" --json "$w"/h*
	equal "loop-queue: $verb --request $id names who had the connection" \
		"$(jq '[table("held_up_by")[] | select(.via == "connection" or (.what | test("^had the connection"))) | .ns] | add // 0 | . > 4e6' "$dir/out")" true
done
rm -rf "$w"
ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" -o "$w" --services loop --hosts 3 --cpus 1 --clients 8 --think 4ms --duration 1s --tail hog \
	--seed 51 >/dev/null || fail "kernelworld loop"
run 0 requests -q --list -n 0 --json "$w"/h*
equal "loop: a connection is always free" "$(jq '[table("parts")[] | select(.meanwhile == "connection")] | length' "$dir/out")" 0
finish
