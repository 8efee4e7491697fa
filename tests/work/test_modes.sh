#!/usr/bin/env bash
# Each mode of meridian-work runs, and what it states agrees with itself: sums with steps, counts with what
# was wanted, and what must hold for its kind of work (holders of a lock one after the other, a server's
# time within its client's, CPU time where there was computation and none where there was sleep).
set -u
work=$WORK
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
truth=$dir/truth.jsonl
passed=0 failed=0
fail() {
	echo "FAILED: $*"
	failed=$((failed + 1))
}
# holds WHAT FILTER: of all lines, as one array
holds() {
	if jq -es "$2" "$truth" >/dev/null 2>"$dir/err"; then
		passed=$((passed + 1))
	else
		fail "$mode: $1: $(head -2 "$dir/err")"
	fi
}
# done_by ARGUMENT...: it ends well, with lines that are sound
done_by() {
	mode=$*
	if ! timeout 60 "$work" -o "$truth" "$@" >"$dir/out" 2>"$dir/err"; then
		fail "$mode: exit $?: $(head -3 "$dir/err")"
		return
	fi
	passed=$((passed + 1))
	[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ] || fail "$mode: prints something: $(cat "$dir/out" "$dir/err")"
	holds "the first line is the run" '.[0].type == "run" and ([.[] | select(.type == "run")] | length) == 1'
	holds "steps do not end before they begin, nor use more CPU time than there was" \
		'all(.[] | select(.type == "step"); .begin_ns <= .end_ns and .cpu_ns >= 0 and .cpu_ns <= .end_ns - .begin_ns + 2000000)'
	holds "sums are those of the steps" '
		([.[] | select(.type == "step")] | group_by([.tid, .step]) | map({tid: .[0].tid, step: .[0].step, count: length,
			elapsed: (map(.end_ns - .begin_ns) | add), longest: (map(.end_ns - .begin_ns) | max),
			cpu: (map(.cpu_ns) | add), bytes: (map(.bytes // 0) | add)}) | sort) ==
		([.[] | select(.type == "sum") | {tid, step, count, elapsed: .elapsed_ns, longest: .longest_ns, cpu: .cpu_ns, bytes}] | sort)'
	holds "each step is of a worker that was announced, as is each that is named" '
		([.[] | select(.type == "worker") | .tid]) as $all |
		all(.[] | select(.type == "step"); .tid as $t | $all | index($t)) and
		all(.[] | select(.by_tid); .by_tid as $t | $all | index($t))'
}
steps='def steps($s): [.[] | select(.type == "step" and .step == $s)]; def took: .end_ns - .begin_ns;
	def fact($f): [.[] | select(.fact == $f) | .value]; '

done_by rpc --ops sleep:30,hog:30,fork:20,write:128 --repeat 2 --pause 1 --calibrations 2
holds "8 calls, each served once, with the same id" "$steps"' steps("call") | map(.id) == [1,2,3,4,5,6,7,8]'
holds "a call lasts longer than its service, and the server ended it" "$steps"'
	steps("serve") as $s | steps("call") | length == 8 and all(.[]; . as $c | $s[] | select(.id == $c.id) |
	$c.begin_ns < .begin_ns and .end_ns < $c.end_ns and $c.by_tid == .tid)'
holds "who sleeps computes nothing" "$steps"' steps("sleep") | length == 2 and all(.[]; took >= 30e6 and .cpu_ns < 3e6)'
# The loop is as fast as it was at the start, unless the CPU changes its speed: within a factor.
holds "who computes uses the CPU time" "$steps"'
	steps("hog") | length == 4 and all(.[]; .cpu_ns > 8e6 and .cpu_ns < 90e6)'
holds "the server waits for its children" "$steps"' steps("wait-child") | length == 2 and all(.[]; .by_tid)'
holds "all is written" "$steps"' steps("write") | length == 2 and all(.[]; .bytes == 131072)'
[ ! -e meridian-work.data ] || fail "rpc leaves its file"

# On their own: a server of two clients, one of them by way of another server.
"$work" -o back.jsonl rpc --listen 20771 --connections 1 --calibrations 1 &
back=$!
"$work" -o front.jsonl rpc --listen 20772 --connections 1 --calibrations 1 --upstream localhost:20771 &
front=$!
mode="rpc over two servers"
if "$work" -o client.jsonl rpc --connect localhost:20772 --ops relay:20 --repeat 3 --pause 1 && wait $front && wait $back; then
	cat client.jsonl front.jsonl back.jsonl >"$truth"
	holds "each relay is served by both" "$steps"' (steps("call") | length) == 6 and (steps("serve") | length) == 6 and
		(steps("hog") | length) == 3'
else
	fail "$mode"
fi

done_by pingpong --count 30 --interval 100 --size 1000
holds "each ping has its pong" "$steps"' steps("pong") as $p | steps("ping") | length == 30 and
	all(.[]; . as $a | $p[] | select(.id == $a.id) | $a.begin_ns < .end_ns and .end_ns < $a.end_ns and .by_tid == $a.tid)'

done_by pipeline --stages 3 --items 12 --hog 200 --slow 1 --factor 5
holds "each item passes all stages in order" "$steps"'
	steps("hog") as $h | ($h | length) == 36 and ($h | group_by(.id) | all(.[]; sort_by(.begin_ns) | map(.comm) == ["stage-0", "stage-1", "stage-2"]))'
holds "the slow stage works most" "$steps"'
	steps("hog") | group_by(.comm) | map(map(.cpu_ns) | add) | .[1] > .[0] and .[1] > .[2]'
holds "an item is from the stage before" "$steps"'
	[.[] | select(.type == "worker")] as $w | steps("take") | length == 24 and
	all(.[]; . as $t | ($w[] | select(.tid == $t.by_tid) | .comm) == "stage-\(($t.comm[6:] | tonumber) - 1)")'

done_by forks --depth 3 --children 2 --hog 1
holds "there are 15 processes, 8 of them leaves" "$steps"'
	([.[] | select(.type == "worker")] | length) == 15 and fact("processes") == [15] and (steps("hog") | length) == 8'
holds "each child is waited for, and has ended before that ends" "$steps"'
	([.[] | select(.type == "step")] | group_by(.tid) | map({key: (.[0].tid | tostring), value: (map(.end_ns) | max)}) | from_entries) as $last |
	steps("wait-child") | length == 14 and all(.[]; $last[.by_tid | tostring] < .end_ns)'

waited='steps("wait-lock") | any(.[]; .by_tid and took > 100000)'
for kind in mutex futex file; do
	# Holding takes longer than the scheduler lets one worker run while others want to, so that they do meet
	# on a busy machine too; when they happened to take turns there, they fight again.
	for try in 1 2 3 4 5; do
		done_by locks --kind $kind --workers 3 --rounds 8 --hold 6000 --away 100
		! jq -es "$steps $waited" "$truth" >/dev/null || break
	done
	holds "nobody holds it while another does" "$steps"'
		steps("hold") | sort_by(.begin_ns) | length == 24 and . as $h | all(range(1; 24); $h[. - 1].end_ns <= $h[.].begin_ns)'
	holds "a wait names who had the lock before, whose hold ended before the wait" "$steps"'
		(steps("hold") | sort_by(.begin_ns)) as $h | steps("wait-lock") | all(.[] | select(.by_tid); . as $w |
		([$h[] | select(.begin_ns < $w.end_ns)] | last) as $before | $before.tid == $w.by_tid and $before.end_ns <= $w.end_ns)'
	holds "somebody had to wait for another, in one of $try fights" "$steps $waited"
	holds "no round is lost" "$steps"' fact("rounds") == [24]'
done
[ ! -e meridian-work.lock ] || fail "locks leaves its file"

done_by faults --mib 2 --rounds 2 --pause 1
holds "each page is a fault" "$steps"' fact("pages")[0] as $p | fact("minor_faults") | length == 2 and all(.[]; . >= $p)'
head -c 2097152 /dev/zero >file
done_by faults --mib 2 --rounds 1 --pause 1 --file file
holds "a file's pages are mapped" "$steps"' fact("minor_faults")[0] + fact("major_faults")[0] > 0 and steps("touch")[0].bytes == 2097152'

for sync in none fsync each direct; do
	# Some file systems have no O_DIRECT.
	if [ $sync = direct ] && ! dd if=/dev/zero of=direct bs=4096 count=1 oflag=direct status=none 2>/dev/null; then
		echo "skipped: this file system has no O_DIRECT"
		continue
	fi
	done_by disk --kib 200 --block 64 --sync $sync
	holds "all is written and read" "$steps"'
		fact("bytes_written") == [204800] and fact("bytes_read") == [204800] and
		(steps("write") | map(.bytes) | add) == 204800 and (steps("read") | map(.bytes) | add) == 204800'
	[ ! -e meridian-work.data ] || fail "disk leaves its file"
done

done_by bursts --threads 2 --count 3 --hog 5 --idle 5
holds "6 hogs that begin together" "$steps"' steps("hog") | length == 6 and all(.[]; .cpu_ns > 1500000)'
holds "nobody goes on before all have come" "$steps"'
	steps("meet") | group_by(.id) | length == 3 and all(.[]; (map(.begin_ns) | max) <= (map(.end_ns) | min))'

done_by pulse --hertz 500 --count 40
holds "each pulse is late, not early; the latest is known" "$steps"'
	steps("pulse") | length == 40 and all(.[]; .late_ns > 0)'
holds "the latest is the latest" "$steps"' (steps("pulse") | map(.late_ns) | max) == fact("latest_ns")[0]'

done_by pool --threads 2 --jobs 20 --interval 100 --hog 5000 --room 4
holds "each job is put, queued, taken and served once" "$steps"'
	(steps("put") | map(.id) | sort) == [range(20)] and
	(steps("queued") | map(.id) | sort) == [range(20)] and (steps("serve") | map(.id) | sort) == [range(20)]'
holds "a job is served after its time in the queue, by who took it" "$steps"'
	steps("queued") as $q | steps("serve") | all(.[]; . as $s | $q[] | select(.id == $s.id) | .end_ns <= $s.begin_ns and .tid == $s.tid)'
holds "the queue was full" "$steps"' steps("put") | any(.[]; .by_tid)'

# --- What is wrong is said, in one line that says what to do ---
refused() { # STATUS PATTERN ARGUMENT...
	local want=$1 pattern=$2 got
	shift 2
	timeout 30 "$work" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	if [ $got -eq "$want" ] && grep -qE -- "$pattern" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]; then
		passed=$((passed + 1))
	else
		fail "meridian-work $*: exit $got: $(head -3 "$dir/err")"
	fi
}
refused 2 'which mode' -o x
refused 2 'no mode "nothing"' nothing
refused 2 'no setting --what' rpc --what 1
refused 2 'lacks its value' rpc --ops
refused 2 '"x" is not a number of 1 to' pulse --hertz x
refused 2 'is not a number' pulse --hertz 99999999999999999999
refused 1 'does not begin with hog' rpc --ops burn:5
refused 1 'does not begin with hog' rpc --ops hog:70000
refused 1 'is not HOST:PORT' rpc --connect here
refused 1 'not mutex, futex or file' locks --kind spin
refused 1 'more than 5000 processes' forks --depth 12 --children 16
refused 1 'cannot open' faults --file /nowhere/at/all
refused 1 'give one of them' rpc --listen 1 --connect a:1
refused 1 'cannot write' -o /nowhere/at/all pulse
touch meridian-work.data
refused 1 'cannot make meridian-work.data' disk --kib 4
rm meridian-work.data

# --- A signal ends it, and what was done is stated ---
mode="pulse, stopped"
rm "$truth" # lines of the mode before would say that this one is under way
"$work" -o "$truth" pulse --count 100000 &
pid=$!
for ((i = 0; i < 1200; i++)); do
	[ ! -e "$truth" ] || [ "$(wc -l <"$truth")" -lt 20 ] || break
	sleep 0.05
done
kill -INT $pid
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "$mode: exit $code"
holds "its sums are there" 'any(.[]; .type == "sum")'

# --- Help fits a screen; the page of the manual has all modes ---
for args in --help {rpc,pingpong,pipeline,forks,locks,faults,disk,bursts,pulse,pool}" --help"; do
	# shellcheck disable=SC2086
	"$work" $args >"$dir/out" || fail "$args"
	[ "$(wc -l <"$dir/out")" -le 24 ] || fail "$args: more than 24 lines"
	[ "$(wc -L <"$dir/out")" -le 80 ] || fail "$args: more than 80 columns: $(awk 'length > 80' "$dir/out")"
done
"$work" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r name; do
	"$work" --man | grep -q "^## $name$" || echo "no $name"
done | grep . && fail "the manual lacks a mode"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
