#!/bin/bash
# Real recordings as they arrive at night: hosts missing, files cut off, one machine without its network
# events, the same one twice, several recordings at once. What is said stays true, nothing crashes.
set -u
LAB=$RECORDINGS
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache COLUMNS=200
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}

# check NAME EXIT GROUPS PATTERN TRACES...: both verbs end with that status; as many groups of hosts
# can be compared; sync says so; and nothing is received before it was sent.
check() {
	local name=$1 status=$2 groups=$3 pattern=$4 verb out rc
	shift 4
	for verb in sync latency; do
		out=$("$MERIDIAN" $verb "$@" 2>&1)
		rc=$?
		[ $rc = "$status" ] || fail "$name: $verb ends with $rc: $out"
		grep -qE 'Sanitizer|runtime error' <<<"$out" && fail "$name: $verb: $out"
		if [ $verb = sync ]; then
			grep -qE -- "$pattern" <<<"$out" || fail "$name: no \"$pattern\" in: $out"
		fi
		out=$("$MERIDIAN" $verb --json "$@" 2>/dev/null) || [ $? = "$status" ] ||
			fail "$name: $verb --json"
		jq -e . >/dev/null <<<"$out" || fail "$name: $verb: no JSON"
	done
	out=$("$MERIDIAN" sync --json "$@" 2>/dev/null)
	out=$(jq '.tables[] | select(.id == "hosts").rows' <<<"$out")
	jq -e --argjson n "$groups" '(map(.group) | unique | length) == $n' >/dev/null <<<"$out" ||
		fail "$name: other than $groups groups: $(jq -c 'map([.host, .group])' <<<"$out")"
	# A word for people is never better than what is known.
	jq -e 'all(.[]; if .quality == "absent" then .matched == 0
		elif .quality == "reference" then .bound_max_ns == 0
		elif .quality == "accurate" or .quality == "approximate"
		then .matched > 0 and .bound_max_ns != null and .bound_min_ns >= 0 else true end)' \
		>/dev/null <<<"$out" || fail "$name: qualities: $(jq -c '[.[] |
			[.host, .quality, .matched, .bound_min_ns, .bound_max_ns]]' <<<"$out")"
	# As synchronized, over all pairs.
	"$MERIDIAN" latency "$@" 2>/dev/null | head -2 | tr '\n' ' ' | grep -qE ' 0 as synchronized|^No messages between hosts' ||
		fail "$name: received before sent"
}

# copy FROM TO [PERCENT]: that much of every file of events
copy() {
	local f
	cp -r "$1" "$2" && chmod -R u+w "$2"
	find "$2" -path '*/kernel/*' -type f ! -name metadata ! -path '*/index/*' -size +8k |
		while read -r f; do
			truncate -s $(($(stat -c %s "$f") * ${3:-100} / 100)) "$f"
		done
}
# forget TRACE EVENT...: recorded, but by a name that nobody knows
forget() {
	local trace=$1 event
	shift
	for event; do
		sed -i "s/\"$event\"/\"${event%?}X\"/" "$trace/kernel/metadata"
	done
}

# --- some of the hosts
check "two of ten" 0 1 '^2 of 2 clocks' "$LAB"/cluster-10/node0{1,2}
check "no link between some" 0 3 '\{node01 node07\}, \{node03\}, \{node05\}' \
	"$LAB"/cluster-10/node0{1,3,5,7}
check "only through a third" 0 2 '^No messages between these hosts' "$LAB"/long-ntp/{alpha,gamma}
check "one host" 0 1 '^Only one host' "$LAB/long-ntp/alpha"

# --- the same host twice: by name, and a copy of it
check "twice" 0 1 '^Only one host' "$LAB"/wget-cold-hot/client{,}
copy "$LAB/wget-cold-hot/client" "$dir/again"
check "a copy" 0 1 '^2 of 2 clocks' "$LAB/wget-cold-hot" "$dir/again"

# --- files cut off
for percent in 20 50 90; do
	copy "$LAB/cluster-10" "$dir/cluster-$percent" $percent
	check "cluster-10, $percent %" 3 1 '^10 of 10 clocks' "$dir/cluster-$percent"
	copy "$LAB/long-ntp" "$dir/ntp-$percent" $percent
	check "long-ntp, $percent %" 3 1 '^3 of 3 clocks' "$dir/ntp-$percent"
done
copy "$LAB/wget-cold-hot" "$dir/early" 50
check "cut before the first message" 3 2 '^No messages between' "$dir/early"
copy "$LAB/long-ntp" "$dir/uneven"
rm -rf "$dir/uneven/beta"
copy "$LAB/long-ntp/beta" "$dir/uneven/beta" 50
check "one host's end is missing" 3 1 '^3 of 3 clocks' "$dir/uneven"

# --- one host without its network events, or without those that it received
copy "$LAB/long-ntp" "$dir/deaf"
forget "$dir/deaf/gamma" net_if_receive_skb netif_receive_skb
check "one way only" 0 1 'gamma .*incompl' "$dir/deaf"
forget "$dir/deaf/gamma" net_dev_queue
check "no network events" 0 2 '^2 of 3 clocks' "$dir/deaf"
check "no received headers" 0 2 '^No messages between' "$LAB/wget-cold-hot-nogro"

# --- several recordings: machines of the same name in different boots are different machines
check "two recordings" 0 2 '\{client server#2\}, \{client#2 server\}' \
	"$LAB/clihog-srvhog-2vm" "$LAB/wget-cold-hot"
check "of two recordings one host each" 0 2 '^No messages between' \
	"$LAB/wget-cold-hot/client" "$LAB/clihog-srvhog-2vm/server"
exit $failed
