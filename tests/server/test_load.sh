#!/usr/bin/env bash
# 32 clients at once that want all kinds of things, also what is refused; others that send anything but requests, come
# with wrong names, origins and tokens, or begin and do not go on: every request is answered, nobody gets in, every mark
# that was accepted is in the file, and the server ends as if nothing had been: where it is built with sanitizers, without
# a report or a leak. LOAD_SECONDS: how long (3). By hand for a minute, and with kill -9 while the store is made:
#
#   build=build/asan; cmake --preset=asan && ninja -C $build meridian ctfgen
#   for test in load rough; do
#       LOAD_SECONDS=60 MERIDIAN=$build/meridian CTFGEN=$build/ctfgen SRC=$PWD BUILD=$PWD/$build SANITIZE=1 \
#           RECORDINGS= CLOCKWORLD= KERNELWORLD= WORK= bash tests/server/test_$test.sh
#   done
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
clients=32 for_seconds=${LOAD_SECONDS:-3}

mkdir -p "$dir/own" && cp -rL demo/wget-cold-hot "$dir/own/" && chmod -R u+w "$dir/own"
traces=$dir/own/wget-cold-hot
serve "$traces"
ready
ask GET "${root}api/status" ''
begin=$(grep -o '"begin":[0-9]*' "$dir/body" | cut -d: -f2) end=$(grep -o '"end":[0-9]*' "$dir/body" | cut -d: -f2)

tsp=tsp/api/experiments
ask GET "$root$tsp" ''
experiment=$(jq -r '.[0].UUID' "$dir/body")
outputs=$tsp/$experiment/outputs
threads=org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider
targets=("api/status 200" "api/tasks 200" "api/lanes?begin=$begin&end=$end&bins=800&lanes=c:0:0,t:0:1 200"
	"api/run?w=top&w=cpu&w=--json 200" "api/run?w=log&w=irq&w=--limit&w=50&w=--format&w=csv 200" "api/marks 200"
	"api/overview 200" "api/run?w=requests&clocks=recorded 200" "tsp/api/experiments 200" "../../etc/passwd 40[034]"
	"api/run?w=nothing 400" " 200" "api/run?w=top&w=cpu&w=--begin&w=%2B0.5s 200" "api/run?w=summary&w=--json 200"
	"$outputs 200" "$tsp/$experiment/bookmarks 200")
# What viewers post: answered, or said what is wrong with it.
range="\"requested_timerange\":{\"start\":$begin,\"end\":$end,\"nbTimes\":500}"
posts=("$outputs/timeGraph/$threads/tree 200 {}" "$outputs/timeGraph/$threads/states 200 {\"parameters\":{$range}}"
	"$outputs/timeGraph/$threads/states 200 {\"parameters\":{$range,\"filter_query_parameters\":{\"strategy\":\"DEEP\",\"filter_expressions_map\":{\"4\":[\"read\"]}}}}"
	"$outputs/timeGraph/$threads/states 400 {\"parameters\":{$range,\"filter_query_parameters\":{\"filter_expressions_map\":{\"1\":[\"((\"]}}}}"
	"$outputs/genericXY/meridian.freq.syscall/xy 200 {\"parameters\":{$range}}" "$outputs/data/meridian.top.cpu/tree 200 {}"
	"$outputs/timeGraph/$threads/states 400 {\"parameters\":[")
client() { # client NUMBER: a line "REQUESTS WRONG MARKS"
	local n=0 wrong=0 marks=0 target until=$((SECONDS + for_seconds))
	dir=$dir/client.$1
	mkdir "$dir"
	while [ $n -lt ${#targets[@]} ] || [ $SECONDS -lt $until ]; do
		target=${targets[(n + $1) % ${#targets[@]}]}
		ask GET "$root${target% *}" ''
		# shellcheck disable=SC2053 # a pattern
		[[ $status = ${target##* } ]] || { wrong=$((wrong + 1)); echo "$target: $status" >&2; }
		n=$((n + 1))
		if [ $((n % 4)) = 0 ]; then
			target=${posts[(n / 4 + $1) % ${#posts[@]}]}
			ask POST "$root${target%% *}" "${target#* * }"
			[ "$status" = "$(cut -d' ' -f2 <<<"$target")" ] || { wrong=$((wrong + 1)); echo "$target: $status $(cat "$dir/body")" >&2; }
			n=$((n + 1))
		fi
		if [ $((n % 9)) = 0 ]; then
			ask POST "${root}api/marks" $'+0.'"$n"$'s\t\tof '"$1"
			[ "$status" = 200 ] && marks=$((marks + 1)) || [ "$status" = 400 ] || wrong=$((wrong + 1))
			n=$((n + 1))
		fi
	done
	echo "$n $wrong $marks"
}
# intruder NUMBER: no client at all. A line with how often somebody got what was not theirs.
intruder() {
	trap '' PIPE # what is no request may be cut off while it is sent
	local n=0 in=0 until=$((SECONDS + for_seconds))
	dir=$dir/intruder.$1
	mkdir "$dir"
	while [ $n -lt 8 ] || [ $SECONDS -lt $until ]; do
		case $(((n + $1) % 8)) in
		0) ask GET "${root}api/status" '' "Host: evil.example:$port" ;;
		1) ask GET "${root}api/status" '' "Origin: http://evil.example" ;;
		2) ask GET "/$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')/api/status" '' ;;
		3) ask POST "/api/marks" $'+1s\t\tnot mine' ;;
		4) ask DELETE "/wrong${root}api/marks?line=1" '' ;;
		5) ask GET "${root%?}%2e%2e/../../etc/passwd" '' ;;
		6) # anything but a request
			status=none
			exec 3<>"/dev/tcp/127.0.0.1/$port" || continue
			{ head -c $((RANDOM % 3000)) /dev/urandom && printf '\r\n\r\n'; } >&3
			IFS=' ' read -r -t 1 -n 12 _ status _ <&3
			exec 3<&- 3>&-
			;;
		7) # one that begins, and stays a while
			[ -z "${stay-}" ] || exec {stay}>&-
			exec {stay}<>"/dev/tcp/127.0.0.1/$port" && printf 'POST %sapi/marks HTTP/1.1\r\nContent-Length: 9\r\n' "$root" >&$stay
			;;
		esac 2>/dev/null
		[ "$status" != 200 ] || in=$((in + 1))
		n=$((n + 1))
	done
	echo "$n $in"
}
trap - EXIT
for i in $(seq 4); do (intruder "$i") & done >"$dir/intruders"
for i in $(seq $clients); do (client "$i") & done >"$dir/clients"
wait $(jobs -p | grep -v "^$serving$")
trap '[ -z "$serving" ] || kill "$serving"; rm -rf "$dir"' EXIT
equal "clients that ended" "$(wc -l <"$dir/clients")" $clients
equal "requests that were not answered as they should" "$(awk '{ n += $2 } END { print n }' "$dir/clients")" 0
check "there was something to do" test "$(awk '{ n += $1 } END { print n }' "$dir/clients")" -gt $((clients * 10))
equal "marks that were accepted are in the file" "$(grep -c '^+' "$traces/marks.tsv")" "$(awk '{ n += $3 } END { print n }' "$dir/clients")"
equal "those who are no clients and ended" "$(wc -l <"$dir/intruders")" 4
equal "how often they got in" "$(awk '{ n += $2 } END { print n }' "$dir/intruders")" 0
ask GET "${root}api/status" ''
equal "afterwards" "$status" 200
stop
no_text "$dir/serve.err" 'Sanitizer|runtime error'
echo "$(awk '{ n += $1 } END { print n }' "$dir/clients") requests, $(awk '{ n += $1 } END { print n }' "$dir/intruders") that were none"
finish
