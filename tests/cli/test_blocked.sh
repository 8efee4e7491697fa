#!/usr/bin/env bash
# meridian blocked: what is felt and what is not; durations that the programs were told to wait for; what
# was done meanwhile is never more than the wait.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/clihog-srvhog-2vm

# Rows of a CSV: host,tid,comm,kind,call,object,cause,class,by,count,total_ns,min_ns,max_ns,...
# row COMM CALL CAUSE FILE: count and total (ms, cut) of these rows together
row() {
	awk -F, -v comm="$1" -v call="$2" -v cause="$3" \
		'$3 == comm && $5 == call && $7 == cause { n += $10; t += $11 } END { print n + 0, int(t / 1e6) }' "$4"
}
# between WHAT VALUE LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok; else fail "$1: $2, not $3 to $4"; fi
}
# waited WHAT COMM CALL CAUSE COUNT LEAST MOST FILE
waited() {
	set -- "$1" "$(row "$2" "$3" "$4" "$8")" "$5" "$6" "$7"
	equal "$1: count" "${2% *}" "$3"
	between "$1: ms" "${2#* }" "$4" "$5"
}

# Without a choice: the client's waits for the server, the server's own waits inside of them, and not
# that the server waits for clients.
run 0 blocked --format csv $t
cp "$dir/out" "$dir/felt"
run 0 blocked --all --format csv $t
cp "$dir/out" "$dir/all"
equal "columns" "$(head -1 "$dir/felt")" \
	"host,tid,comm,kind,call,object,cause,class,by,count,total_ns,min_ns,max_ns,mean_ns,runnable_ns,max_at"
equal "only requests" "$(sed 1d "$dir/felt" | cut -d, -f8 | sort -u)" request
equal "--all has classes" "$(sed 1d "$dir/all" | cut -d, -f8 | sort -u | tr '\n' ' ')" "idle request "
equal "accept is not felt" "$(row rpc-srv accept4 network "$dir/felt")" "0 0"
no_text "$dir/felt" '^server,[0-9]*,rpc-srv,syscall,read' "the server's waits for requests"
text "$dir/all" '^server,[0-9]*,rpc-srv,syscall,accept4,[^,]*,network,idle,' 'accept'
text "$dir/all" '^server,[0-9]*,rpc-srv,syscall,read,[^,]*,network,idle,rpc-cli,' 'waits for requests'
# Twice: the server sleeps 100 and 50 ms, forks a child that computes 80 ms; the client sleeps 40 ms.
waited "server sleeps" rpc-srv clock_nanosleep timer 4 300 340 "$dir/felt"
waited "server waits for its child" rpc-srv wait4 task 2 160 200 "$dir/felt"
waited "client sleeps" rpc-cli clock_nanosleep timer 2 80 100 "$dir/felt"
# 100 + 100 + 100 + 50 + 80 + 30 ms of the server, each time, are waits of the client.
waited "client waits" rpc-cli read network 17 920 1200 "$dir/felt"
equal "mean" "$(awk -F, 'NR > 1 && $14 != int($11 / $10)' "$dir/all" | wc -l)" 0
equal "min, mean, max in order" "$(awk -F, 'NR > 1 && !($12 <= $14 && $14 <= $13 && $13 <= $11)' "$dir/all" | wc -l)" 0
equal "longest first" "$(sed 1d "$dir/felt" | cut -d, -f11 | sort -c -rn 2>&1)" ""

# Chosen: all its waits but those for work.
run 0 blocked --comm 'rpc-srv' --host server --format csv $t
equal "chosen: no waits for work" "$(grep -c ',read,' "$dir/out")" 0
run 0 blocked --tid 237 --comm rpc-srv --format csv $t
waited "chosen by number" rpc-srv clock_nanosleep timer 4 300 340 "$dir/out"
run 2 blocked --comm nobody $t
text "$dir/err" 'no task named .nobody.' 'an error'
run 2 blocked --depth 1000 $t

# max_at is when the longest began: asked for that time alone, it is all that there is of the row.
run 0 blocked --all --json -n 1 $t
begin=$(grep -o '"begin":[0-9]*' "$dir/out" | head -1 | cut -d: -f2)
while IFS=, read -r host tid comm kind call object cause class by count total min max mean late at; do
	from=$((at - begin)) to=$((at - begin + max))
	run 0 blocked --all --tid "$tid" --host "$host" --format csv --begin "+$(printf '%d.%09d' $((from / 1000000000)) $((from % 1000000000)))s" \
		--end "+$(printf '%d.%09d' $((to / 1000000000)) $((to % 1000000000)))s" $t
	equal "the longest $call of $comm on $host ($kind $object $class $by $count $total $min $mean $late)" \
		"$(awk -F, -v call="$call" -v cause="$cause" '$5 == call && $7 == cause { print $11 }' "$dir/out" | grep -cx "$max")" 1
done < <(sed 1d "$dir/all" | head -8)

# For people: no line is too wide, and it fits a screen.
for options in "" "--comm rpc-*" "--all" "--comm rpc-cli --depth 9"; do
	# shellcheck disable=SC2086
	run 0 blocked $options $t
	equal "width of '$options'" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$dir/out" | wc -l)" 0
	between "lines of '$options'" "$(wc -l <"$dir/out")" 5 30
done
run 0 blocked --comm rpc-cli $t
text "$dir/out" '^  read 10.0.0.2:5000 +network +8 ' 'a row'
text "$dir/out" '^    rpc-srv/237 on server: clock_nanosleep +timer +2 ' 'what was done meanwhile'
text "$dir/out" '^      rpc-child/239: ran ' 'and inside of that'
run 0 blocked --flat --comm rpc-cli $t
no_text "$dir/out" '^    ' 'below'
run 0 blocked -n 3 $t
equal "limit" "$(grep -cE ' (ms|s|us)$' "$dir/out")" 3

# A window cuts: of the first client's waits what is in it.
run 0 blocked --comm rpc-cli --flat --json $t
all=$(numbers total_ns "$dir/out" | sum)
run 0 blocked --comm rpc-cli --flat --json --begin +1.45s --end +1.5s $t
# 50 ms, most of them waiting, and what is cut off is not counted.
between "in a window" "$(numbers total_ns "$dir/out" | sum)" 30000000 50000000
between "of all, ns" "$all" 1000000000 1300000000

if command -v jq >/dev/null; then
	run 0 blocked --comm rpc-cli --depth 20 --json $t
	equal "version" "$(jq .schema_version "$dir/out")" 3
	# The parts of a wait, at each level, are not more than the wait; of a wait for the server nearly all.
	# waits: with the rows below each, and below these
	waits='table("meanwhile") as $all | def below: . as $n | [$all[] | select(.parent == $n.id) | below] as $b | $n + {meanwhile: $b};
		[table("waits") | to_entries[] | .key as $k | .value + {meanwhile: [$all[] | select(.row == $k + 1 and .parent == null) | below]}]'
	jq "$waits" "$dir/out" >"$dir/waits"
	equal "each is below one" "$(jq '[.. | objects | select(.id?)] | length' "$dir/waits")" "$(jq 'table("meanwhile") | length' "$dir/out")"
	equal "by depth" "$(jq '[.. | objects | select(.meanwhile) | (.level // 0) as $l | .meanwhile[].level == $l + 1] | all' "$dir/waits")" true
	equal "parts" "$(jq '[.. | objects | select(.meanwhile) |
		select(([.meanwhile[].total_ns] | add // 0) > .total_ns)] | length' "$dir/waits")" 0
	between "explained, %" "$(jq '[.[] | select(.call == "read")] |
		([.[].meanwhile[].total_ns] | add) * 100 / ([.[].total_ns] | add) | floor' "$dir/waits")" 98 100
	between "server's sleep inside" "$(jq '[.[] | select(.call == "read") | .meanwhile[] |
		select(.comm == "rpc-srv" and .call == "clock_nanosleep") | .total_ns] | add / 1000000 | floor' \
		"$dir/waits")" 300 340
	between "child inside" "$(jq '[.[] | .meanwhile[] | select(.call == "wait4") | .meanwhile[] |
		select(.doing == "ran") | .total_ns] | add / 1000000 | floor' "$dir/waits")" 150 200
	equal "left out" "$(jq 'table("left_out")[0].count' "$dir/out")" 0
	run 0 blocked --comm rpc-cli -n 2 --json $t
	equal "below those that are shown" "$(jq -c '[table("waits") | length] + ([table("meanwhile")[].row] | unique)' "$dir/out")" '[2,1,2]'
fi

# The same for any number of threads.
run 0 blocked -j 1 --json --depth 5 $t
cp "$dir/out" "$dir/one"
run 0 blocked -j 3 --json --depth 5 $t
same "threads" "$dir/one" "$dir/out"

# Three levels of 100, 200 and 400 ms, a second of sleep, and a page from the disk.
"$ctfgen" -o "$dir/inception" tests/cli/inception.scn
run 0 blocked --tid 100 "$dir/inception"
text "$dir/out" '^  clock_nanosleep +timer +1 +1.00 s ' 'a sleep of a second'
text "$dir/out" '^  wait4 +task +1 +600 ms ' 'level 1 waits'
text "$dir/out" '^    inception/101: ran +- +200 ms' 'level 2 computes'
text "$dir/out" '^    inception/101: wait4 +task +1 +400 ms' 'level 2 waits'
text "$dir/out" '^      inception/102: ran +- +400 ms' 'level 3 computes'
text "$dir/out" '^  page fault +disk +1 +4.99 ms' 'a page'
run 0 blocked --format csv "$dir/inception"
equal "felt without being chosen" "$(sed 1d "$dir/out" | cut -d, -f2,5,11 | tr '\n' ' ')" \
	"100,clock_nanosleep,1000050000 100,wait4,600003000 101,wait4,399997000 100,,4992000 "

# A client of two servers, one behind the other; the pages are there the second time.
run 0 blocked --comm wget demo/wget-cold-hot
text "$dir/out" '^    nginx/152 on server: epoll_wait' 'first server'
text "$dir/out" '^      python3/154: ran' 'second server'
# Only the server was recorded: what it does for somebody outside.
run 0 blocked --format csv demo/wget-cold-hot/server
text "$dir/out" '^server,154,python3,syscall,read,/data/blob.bin,disk,request' 'disk'
no_text "$dir/out" ',accept' 'accept'

if there "$lab/ipc-zoo"; then
	run 0 blocked --comm 'zoo-*,sleep' --flat --format csv "$lab/ipc-zoo"
	cp "$dir/out" "$dir/zoo"
	waited "sleep 0.1" sleep clock_nanosleep timer 1 100 110 "$dir/zoo"
	waited "flock 80 ms" zoo-main flock task 1 79 90 "$dir/zoo"
	waited "fcntl 65 ms" zoo-main fcntl task 1 64 75 "$dir/zoo"
	waited "pause, signal after 55 ms" zoo-main pause task 1 54 65 "$dir/zoo"
	waited "pause, timer of 50 ms" zoo-main pause timer 1 49 60 "$dir/zoo"
	waited "poll of 45 ms" zoo-main poll timer 1 44 50 "$dir/zoo"
	waited "pipes: sleep of 50, work of 60 ms" zoo-main read pipe 2 105 130 "$dir/zoo"
	waited "full pipe, 70 ms" zoo-main write pipe 1 69 80 "$dir/zoo"
	waited "real time thread behind a lock, 50 ms" zoo-rtwait futex futex 1 45 60 "$dir/zoo"
	waited "barrier: 150 - 60 ms" zoo-bar1 futex futex 1 80 150 "$dir/zoo"
fi
if there "$lab/cpu-mem-io"; then
	run 0 blocked --comm memhog --format csv "$lab/cpu-mem-io"
	waited "six times 200 ms" memhog clock_nanosleep timer 6 1200 1215 "$dir/out"
fi
finish
