#!/usr/bin/env bash
# A service of three hosts that `meridian record` recorded without LTTng, by ftrace (lab/record stock-shop): its requests are
# those that its programs logged, paths go from host to host, and what was made slow has the name of its cause. Hosts
# that different tracers recorded are read together. (Where its clocks were: test_lab_truth.c.)
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
cd "$SRC" || exit 1
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=$lab/stock-shop

run 0 check --strict --json "$t"
equal "hosts that can be synchronized" "$(jq -c '[table("sync_hosts")[].possible] | unique' "$dir/out")" '[1]'
run 0 sync --json "$t"
equal "hosts with aligned clocks" "$(jq '[table("hosts")[] | select(.quality != "unaligned")] | length' "$dir/out")" 3
equal "messages that are too early" "$(jq '[table("pairs")[].inversions_after] | add' "$dir/out")" 0

# Each request of load.log with its worker and backend of app.log
awk 'FNR == NR { delete v; for (i = 2; i < NF; i += 2) v[$i] = $(i + 1); at[v["t"] " " v["n"]] = v["worker"] " " v["backend"]; next }
	{ delete v; for (i = 2; i < NF; i += 2) v[$i] = $(i + 1); print v["port"], v["tid"], v["begin"], v["end"], at[v["t"] " " v["n"]], v["inject"] }' \
	"$t/app.log" "$t/load.log" | sort -k3,3n >"$dir/truth"
run 0 requests --list -n 0 --sort begin --format csv "$t"
cp "$dir/out" "$dir/list"
equal "logged, found, nested" "$(awk -f "$SRC/tests/cases/requests_truth.awk" "$dir/truth" "$dir/list" | cut -d' ' -f1-3)" "60 60 60"

# injected N: the request that was made slow in this way
injected() {
	local want
	want=$(awk -v n="$1" '{ ++k[$1] } $7 == n { print $1, k[$1] }' "$dir/truth")
	awk -F, -v want="$want" '$6 == "client" && $16 == "" && $9 " " ++k[$9] == want { print $1 }' "$dir/list"
}
# explained N CAUSE CULPRIT: it is among the first causes. (The machines wait for CPUs of their host, too, which their traces
# have as computing: 150 ms of the third one.)
explained() {
	run 0 requests -q --explain --request "$(injected "$1")" --json "$t"
	equal "what was made slow in way $1" "$(jq -r --arg cause "$2" --arg who "$3" '[groups[0].causes[:3][] | select(.cause == $cause) | .more_ns as $ns |
		([.culprits[] | select("\(.comm) \(.what)" | test($who)) | .ns] | add // 0) > $ns / 2] == [true]' "$dir/out")" true
}
explained 1 running '^shop-w[0-9] on the CPU'
explained 2 locks '^shop-keeper held the lock'
explained 3 disk '^db-[01] pread64'

run 0 path -q --json --comm load-0 "$t"
equal "its path is on all hosts" "$(jq -r '[table("by_host")[].host] | sort | join(" ")' "$dir/out")" "client store web"

# A folder for each host, of which LTTng recorded one; and the others, where LTTng recorded them, too.
mkdir -p "$dir/mixed/client" "$dir/mixed/lttng"
cp -r "$t/client/raw" "$dir/mixed/client/"
cp -r demo/page-cold/web "$dir/mixed/"
run 0 info --json "$dir/mixed"
equal "by two tracers" "$(jq -c '[table("traces")[] | [.host, (.tracer | split(" ")[0])]] | sort' "$dir/out")" \
	'[["client","ftrace"],["web","lttng-modules"]]'
cp -r demo/page-cold/client "$dir/mixed/lttng/"
run 0 info --json "$dir/mixed"
equal "of one host the CTF traces" "$(jq -c '[table("traces")[] | [.host, (.tracer | split(" ")[0])]] | sort' "$dir/out")" \
	'[["client","lttng-modules"],["web","lttng-modules"]]'
equal "which is said" "$(jq -r '[.diagnostics[] | select(.code == "recording-left-out") | .path | split("/mixed/")[1]] | join(" ")' "$dir/out")" client/raw
run 0 info --json "$dir/mixed/web" "$dir/mixed/lttng" "$dir/mixed/client/raw"
equal "what is given by name is read" "$(jq 'table("traces") | length' "$dir/out")" 3
finish
